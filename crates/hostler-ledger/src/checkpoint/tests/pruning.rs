use super::super::Keep;
use super::*;

fn aged(lab: &mut Lab, ages_in_days: &[i64]) {
    for age in ages_in_days {
        lab.time_ms = NOW_MS - age * DAY_MS;
        let path = lab.write("file.bin", vec![b'x'; 1000]);
        lab.create_at(&[path], None).unwrap();
    }
}

#[track_caller]
fn check(lab: &Lab, keep: Keep, expected: &[&str]) {
    let foreseen = lab.vault(|vault| vault.prune(&keep, NOW_MS, true)).unwrap();
    let count = lab.list().checkpoints.len();
    let pruned = lab.vault(|vault| vault.prune(&keep, NOW_MS, false)).unwrap();
    assert_eq!(pruned, foreseen);
    let removed: Vec<String> = expected.iter().map(|it| format!("361ac4e6/{it}")).collect();
    assert_eq!(pruned.removed, removed);
    let left = lab.list().checkpoints;
    assert_eq!((left.len(), pruned.kept), (count - removed.len(), count - removed.len()));
    assert!(left.iter().all(|it| !removed.contains(&it.id)));
}

#[test]
fn old_ones_go() {
    for mut lab in [Lab::git(), Lab::plain()] {
        aged(&mut lab, &[20, 15, 14, 1]);
        check(&lab, Keep::default(), &["1", "2"]);
        check(&lab, Keep::default(), &[]);
    }
}

#[test]
fn the_oldest_go_when_it_is_too_much() {
    for mut lab in [Lab::git(), Lab::plain()] {
        aged(&mut lab, &[3, 2, 1]);
        check(&lab, Keep { bytes_max: 2500, ..Keep::default() }, &["1"]);
    }
}

#[test]
fn only_checkpoints_go() {
    let mut lab = Lab::git();
    aged(&mut lab, &[30]);
    lab.run(&["update-ref", "refs/hostler/other", "HEAD"]);
    lab.run(&["update-ref", "refs/hostler/checkpoints/foreign/1", "HEAD"]);
    lab.run(&["pack-refs", "--all"]);
    let all = lab.run(&["for-each-ref"]);
    let user: String = all.split_inclusive('\n').filter(|line| !line.contains("361ac4e6")).collect();
    check(&lab, Keep::default(), &["1"]);
    assert_eq!(lab.run(&["for-each-ref"]), user);
    lab.run(&["fsck", "--strict", "--no-dangling"]);
}

/// What an interrupted run left goes after a day; a session's counter stays while the session may run.
#[test]
fn leftovers_go() {
    let mut lab = Lab::plain();
    aged(&mut lab, &[30]);
    let session = lab.state().join("checkpoints").join(SESSION);
    let age = |path: &Path| {
        let time = std::time::SystemTime::now() - Duration::from_secs(2 * 24 * 60 * 60);
        std::fs::File::open(path).unwrap().set_modified(time).unwrap();
    };
    for name in [".unfinished-old", ".unfinished-new"] {
        std::fs::create_dir(session.join(name)).unwrap();
        std::fs::write(session.join(name).join("0"), "half a copy").unwrap();
    }
    age(&session.join(".unfinished-old"));
    check(&lab, Keep::default(), &["1"]);
    assert!(!session.join(".unfinished-old").exists() && session.join(".unfinished-new").exists());
    assert!(session.join("sequence.json").exists());
    age(&session.join(".unfinished-new"));
    age(&session.join("sequence.json"));
    check(&lab, Keep::default(), &[]);
    assert!(!session.exists());
}
