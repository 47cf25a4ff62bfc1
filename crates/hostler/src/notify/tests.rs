use std::path::PathBuf;

use super::bus::Transport;
use super::*;

#[track_caller]
fn check(address: &str, expected: Option<&Transport>) {
    assert_eq!(Transport::of(address).as_ref(), expected, "{address}");
}

#[test]
fn addresses_are_read() {
    let path = |path: &str| Transport::Path(PathBuf::from(path));
    check("unix:path=/run/user/1000/bus", Some(&path("/run/user/1000/bus")));
    check("unix:path=/run/user/1000/bus,guid=0123456789abcdef", Some(&path("/run/user/1000/bus")));
    check("unix:guid=01,path=/tmp/with%20space%2Fbus", Some(&path("/tmp/with space/bus")));
    check("unix:path=/tmp/100%", Some(&path("/tmp/100%")));
    check("unix:abstract=/tmp/dbus-x,guid=01", Some(&Transport::Abstract(b"/tmp/dbus-x".to_vec())));
    for address in ["tcp:host=localhost,port=1", "unix:dir=/tmp", "unix:", "", "autolaunch:", "launchd:env=X"]
    {
        check(address, None);
    }
}

#[test]
fn a_notice_is_what_the_specification_says() {
    let notice = Notice { title: "T", text: "x", urgency: Urgency::Critical };
    let mut expected: Vec<u8> = Vec::new();
    expected.extend(b"\x07\0\0\0hostler\0");
    expected.extend(b"\0\0\0\0");
    expected.extend(b"\0\0\0\0\0\0\0\0");
    expected.extend(b"\x01\0\0\0T\0\0\0");
    expected.extend(b"\x01\0\0\0x\0\0\0");
    expected.extend(b"\0\0\0\0");
    // The hints: their length, no padding here, `urgency`, a variant that holds the byte 2.
    expected.extend(b"\x10\0\0\0");
    expected.extend(b"\x07\0\0\0urgency\0\x01y\0\x02");
    expected.extend(b"\xff\xff\xff\xff");
    let bytes = body(&notice, "x").bytes().to_vec();
    assert_eq!(bytes, expected, "{bytes:?}");
}

#[test]
fn long_and_odd_texts_are_cut_and_marked() {
    assert_eq!(shortened("a\0b", 10), "ab");
    assert_eq!(shortened("äöüß", 2), "äö…");
    assert_eq!(escaped("a < b && c > d"), "a &lt; b &amp;&amp; c &gt; d");
}
