#![expect(clippy::unwrap_used, reason = "tests")]
use super::*;

#[test]
fn placeholder_is_replaced() {
    assert_eq!(read("x = 1\n").unwrap(), []);
}
