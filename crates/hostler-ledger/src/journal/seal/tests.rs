#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;

use ed25519_dalek::{Signature, VerifyingKey};
use tempfile::TempDir;

use super::*;
use crate::journal::{self, Report, append, line, read, session_files, verify, verify_all};

const NOW: i64 = 1_796_025_600_000;
const MINUTE_MS: i64 = 60_000;

fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

/// A project's state folder with a key, in a folder of its own.
struct World {
    folder: TempDir,
    session: SessionId,
}

impl World {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            session: session("361ac4e6-64de-464e-9d97-09bfa437d8e9"),
        }
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("projects/shop-0a1b2c3d4e5f")
    }

    fn keys(&self) -> Keys {
        Keys::new(self.folder.path().join("signing"))
    }

    fn append(&self, session: &SessionId, count: u64, time_ms: i64) {
        for _ in 0..count {
            let mut entry = Entry { kind: "result", time_ms, ..Entry::default() };
            entry.attributes.insert("target".to_owned(), "echo".into());
            append(&self.state(), session, &entry).unwrap();
        }
    }

    fn close(&self) -> Closed {
        close(&self.state(), &self.session, NOW, Some(&self.keys())).unwrap().unwrap()
    }

    fn live(&self) -> PathBuf {
        journal::path(&self.state(), &self.session)
    }

    /// Every file in order, each of them in order, and all records there once.
    #[track_caller]
    fn intact(&self, records: u64) -> Vec<Report> {
        let files = session_files(&self.state(), &self.session).unwrap();
        let reports = verify_all(&files);
        for report in &reports {
            assert_eq!(report.bad, None, "{report:?}");
        }
        let numbers: Vec<u64> =
            files.iter().flat_map(|path| read(path).unwrap()).map(|record| record.sequence).collect();
        assert_eq!(numbers, (1..=records).collect::<Vec<_>>());
        reports
    }
}

/// Changes one line of a file and gives it a hash that fits.
fn edit(path: &Path, sequence: u64, change: impl Fn(&str) -> String) {
    let text = fs::read_to_string(path).unwrap();
    let rehashed = |text: String| {
        let (body, _) = line::split(text.as_bytes()).unwrap();
        format!("{},\"hash\":\"{}\"}}", std::str::from_utf8(body).unwrap(), line::hash_of(body))
    };
    let lines = text.lines().map(|line| {
        let wanted = line.contains(&format!("\"seq\":{sequence},"));
        if wanted { rehashed(change(line)) } else { line.to_owned() }
    });
    let edited = lines.collect::<Vec<_>>().join("\n") + "\n";
    assert_ne!(edited, text, "nothing was edited");
    fs::write(path, edited).unwrap();
}

// @traces REQ-020-204 REQ-020-205 REQ-020-206
#[test]
fn an_active_session_lies_in_sessions_and_an_ended_one_in_the_archive_of_its_day() {
    let world = World::new();
    world.append(&world.session, 3, NOW);
    assert_eq!(world.live(), world.state().join(format!("sessions/{}.jsonl", world.session)));
    assert!(world.live().is_file());
    let closed = world.close();
    let name = format!("archive/2026-11-30/{}_{}.jsonl", world.session, NOW / 1000);
    assert_eq!(closed.path, world.state().join(name));
    assert_eq!((closed.sequence, closed.unsigned), (4, None));
    assert_eq!(close(&world.state(), &world.session, NOW, None).unwrap(), None, "nothing is left to close");
    world.intact(4);
}

// @traces REQ-020-207 REQ-020-208
#[test]
fn a_journal_is_moved_and_never_copied_written_over_or_deleted() {
    use std::os::unix::fs::MetadataExt;
    let world = World::new();
    let mut earlier: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    for round in 0..5 {
        world.append(&world.session, 1, NOW);
        let inode = fs::metadata(world.live()).unwrap().ino();
        // All in the same second, so that the names collide.
        let closed = world.close();
        assert_eq!(fs::metadata(&closed.path).unwrap().ino(), inode, "the same file under another name");
        assert!(!world.live().exists());
        for (path, bytes) in &earlier {
            assert_eq!(&fs::read(path).unwrap(), bytes, "round {round}");
        }
        earlier.push((closed.path.clone(), fs::read(&closed.path).unwrap()));
    }
    let last = earlier.last().unwrap().0.file_name().unwrap().to_str().unwrap().to_owned();
    assert!(last.ends_with("_5.jsonl"), "{last}");
    world.intact(10);
}

