use super::*;

#[track_caller]
fn check(binary: &str, literal: &str) {
    for text in [v1(binary, "1.2.3"), v2(binary, "1.2.3")] {
        assert!(text.contains(&format!("const BINARY: string = {literal}\n")), "{binary}");
        assert!(text.contains("const VERSION: string = \"1.2.3\"\n"));
        assert!(!text.contains("@HOSTLER_"), "a placeholder is left");
    }
}

#[test]
fn the_programs_path_and_version_stand_in_the_plugin() {
    check("/usr/bin/hostler", "\"/usr/bin/hostler\"");
    check("/home/me/größer \"x\"/hostler", "\"/home/me/größer \\\"x\\\"/hostler\"");
    check("C:\\bin\\hostler.exe", "\"C:\\\\bin\\\\hostler.exe\"");
}

#[test]
fn at_run_time_only_modules_of_the_runtime_are_imported() {
    for text in [v1("b", "v"), v2("b", "v")] {
        for line in text.lines().filter(|line| line.contains("import ")) {
            let own = line.starts_with("import type {") || line.contains(" from \"node:");
            assert!(own, "{line}");
        }
        // Older runtimes only take types away.
        assert!(!text.contains("enum ") && !text.contains("namespace "));
    }
}
