//! What changed in a session, without repeating what did not: a work log that grows by a line is not written again with
//! each line.

use serde_json::{Map, Value, json};

/// Members with new values.
const SET: &str = "set";
/// Names of members that are gone.
const UNSET: &str = "unset";
/// Lists that grew: from which place on, and by what.
const GREW: &str = "grew";

/// What makes `new` of `old`.
pub(super) fn between(old: &Value, new: &Value) -> Map<String, Value> {
    let empty = Map::new();
    let (old, new) = (old.as_object().unwrap_or(&empty), new.as_object().unwrap_or(&empty));
    let (mut set, mut grew) = (Map::new(), Map::new());
    for (name, value) in new {
        match (old.get(name), value) {
            (Some(before), _) if before == value => {}
            (Some(Value::Array(before)), Value::Array(now)) if now.starts_with(before) => {
                let at = before.len();
                grew.insert(name.clone(), json!({ "at": at, "by": &now[at..] }));
            }
            _ => {
                set.insert(name.clone(), value.clone());
            }
        }
    }
    let unset: Vec<Value> =
        old.keys().filter(|it| !new.contains_key(*it)).cloned().map(Value::from).collect();
    let mut delta = Map::new();
    for (name, part, is_empty) in [
        (SET, json!(set), set.is_empty()),
        (GREW, json!(grew), grew.is_empty()),
        (UNSET, json!(unset), unset.is_empty()),
    ] {
        if !is_empty {
            delta.insert(name.to_owned(), part);
        }
    }
    delta
}

/// Applies what [`between`] told. A list is cut to where it was, so that a change that was told and never came about
/// leaves nothing behind.
pub(super) fn apply(delta: &Map<String, Value>, members: &mut Map<String, Value>) {
    for name in delta.get(UNSET).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        members.remove(name);
    }
    for (name, value) in delta.get(SET).and_then(Value::as_object).into_iter().flatten() {
        members.insert(name.clone(), value.clone());
    }
    for (name, growth) in delta.get(GREW).and_then(Value::as_object).into_iter().flatten() {
        let at = growth.get("at").and_then(Value::as_u64).and_then(|it| usize::try_from(it).ok());
        let by = growth.get("by").and_then(Value::as_array);
        let list = members.entry(name.clone()).or_insert_with(|| Value::Array(Vec::new()));
        if let (Some(at), Some(by), Value::Array(list)) = (at, by, list) {
            list.truncate(at);
            list.extend(by.iter().cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "tests")]

    use super::*;

    #[track_caller]
    fn check(old: &Value, new: &Value, delta: &Value) {
        let found = between(old, new);
        assert_eq!(json!(found), *delta);
        let mut members = old.as_object().unwrap().clone();
        apply(&found, &mut members);
        assert_eq!(json!(members), *new);
        // Told twice, and the first time in vain.
        apply(&found, &mut members);
        assert_eq!(json!(members), *new);
    }

    #[test]
    fn what_is_told_of_a_change_is_enough_to_make_it() {
        check(&json!({"a": 1}), &json!({"a": 1}), &json!({}));
        check(
            &json!({"a": 1, "b": 2}),
            &json!({"a": 3, "c": 4}),
            &json!({"set": {"a": 3, "c": 4}, "unset": ["b"]}),
        );
        check(
            &json!({"log": ["x", "y"], "other": ["x"]}),
            &json!({"log": ["x", "y", "z"], "other": ["y"]}),
            &json!({"grew": {"log": {"at": 2, "by": ["z"]}}, "set": {"other": ["y"]}}),
        );
        check(&json!({"log": []}), &json!({"log": ["x"]}), &json!({"grew": {"log": {"at": 0, "by": ["x"]}}}));
        check(&json!({"log": "text"}), &json!({"log": ["x"]}), &json!({"set": {"log": ["x"]}}));
    }

    #[test]
    fn a_growth_that_never_came_about_leaves_nothing() {
        let mut members = json!({"log": ["x", "in vain"]}).as_object().unwrap().clone();
        apply(&between(&json!({"log": ["x"]}), &json!({"log": ["x", "y"]})), &mut members);
        assert_eq!(json!(members), json!({"log": ["x", "y"]}));
    }
}
