//! `hostler trace` as a program: projects of several languages, gates, reviews, caches, odd files.

#![expect(clippy::unwrap_used, reason = "tests")]

mod files;
mod formats;
mod gates;
mod hostile;
mod own;
mod package;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// A home folder with a project in it.
pub(super) struct World {
    folder: tempfile::TempDir,
}

/// How the mark is spelled in the texts below, so that nobody who merely searches for it takes them for tags of ours.
const MARK: &str = "@TAG";

impl World {
    fn new() -> Self {
        let folder =
            tempfile::Builder::new().prefix("trace ").tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let world = Self { folder };
        fs::create_dir_all(world.path(".git/objects")).unwrap();
        fs::create_dir_all(world.path(".git/refs")).unwrap();
        fs::write(world.path(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("home/shop of mine").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        self.write_bytes(path, text.replace(MARK, hostler_trace::tag::MARK).as_bytes());
    }

    fn write_bytes(&self, path: &str, bytes: &[u8]) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), bytes).unwrap();
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("home/.local/state/hostler")
    }

    fn run_in(&self, folder: &Path, arguments: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_hostler"))
            .args(arguments)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.folder.path().join("home"))
            .current_dir(folder)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        self.run_in(&self.path(""), &[&["trace"], arguments].concat())
    }

    #[track_caller]
    fn ok(&self, arguments: &[&str]) -> String {
        let (code, stdout, stderr) = self.run(arguments);
        assert_eq!(code, 0, "{stdout}{stderr}");
        stdout
    }

    #[track_caller]
    fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[arguments, &["--json"]].concat())).unwrap()
    }

    /// Ends with this exit code and says all of these.
    #[track_caller]
    fn says(&self, arguments: &[&str], code: i32, wanted: &[&str]) -> String {
        let (got, stdout, stderr) = self.run(arguments);
        let all = format!("{stdout}{stderr}");
        assert_eq!(got, code, "{arguments:?}: {all}");
        for wanted in wanted {
            assert!(all.contains(wanted), "{arguments:?} does not say `{wanted}`:\n{all}");
        }
        all
    }
}

/// A project in four languages: seven requirements, some of them cited by source and by tests.
fn shop() -> World {
    let world = World::new();
    world.write(
        "specs/010-cart/spec.md",
        "# Cart\n\n- [x] **FR-001**: Items are added\n- [x] **FR-002**: Items are removed\n- [ ] **FR-003**: The sum is shown\n\
         - [x] **FR-004**: Nothing is lost\n",
    );
    world.write("requirements.csv", "id,text,status\nREQ-020-001,Pays by card,done\nREQ-020-002,Pays by cash,open\nREQ-020-003,\"Pays, later\",open\n");
    world.write(
        "src/cart.rs",
        "/// Adds.\n/// @TAG FR-001, FR-002\npub fn add() {}\n\nconst TEXT: &str = \"// @TAG FR-003\";\n",
    );
    world.write("src/pay.py", "from rtm import traces\n\n@TAG(spec=\"020\", story=\"US-1\", reqs=[\"REQ-020-001..002\"])\nclass Card:\n    pass\n");
    world.write("tests/test_pay.py", "class TestCard:\n    @TAG(\n        reqs=[\"REQ-020-001\"],\n    )\n    async def test_pays(self):\n        pass\n");
    world.write(
        "web/cart.spec.ts",
        "describe(\"cart\", () => {\n  // @TAG FR-001 FR-003\n  it(\"adds\", () => {})\n})\n",
    );
    world.write("schema.sql", "-- @TAG FR-004 FR-999\nCREATE TABLE cart (id int);\n");
    world
}