#[test]
fn a_seal_is_signed_by_the_users_key_over_a_text_that_anybody_can_put_together() {
    let world = World::new();
    world.append(&world.session, 3, NOW);
    let closed = world.close();
    let record = read(&closed.path).unwrap().last().unwrap();
    let text = format!(
        "hostler seal 1\nproject shop-0a1b2c3d4e5f\nsession {}\ncount 3\nroot {}\ntime_ms {NOW}\n",
        world.session, record.prev
    );
    assert_eq!(record.attributes["seal.count"], 3);
    assert_eq!(record.text("seal.root"), Some(record.prev.as_str()));
    let bytes = |text: &str| -> Vec<u8> {
        (0..text.len() / 2).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap()).collect()
    };
    let key = bytes(record.text("seal.key").unwrap());
    let signature = bytes(record.text("seal.signature").unwrap());
    let key = VerifyingKey::from_bytes(&key.try_into().unwrap()).unwrap();
    let signature = Signature::from_bytes(&signature.try_into().unwrap());
    key.verify_strict(text.as_bytes(), &signature).unwrap();
    let signed = verify(&closed.path).unwrap().signature.unwrap();
    assert_eq!((signed.key, signed.path), (world.keys().public().unwrap().unwrap(), closed.path));
}

#[test]
fn a_signature_that_does_not_fit_breaks_the_journal_at_its_seal() {
    let check = |change: &dyn Fn(&str) -> String, part: &str| {
        let world = World::new();
        world.append(&world.session, 3, NOW);
        let path = world.close().path;
        // Anywhere else than in the archive no note beside it knows the hash of the seal.
        let copy = world.folder.path().join("copy.jsonl");
        fs::copy(&path, &copy).unwrap();
        assert!(verify(&copy).unwrap().signature.is_some());
        edit(&copy, 4, change);
        let bad = verify(&copy).unwrap().bad.unwrap();
        assert_eq!(bad.sequence, 4);
        assert!(bad.problem.contains(part), "{part:?} in {}", bad.problem);
    };
    let swap = |member: &'static str| {
        move |line: &str| {
            let at = line.find(member).unwrap() + member.len();
            let digit = if &line[at..=at] == "0" { "1" } else { "0" };
            format!("{}{digit}{}", &line[..at], &line[at + 1..])
        }
    };
    let broken = "the signature of the seal is not one by";
    check(&swap("\"seal.signature\":\""), broken);
    check(&|line| line.replace("shop-0a1b2c3d4e5f", "shop-0a1b2c3d4e50"), broken);
    check(&|line| line.replace("\"time_ms\":1796025600000", "\"time_ms\":1796025600001"), broken);
    check(&|line| line.replace("\"seal.count\":3", "\"seal.count\":4"), "does not state the number");
    check(&swap("\"seal.root\":\""), "does not state the number");
    let without = |name: &'static str| {
        move |line: &str| {
            let start = line.find(name).unwrap();
            let end = start + line[start..].find(',').unwrap() + 1;
            format!("{}{}", &line[..start], &line[end..])
        }
    };
    check(&without("\"seal.signature\""), "a key without a signature");
    check(&without("\"seal.key\""), "a key without a signature");
}

/// Whoever writes everything anew without the key has to sign with another one, or not at all.
#[test]
fn another_key_is_told_from_the_users() {
    let world = World::new();
    world.append(&world.session, 3, NOW);
    let other = Keys::new(world.folder.path().join("other"));
    let closed = close(&world.state(), &world.session, NOW, Some(&other)).unwrap().unwrap();
    let signature = verify(&closed.path).unwrap().signature.unwrap();
    assert_eq!(signature.key, other.public().unwrap().unwrap());
    assert_ne!(signature.key, world.keys().open().unwrap().public());
}

#[test]
fn a_session_without_a_usable_key_is_sealed_unsigned_and_says_why() {
    let world = World::new();
    world.keys().open().unwrap();
    fs::remove_file(world.keys().private_path()).unwrap();
    world.append(&world.session, 2, NOW);
    let closed = world.close();
    let reason = closed.unsigned.unwrap();
    assert!(reason.contains("ed25519.key` is gone"), "{reason}");
    let report = verify(&closed.path).unwrap();
    assert!(report.sealed && report.bad.is_none() && report.signature.is_none());
    assert_eq!(report.unsigned, Some(reason));
    world.intact(3);
}

