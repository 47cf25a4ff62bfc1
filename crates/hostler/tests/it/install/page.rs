//! `docs/install.md` has an example that a reader types: it must work.

use std::fs;
use std::path::Path;

use super::{Site, output};

#[test]
fn the_example_of_the_page_runs() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/install.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```sh\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();

    let mut site = Site::without_git();
    let folder = Path::new(env!("CARGO_BIN_EXE_hostler")).parent().unwrap().display().to_string();
    let path = format!("{folder}:{}", site.variables["PATH"]);
    site.variables.insert("PATH", path);
    site.program = "/bin/sh".into();
    let said = output(&mut site.command(&["-euc", example]));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.stdout.contains("nothing to do") && said.stdout.contains("a canary was denied"), "{said:?}");
    assert!(!site.path("shop/.claude").exists() && site.path("shop/.git").exists());
}