// @traces REQ-020-211 REQ-020-214
#[test]
fn the_matrix_maps_requirements_to_functions_and_classes() {
    let world = shop();
    world.write(
        "trace.toml",
        "[[requirements]]\npath = \"specs/*/spec.md\"\n[[requirements]]\npath = \"requirements.csv\"\n",
    );
    let text = world.ok(&["matrix"]);
    for line in [
        "| FR-001 | yes | Items are added | tested | `src/cart.rs#add` | `web/cart.spec.ts#cart.adds` |",
        "| FR-002 | yes | Items are removed | traced | `src/cart.rs#add` |  |",
        "| FR-003 | no | The sum is shown | tested |  | `web/cart.spec.ts#cart.adds` |",
        "| FR-004 | yes | Nothing is lost | traced | `schema.sql#cart` |  |",
        "| REQ-020-001 | yes | Pays by card | tested | `src/pay.py#Card` | `tests/test_pay.py#TestCard.test_pays` |",
        "| REQ-020-002 | no | Pays by cash | traced | `src/pay.py#Card` |  |",
        "| REQ-020-003 | no | Pays, later | untraced |  |  |",
        "| unknown-id | `schema.sql` | `FR-999` is no known requirement |",
        "| `src` | 2 | 4 | 0 |",
    ] {
        assert!(text.lines().any(|it| it == line), "no line {line:?} in\n{text}");
    }
    let card = world.json(&["show", "REQ-020-001"]);
    assert_eq!(card[0]["links"][0]["kind"], "class");
    assert_eq!(card[0]["links"][0]["story"], "US-1");
    assert_eq!(
        (&card[0]["links"][1]["kind"], &card[0]["links"][1]["test"]),
        (&"function".into(), &true.into())
    );
    world.says(
        &["show", "FR-001"],
        0,
        &[
            "source         src/cart.rs:2  function add",
            "test           web/cart.spec.ts:2  function cart.adds",
        ],
    );
    world.says(
        &["show", "REQ-20-1"],
        3,
        &["there is no requirement `REQ-20-1`; did you mean `REQ-020-001`?"],
    );
}