#[test]
fn a_seal_that_could_not_be_signed_is_followed_by_one_that_is() {
    let world = World::new();
    world.append(&world.session, 2, NOW);
    let archive = world.state().join("archive");
    fs::write(&archive, "in the way").unwrap();
    fs::write(world.folder.path().join("signing"), "in the way").unwrap();
    for _ in 0..3 {
        // However often it is tried, one seal is enough.
        close(&world.state(), &world.session, NOW, Some(&world.keys())).unwrap_err();
        let report = verify(&world.live()).unwrap();
        assert!(report.unsigned.is_some() && report.sealed);
        assert_eq!((report.bad, report.records), (None, 3));
    }
    fs::remove_file(world.folder.path().join("signing")).unwrap();
    fs::remove_file(&archive).unwrap();
    assert_eq!(world.close().unsigned, None);
    let reports = world.intact(4);
    assert!(reports[0].signature.is_some());
}

#[test]
fn a_resumed_session_goes_on_in_a_new_file_with_the_chain_kept() {
    let world = World::new();
    for round in 1..=3 {
        world.append(&world.session, 2, NOW);
        world.close();
        assert_eq!(world.intact(3 * round).len() as u64, round);
    }
    world.append(&world.session, 1, NOW);
    let reports = world.intact(10);
    assert!(reports[..3].iter().all(|it| it.signature.is_some()) && reports[3].signature.is_none());
    // Another session whose name begins with this one's is another session.
    let longer = session(&format!("{}_1796025600", world.session));
    world.append(&longer, 1, NOW);
    assert_eq!(session_files(&world.state(), &world.session).unwrap().len(), 4);
    assert_eq!(session_files(&world.state(), &longer).unwrap(), [journal::path(&world.state(), &longer)]);
}

#[test]
fn a_signature_covers_the_files_that_its_own_one_continues() {
    let world = World::new();
    for number in 0..40 {
        let mut entry = Entry { kind: "result", time_ms: NOW, ..Entry::default() };
        entry.attributes.insert("number".to_owned(), number.into());
        journal::append_rotating(&world.state(), &world.session, &entry, 4096).unwrap();
    }
    let files = session_files(&world.state(), &world.session).unwrap();
    assert!(2 < files.len(), "{files:?}");
    assert!(verify_all(&files).iter().all(|it| it.signature.is_none()));
    let last = world.close().path;
    let files = session_files(&world.state(), &world.session).unwrap();
    for report in verify_all(&files) {
        assert_eq!(report.signature.unwrap().path, last, "{:?}", report.path);
    }
    // One that was written anew is not covered any more.
    edit(&files[0], 1, |line| line.replace("\"number\":0", "\"number\":7"));
    let reports = verify_all(&files);
    assert!(reports[0].bad.is_some() && reports[0].signature.is_none());
}

type Crash = fn(&World, &Closed, &Path);

/// The states that a kill leaves between the steps of closing.
#[test]
fn a_crash_between_the_steps_loses_nothing() {
    let head = |world: &World| world.state().join(format!("sessions/{}.head.json", world.session));
    let crashes: [(&str, Crash); 3] = [
        ("after the seal", |world, closed, head| {
            fs::rename(&closed.path, world.live()).unwrap();
            fs::remove_file(head).unwrap();
        }),
        ("after the note", |world, closed, _| fs::rename(&closed.path, world.live()).unwrap()),
        ("after the move", |_, _, _| {}),
    ];
    for (name, crash) in crashes {
        for goes_on in [false, true] {
            let world = World::new();
            world.append(&world.session, 3, NOW);
            let closed = world.close();
            crash(&world, &closed, &head(&world));
            let mut records = 4;
            if goes_on {
                world.append(&world.session, 2, NOW);
                records = 6;
            }
            world.intact(records);
            let again = close(&world.state(), &world.session, NOW, Some(&world.keys())).unwrap();
            let moved = name != "after the move" || goes_on;
            assert_eq!(again.is_some(), moved, "{name}");
            let reports = world.intact(records + u64::from(goes_on));
            assert!(reports.iter().all(|it| it.signature.is_some()), "{name}");
            assert!(!world.live().exists(), "{name}");
        }
    }
}

/// A copy to another file system that was cut short before the original was removed.
#[test]
fn a_copy_that_is_whole_is_not_gone_on_with_twice() {
    let world = World::new();
    world.append(&world.session, 3, NOW);
    let closed = world.close();
    fs::copy(&closed.path, world.live()).unwrap();
    world.append(&world.session, 1, NOW);
    assert_eq!(world.intact(5).len(), 2);
    // One that differs is not trusted, and nothing is removed.
    let second = world.close();
    let mut text = fs::read_to_string(&second.path).unwrap();
    fs::write(world.live(), &text).unwrap();
    text.truncate(text.len() - 200);
    fs::write(&second.path, text).unwrap();
    world.append(&world.session, 1, NOW);
    assert_eq!(verify(&world.live()).unwrap().last_sequence, 7);
}

