//! Prints and break points that were left in (T201, T203, T100). Programs for a terminal print their results; so they,
//! and tests, are exempt. Printing into a file is none.

use hostler_syntax::{Call, Language};

use super::{Check, Example, Finding, Gate, Kind, Same, Settings, Severity, Source};

/// Where prints go that a person sees.
const STREAMS: &[&str] =
    &["sys.stdout", "sys.stderr", "stdout", "stderr", "sys.__stdout__", "sys.__stderr__"];

pub(super) const CHECK: Check = Check {
    id: "debug_print",
    gate: Gate::Safety,
    severity: Severity::Warn,
    summary: "prints and break points left in code that is no program for a terminal",
    same: Same::Line,
    kinds: &[Kind::Source],
    fires: &[
        Example("src/a.py", "def load(x):\n    print(\"here\", x)\n    return x\n"),
        Example("src/a.py", "import sys\n\nprint(1, file=sys.stderr)\n"),
        Example("src/a.py", "def load(x):\n    breakpoint()\n    return x\n"),
        Example("src/a.py", "import pdb\n\npdb.set_trace()\n"),
        Example("src/a.py", "from pprint import pprint\n\npprint(1)\n"),
    ],
    silent: &[
        Example("src/a.py", "if __name__ == \"__main__\":\n    print(1)\n"),
        Example("src/a.py", "def dump(x, out):\n    print(x, file=out)\n"),
        Example("src/cli.py", "print(1)\n"),
        Example("src/__main__.py", "print(1)\n"),
        Example(
            "src/a.py",
            "import argparse\n\n\ndef main():\n    print(argparse.ArgumentParser().parse_args())\n",
        ),
        Example("tests/test_a.py", "print(1)\n"),
        Example("src/a.py", "def f(printer):\n    printer.print(1)\n    \"print(1)\"\n"),
    ],
    run,
};

fn run(source: &Source<'_>, _: &Settings) -> Vec<Finding> {
    let Some((facts, language)) = source.facts.zip(source.language) else { return Vec::new() };
    // What a program prints when it is run by itself is its result.
    if language == Language::Java && facts.functions.iter().any(|it| it.name == "main") {
        return Vec::new();
    }
    let calls = facts.calls.iter().filter(|it| !it.is_main_guarded && is_debugging(language, it));
    calls
        // Elsewhere than in Python, telling of a failure on the console is common and meant.
        .filter(|it| language == Language::Python || !source.is_handled(it.line))
        .map(|it| {
            CHECK
                .finding(it.line, format!("`{}` is left in", it.callee))
                .about(source.symbol_of(it.function))
                .fix("take it out, or log it")
        })
        .collect()
}

fn is_debugging(language: Language, call: &Call) -> bool {
    let callee = call.callee.as_str();
    let any = |names: &[&str]| names.contains(&callee);
    match language {
        Language::Python => {
            let into_file =
                call.keywords.iter().any(|(name, to)| name == "file" && !STREAMS.contains(&to.as_str()));
            (any(&["print", "pprint", "pp", "pprint.pprint", "pprint.pp", "builtins.print"]) && !into_file)
                || any(&["breakpoint", "set_trace", "pdb.set_trace", "ipdb.set_trace", "pudb.set_trace"])
        }
        Language::TypeScript | Language::Tsx | Language::JavaScript => any(&[
            "debugger",
            "console.log",
            "console.debug",
            "console.trace",
            "console.dir",
            "console.table",
        ]),
        Language::Rust => any(&["dbg!", "std::dbg!", "dbg", "std::dbg"]),
        Language::Go => any(&["print", "println", "fmt.Print", "fmt.Println", "fmt.Printf", "spew.Dump"]),
        Language::Java => any(&["System.out.print", "System.out.println", "System.out.printf"]),
        Language::Ruby => any(&["binding.pry", "binding.irb", "byebug", "debugger"]),
        Language::Php => any(&["var_dump", "var_export", "print_r", "dd", "dump"]),
        Language::Swift => any(&["debugPrint", "dump"]),
        Language::CSharp => any(&["Debugger.Break", "System.Diagnostics.Debugger.Break"]),
        Language::C | Language::Cpp | Language::Kotlin | Language::Scala | Language::Bash => false,
    }
}