#[test]
fn sources_in_usual_places_are_found_without_a_word() {
    let world = shop();
    let document = world.json(&[]);
    assert_eq!(document["totals"]["requirements"], 7);
    let names: Vec<&str> = document["specifications"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["specification"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["REQ-020", "010-cart"]);
    world.says(
        &[],
        0,
        &["6 of 7 requirements traced (85.7 %), 3 tested, 1 unknown id", "unknown-id      schema.sql:1"],
    );
    // From a folder below, and with a source of its own.
    let below = world.path("src");
    let (code, stdout, _) = world.run_in(&below, &["trace", "--requirements", "../requirements.csv"]);
    assert!(code == 0 && stdout.starts_with("2 of 3 requirements traced"), "{stdout}");
    // A part of the project with settings of its own is a project of its own.
    world.write("part/trace.toml", "[[requirements]]\npath = \"../requirements.csv\"\n");
    world.write("part/deep/a.rs", "// @TAG REQ-020-003\nfn f() {}\n");
    let (code, stdout, _) = world.run_in(&world.path("part/deep"), &["trace"]);
    assert!(code == 0 && stdout.starts_with("1 of 3 requirements traced"), "{stdout}");
    let empty = World::new();
    empty.says(&[], 4, &["no requirements were found in", "`--requirements FILE`"]);
}

#[test]
fn the_page_is_written_into_the_project_and_checked() {
    let world = shop();
    world.says(
        &["matrix", "--check"],
        1,
        &["`plans/rtm.md` is not current; run `hostler trace matrix --write`"],
    );
    world.says(&["matrix", "--write"], 0, &["wrote `plans/rtm.md`: 6 of 7 requirements traced"]);
    let first = fs::read_to_string(world.path("plans/rtm.md")).unwrap();
    assert_eq!(first, world.ok(&["matrix"]));
    world.says(&["matrix", "--check"], 0, &["is current"]);
    // It does not hang on lines.
    let source = fs::read_to_string(world.path("src/cart.rs")).unwrap();
    fs::write(world.path("src/cart.rs"), format!("// moved\n\n{source}")).unwrap();
    world.says(&["matrix", "--check"], 0, &["is current"]);
    fs::remove_file(world.path("web/cart.spec.ts")).unwrap();
    world.says(&["matrix", "--check"], 1, &["is not current"]);
    // Somebody else's page is left alone.
    world.write("plans/rtm.md", "# Mine\n");
    world.says(&["matrix", "--write"], 4, &["was not made by hostler"]);
    assert_eq!(fs::read_to_string(world.path("plans/rtm.md")).unwrap(), "# Mine\n");
    world.write("trace.toml", "[matrix]\npath = \"docs/rtm.md\"\ntexts = false\ntitle = \"Cart\"\n");
    world.says(&["matrix", "--write"], 0, &["wrote `docs/rtm.md`"]);
    let page = fs::read_to_string(world.path("docs/rtm.md")).unwrap();
    assert!(page.starts_with("# Cart\n") && !page.contains("Pays by card"), "{page}");
}

#[test]
fn settings_and_links_cannot_lead_the_page_out_of_the_project() {
    let world = shop();
    let outside = world.folder.path().join("home/.bash_profile");
    let set = |path: &str| {
        let title = "x\\necho mine >> ~/owned\\n<script>";
        world.write("trace.toml", &format!("[matrix]\npath = \"{path}\"\ntitle = \"{title}\"\n"));
    };
    for (path, said) in [
        (outside.to_str().unwrap(), "leads out of the project"),
        ("../.bash_profile", "leads out of the project"),
        ("../../notes.md", "leads out of the project"),
        (".envrc", "is no Markdown"),
        (".git/hooks/a.md", "into a git folder"),
    ] {
        set(path);
        for way in ["--write", "--check"] {
            world.says(&["matrix", way], 4, &[said, "`matrix.path`"]);
        }
    }
    #[cfg(unix)]
    {
        fs::create_dir_all(world.path("docs")).unwrap();
        std::os::unix::fs::symlink(&outside, world.path("docs/rtm.md")).unwrap();
        std::os::unix::fs::symlink("../..", world.path("plans")).unwrap();
        std::os::unix::fs::symlink("../.bash_profile", world.path("trace.lock")).unwrap();
        for path in ["docs/rtm.md", "plans/rtm.md"] {
            set(path);
            world.says(&["matrix", "--write"], 4, &["leads out of the project"]);
        }
        world.says(&["review", "--all"], 4, &["trace.lock` leads out of the project"]);
        fs::remove_file(world.path("plans")).unwrap();
        fs::remove_file(world.path("trace.lock")).unwrap();
    }
    assert!(!outside.exists() && !world.folder.path().join("home/rtm.md").exists());
    set("plans/rtm.md");
    world.says(&["matrix", "--write"], 0, &["wrote `plans/rtm.md`"]);
    let page = fs::read_to_string(world.path("plans/rtm.md")).unwrap();
    assert!(page.starts_with("# x echo mine >> ~/owned &lt;script>\n\n"), "{page}");
}

#[test]
fn a_gate_starts_as_a_report_and_then_holds() {
    let world = shop();
    // Without a condition: nothing may be plainly wrong, and an unknown id is.
    world.says(
        &["check"],
        1,
        &["unknown-id      schema.sql:1  `FR-999` is no known requirement", "the check does not hold"],
    );
    world.says(&["check", "--report-only"], 0, &["does not hold (report only)"]);
    world.says(&["check", "--no-unknown"], 1, &["FR-999"]);
    world.says(&["check", "--min", "85.7"], 0, &["the check holds"]);
    world.says(&["check", "--min", "85.8"], 1, &["85.7 % traced of 7, at least 85.8 % are asked for"]);
    world.says(&["check", "--min-tested", "43"], 1, &["42.8 % tested of 7"]);
    world.says(&["check", "--min-passing", "1"], 1, &["0.0 % passing of 7"]);
    world.says(&["check", "--no-failing", "--no-suspect", "--no-lost"], 0, &["the check holds"]);
    world.says(&["check", "--min", "many"], 3, &["`many` is no number"]);
    world.write(
        "trace.toml",
        "[check]\nmin = 80\nnone = [\"done-untraced\", \"unknown-id\"]\nreport_only = true\n",
    );
    world.says(&["check"], 0, &["does not hold (report only)"]);
    world.write("trace.toml", "[check]\nmin = 80\nnone = [\"done-untraced\", \"unknown-id\"]\n");
    world.says(&["check"], 1, &["FR-999"]);
    world.write("schema.sql", "-- @TAG FR-004\nCREATE TABLE cart (id int);\n");
    world.says(&["check"], 0, &["the check holds"]);
    world.write("schema.sql", "CREATE TABLE cart (id int);\n");
    world.says(
        &["check"],
        1,
        &["done-untraced   specs/010-cart/spec.md:6  `FR-004` is ticked as done and nothing cites it"],
    );
    let (code, stdout, _) = world.run(&["check", "--json"]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(
        (code, &document["holds"], document["findings"].as_array().unwrap().len()),
        (1, &false.into(), 1)
    );
    world.write("trace.toml", "[chek]\nmin = 80\n");
    world.says(&["check"], 4, &["`trace.toml` line 1: unknown field `chek`"]);
}

#[test]
fn results_make_requirements_pass_or_fail() {
    let world = shop();
    world.write(
        "out/junit.xml",
        "<testsuites><testsuite name=\"pytest\"><testcase classname=\"tests.test_pay.TestCard\" name=\"test_pays\"/></testsuite></testsuites>",
    );
    world.write(
        "out/web/junit.xml",
        "<testsuites><testsuite name=\"cart\"><testcase classname=\"cart adds\" name=\"cart adds\"><failure>no</failure></testcase></testsuite></testsuites>",
    );
    let states = |arguments: &[&str]| -> Vec<String> {
        let document = world.json(arguments);
        document["requirements"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["state"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        states(&["--results", "out/junit.xml"]),
        ["passing", "traced", "untraced", "tested", "traced", "tested", "traced"]
    );
    assert_eq!(
        states(&["--results", "out"]),
        ["passing", "traced", "untraced", "failing", "traced", "failing", "traced"]
    );
    world.says(&["check", "--results", "out", "--no-failing"], 1, &[
        "traced-failing  web/cart.spec.ts:2  `FR-001` is cited by `web/cart.spec.ts#cart.adds`, which failed",
    ]);
    world.write("trace.toml", "results = [\"out/**/*.xml\"]\n");
    world.says(&[], 0, &["1 passing, 2 failing"]);
    world.says(&["--results", "none.xml"], 4, &["there is no `none.xml`"]);
    world.write("bad.xml", "<testsuite><testcase>");
    world.says(&["--results", "bad.xml"], 4, &["`bad.xml` is no JUnit XML"]);
}

#[test]
fn a_removed_test_a_changed_text_and_an_unknown_id_are_each_reported() {
    let world = shop();
    world.write("schema.sql", "-- @TAG FR-004\nCREATE TABLE cart (id int);\n");
    let gate = ["check", "--no-unknown", "--no-suspect", "--no-lost"];
    world.says(&["review"], 0, &["FR-001  it was never reviewed: Items are added", "src/cart.rs:2"]);
    world.says(&["review", "--all", "--dry-run"], 0, &["would be reviewed: 6 requirements"]);
    assert!(!world.path("trace.lock").exists());
    world.says(&["review", "--all"], 0, &["reviewed: 6 requirements"]);
    world.says(&["review"], 0, &["everything that is cited was reviewed"]);
    world.says(&gate, 0, &["the check holds"]);
    let lock = fs::read_to_string(world.path("trace.lock")).unwrap();
    assert!(lock.contains("\nversion = 1\n") && lock.contains("\n\"010-cart/FR-002\" = { text = "), "{lock}");

    let test = fs::read_to_string(world.path("tests/test_pay.py")).unwrap();
    fs::remove_file(world.path("tests/test_pay.py")).unwrap();
    world.says(&gate, 1, &[
        "lost-link       requirements.csv:2  `REQ-020-001` was cited by `tests/test_pay.py#TestCard.test_pays` when it was reviewed and no longer is",
    ]);
    fs::write(world.path("tests/test_pay.py"), test).unwrap();
    world.says(&gate, 0, &["the check holds"]);

    let spec = fs::read_to_string(world.path("specs/010-cart/spec.md")).unwrap();
    // A box that is ticked and a line that is broken elsewhere are no change of the text.
    world.write(
        "specs/010-cart/spec.md",
        &spec.replace("[x] **FR-002**: Items are removed", "[ ] **FR-002**: Items\n  are removed"),
    );
    world.says(&gate, 0, &["the check holds"]);
    world.write("specs/010-cart/spec.md", &spec.replace("Items are removed", "Items are removed at once"));
    world.says(&gate, 1, &["suspect-link    specs/010-cart/spec.md:4  the text of `FR-002` changed since what cites it was reviewed: `src/cart.rs#add`"]);
    world.says(&["review"], 0, &["FR-002  its text changed: Items are removed at once"]);
    assert_eq!(world.json(&["show", "FR-002"])[0]["review"], "suspect");
    world.says(&["review", "FR-002"], 0, &["reviewed: FR-002"]);
    world.says(&gate, 0, &["the check holds"]);

    world.write("src/new.rs", "// @TAG FR-1000\nfn f() {}\n");
    world.says(&gate, 1, &["unknown-id      src/new.rs:1  `FR-1000` is no known requirement"]);
    world.says(&["review", "FR-1000"], 3, &["there is no requirement `FR-1000`"]);
    // A merge that was not finished is told, not taken for an empty lock.
    fs::write(world.path("trace.lock"), format!("{lock}<<<<<<< HEAD\n")).unwrap();
    world.says(&gate, 4, &["`trace.lock` line", "cannot be read"]);
}

#[test]
fn what_git_ignores_is_not_searched_and_odd_files_do_no_harm() {
    let world = shop();
    world.write(".gitignore", "build/\n*.gen.rs\n");
    for path in ["build/a.rs", "src/a.gen.rs", "node_modules/x/a.js", "sub/.git/a.rs"] {
        world.write(path, "// @TAG FR-777\nfn f() {}\n");
    }
    world.write(".github/a.yml", "# @TAG FR-004\njobs: x\n");
    let tag = "// @TAG FR-002\n".replace(MARK, hostler_trace::tag::MARK);
    world.write_bytes("src/latin1.rs", &[&b"// \xe4\xf6\xfc\n"[..], tag.as_bytes(), b"fn g() {}\n"].concat());
    let wide: Vec<u8> =
        std::iter::once(0xfeff).chain(tag.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    world.write_bytes("src/wide.cs", &wide);
    world.write_bytes("src/image.rs", &[&[0_u8; 20][..], b"// FR-778", tag.as_bytes()].concat());
    world.write_bytes(
        "src/large.rs",
        &[tag.replace("002", "779").as_bytes(), &vec![b' '; 3 << 20][..]].concat(),
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(world.path("src/cart.rs"), world.path("src/link.rs")).unwrap();
        std::os::unix::fs::symlink(world.path("src"), world.path("src/loop")).unwrap();
        assert!(Command::new("mkfifo").arg(world.path("src/pipe.rs")).status().unwrap().success());
    }
    let document = world.json(&[]);
    let links = |id: &str| -> Vec<String> {
        let row = document["requirements"].as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
        row["links"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(links("FR-002"), ["src/cart.rs", "src/latin1.rs", "src/wide.cs"]);
    assert_eq!(links("FR-004"), [".github/a.yml", "schema.sql"]);
    let unknown: Vec<&str> =
        document["findings"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
    assert_eq!(unknown, ["FR-999"]);
    assert_eq!((&document["read"]["binary"], &document["read"]["large"]), (&1.into(), &1.into()));
    world.write("trace.toml", "[sources]\nexclude = [\"src/\", \"*.yml\"]\ntests = [\"schema.sql\"]\n");
    let document = world.json(&["show", "FR-004"]);
    assert_eq!(document[0]["state"], "tested");
    assert_eq!(document[0]["links"].as_array().unwrap().len(), 1);
}

/// How many files were read anew.
#[track_caller]
fn read_anew(world: &World) -> i64 {
    let read = world.json(&[])["read"].clone();
    read["files"].as_i64().unwrap() + read["binary"].as_i64().unwrap() - read["known"].as_i64().unwrap()
}

#[test]
fn only_what_changed_is_read_again_and_a_damaged_cache_is_made_anew() {
    let world = shop();
    // Files that changed within the last two seconds are read again: their times could not tell the next change.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let age = |path: &str| {
        fs::File::options().append(true).open(world.path(path)).unwrap().set_modified(old).unwrap();
    };
    let sources = [
        "specs/010-cart/spec.md",
        "requirements.csv",
        "src/cart.rs",
        "src/pay.py",
        "tests/test_pay.py",
        "web/cart.spec.ts",
        "schema.sql",
    ];
    sources.into_iter().for_each(age);
    let whole = world.ok(&["matrix", "--no-cache"]);
    assert!(!world.state().join("projects").exists(), "something was remembered");
    assert_eq!(world.ok(&["matrix"]), whole);
    // The time of the last change of what is known of a file cannot be set back: wait until it is old enough.
    let start = std::time::Instant::now();
    while read_anew(&world) != 0 {
        assert!(start.elapsed().as_secs() < 20, "files are never known");
    }
    assert_eq!(world.ok(&["matrix"]), whole);
    let caches: Vec<PathBuf> = walk(&world.state())
        .into_iter()
        .filter(|it| it.extension().is_some_and(|it| it == "cache"))
        .collect();
    assert_eq!(caches.len(), 1);
    // Nothing of it is in the project.
    assert!(walk(&world.path("")).iter().all(|it| it.extension().is_none_or(|it| it != "cache")));
    // The same size and time, other content: the inode or the time of the change tells.
    let text = fs::read_to_string(world.path("src/cart.rs")).unwrap();
    fs::write(world.path("src/cart.rs"), text.replace("FR-001, FR-002", "FR-001, FR-003")).unwrap();
    age("src/cart.rs");
    assert_eq!(world.json(&["show", "FR-002"])[0]["state"], "untraced");
    fs::write(world.path("src/cart.rs"), text).unwrap();
    assert_eq!(world.ok(&["matrix"]), whole);
    for damage in [&b""[..], b"hostler-trace 1\nnonsense", &[0xff; 40]] {
        fs::write(&caches[0], damage).unwrap();
        assert_eq!(world.ok(&["matrix"]), whole);
    }
    // Other settings are another reading.
    world.write("trace.toml", "ids = [\"REQ-[0-9]+-[0-9]+\"]\n");
    assert_eq!(world.json(&[])["totals"]["requirements"], 3);
    // A place where nothing can be kept is told, and no more.
    fs::remove_file(world.path("trace.toml")).unwrap();
    fs::remove_dir_all(world.state()).unwrap();
    fs::create_dir_all(world.state().parent().unwrap()).unwrap();
    fs::write(world.state(), "").unwrap();
    world.says(&[], 0, &["6 of 7 requirements traced", "note: what was read is not remembered"]);
}

/// Every file below `folder`.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .flatten()
        .flat_map(|it| if it.path().is_dir() { walk(&it.path()) } else { vec![it.path()] })
        .collect()
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let world = World::new();
    world.write("r.yaml", "a: [1\nb: }");
    world.says(&["--requirements", "r.yaml"], 4, &["`r.yaml` line 2: "]);
    world.says(
        &["--requirements", "none.tsv"],
        4,
        &["there is no `none.tsv`; it is named as a source of requirements"],
    );
    world.write("plain.md", "# Nothing\n\n- here\n");
    world.says(
        &["--requirements", "plain.md"],
        4,
        &["nothing in `plain.md` looks like an id of a requirement"],
    );
    world.write("trace.toml", "[[requirements]]\npath = \"specs/*.md\"\n");
    world.says(&[], 4, &["no source of requirements was found"]);
    let (_, stdout, _) = world.run(&["--json"]);
    let document: Value = serde_json::from_str(&stdout).unwrap();
    assert!(document["error"].as_str().unwrap().contains("no source of requirements"), "{stdout}");
}