#[test]
fn a_session_that_went_quiet_is_closed_and_no_other() {
    let world = World::new();
    let (old, young, own) = (session("old"), session("young"), session("own"));
    // The time of a file is that of today.
    let now = modified_now(&world);
    world.append(&old, 2, now - 2 * IDLE_MS);
    world.append(&young, 2, now - IDLE_MS + MINUTE_MS);
    world.append(&own, 2, now - 2 * IDLE_MS);
    for name in [&old, &young, &own] {
        set_modified(&journal::path(&world.state(), name), now - 2 * IDLE_MS);
    }
    let sweep =
        |now_ms| close_all(&world.state(), Some(&own), now_ms, IDLE_MS, None, Some(&world.keys())).unwrap();
    let names = |sweep: &Sweep| sweep.closed.iter().map(|it| it.session.to_string()).collect::<Vec<_>>();
    let first = sweep(now);
    assert!(first.failed.is_empty(), "{:?}", first.failed);
    assert_eq!(names(&first), ["old"]);
    assert_eq!(names(&sweep(now)), [""; 0]);
    assert_eq!(names(&sweep(now + 2 * MINUTE_MS)), ["young"]);
    assert_eq!(live_sessions(&world.state()).unwrap(), [own]);
}

fn modified_now(world: &World) -> i64 {
    let path = world.folder.path().join("now");
    fs::write(&path, "").unwrap();
    modified_ms(&path).unwrap()
}

fn set_modified(path: &Path, time_ms: i64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_millis(u64::try_from(time_ms).unwrap());
    File::options().append(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn a_journal_that_cannot_be_closed_is_told_and_the_others_are() {
    let world = World::new();
    world.append(&session("a"), 1, NOW);
    fs::write(journal::path(&world.state(), &session("b")), vec![b'x'; 5 * 1024 * 1024]).unwrap();
    world.append(&session("c"), 1, NOW);
    fs::write(journal::path(&world.state(), &session("empty")), "").unwrap();
    let sweep = close_all(&world.state(), None, NOW, i64::MIN, None, Some(&world.keys())).unwrap();
    let closed: Vec<String> = sweep.closed.iter().map(|it| it.session.to_string()).collect();
    assert_eq!(closed, ["a", "c"]);
    assert_eq!(sweep.failed.len(), 1);
    assert!(sweep.failed[0].1.to_string().contains("no readable record"), "{:?}", sweep.failed);
    // No time, nothing done.
    world.append(&session("a"), 1, NOW);
    let late = close_all(&world.state(), None, NOW, i64::MIN, Some(Instant::now()), None).unwrap();
    assert!(late.closed.is_empty() && late.failed.is_empty());
    assert!(close_all(&world.state().join("nowhere"), None, NOW, 0, None, None).unwrap().closed.is_empty());
}

#[test]
fn files_of_an_archive_are_for_the_user_alone() {
    let world = World::new();
    world.append(&world.session, 1, NOW);
    let closed = world.close();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let day = closed.path.parent().unwrap();
    assert_eq!((mode(&closed.path), mode(day), mode(day.parent().unwrap())), (0o600, 0o700, 0o700));
}

/// The host gives the end of a session 1.5 s: it costs no more for a long journal than for a short one.
#[test]
fn closing_a_long_journal_costs_no_more() {
    let world = World::new();
    let fastest = |bytes: usize| {
        (0..5)
            .map(|round| {
                let session = session(&format!("s{bytes}-{round}"));
                world.append(&session, 50, NOW);
                let path = journal::path(&world.state(), &session);
                let text = fs::read(&path).unwrap();
                let mut long = text.repeat(bytes / text.len());
                long.extend_from_slice(&text);
                fs::write(&path, long).unwrap();
                File::open(&path).unwrap().sync_all().unwrap();
                let since = Instant::now();
                let closed = close(&world.state(), &session, NOW, Some(&world.keys())).unwrap().unwrap();
                let took = since.elapsed();
                assert_eq!(closed.unsigned, None);
                fs::remove_file(closed.path).unwrap();
                took
            })
            .min()
            .unwrap()
    };
    world.keys().open().unwrap();
    let (short, long) = (fastest(0), fastest(60 * 1024 * 1024));
    let _ = writeln!(std::io::stderr(), "fastest close: {short:?} of a short journal, {long:?} of 60 MB");
    assert!(long < short * 3 + std::time::Duration::from_millis(20), "{short:?} became {long:?}");
}
