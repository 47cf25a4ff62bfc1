//! Any line of a transcript: it is read without a panic, what surrounds it changes nothing, and what is saved from a
//! damaged one belongs to a session.
#![no_main]

use hostler_host::claude::transcript::line;
use hostler_host::transcript::Line;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let read = line(bytes);
    assert_eq!(read, line(&[bytes, b" \r\0\0"].concat()));
    if let Line::Damaged(entries) = &read {
        assert!(entries.iter().all(|entry| entry.meta.session.is_some()), "{entries:?}");
    }
});
