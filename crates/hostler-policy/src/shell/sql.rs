//! Statements that destroy data, in SQL and in the query languages of document stores.

/// Why `text` destroys data; `None` when it does not. Literals and comments do not count.
pub(super) fn destroys(text: &str) -> Option<String> {
    let plain = without_literals(text);
    for statement in plain.split(';') {
        let words: Vec<String> = statement
            .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.' || c == '"' || c == '`'))
            .filter(|word| !word.is_empty())
            .map(str::to_uppercase)
            .collect();
        let word = |index: usize| words.get(index).map_or("", String::as_str);
        for (index, verb) in words.iter().enumerate() {
            match verb.as_str() {
                "DROP" | ".DROP"
                    if DROPPED.contains(&word(index + 1)) || word(index + 1) == "MATERIALIZED" =>
                {
                    return Some(format!("the SQL drops a {}", word(index + 1).to_lowercase()));
                }
                "TRUNCATE" if index == 0 || word(index + 1) == "TABLE" => {
                    return Some("the SQL empties a table".to_owned());
                }
                "DELETE"
                    if word(index + 1) == "FROM"
                        && !words[index..].iter().any(|it| it == "WHERE" || it == "USING") =>
                {
                    return Some("the SQL deletes every row of a table".to_owned());
                }
                "DELETE" if word(index + 1) == "FROM" && trivially_true(&words[index..]) => {
                    return Some("the SQL deletes every row of a table".to_owned());
                }
                "UPDATE"
                    if index == 0
                        && words.iter().any(|it| it == "SET")
                        && !words.iter().any(|it| it == "WHERE") =>
                {
                    return Some("the SQL changes every row of a table".to_owned());
                }
                "ALTER"
                    if words[index..].windows(2).any(|pair| {
                        pair[0] == "DROP" && matches!(pair[1].as_str(), "COLUMN" | "PARTITION" | "TABLE")
                    }) =>
                {
                    return Some("the SQL drops a column with its data".to_owned());
                }
                "FLUSHALL" | "FLUSHDB" => return Some("it empties the store".to_owned()),
                _ => {}
            }
        }
    }
    let squeezed: String = plain.to_lowercase().split_whitespace().collect();
    for (mark, why) in [
        ("dropdatabase(", "it drops the database"),
        (".drop(", "it drops a collection"),
        ("deletemany({})", "it deletes every document"),
        ("remove({})", "it deletes every document"),
        ("dropcollection", "it drops a collection"),
        ("dropindexes(", "it drops indexes"),
    ] {
        if squeezed.contains(mark) {
            return Some(why.to_owned());
        }
    }
    None
}

const DROPPED: &[&str] = &[
    "TABLE",
    "DATABASE",
    "SCHEMA",
    "COLLECTION",
    "KEYSPACE",
    "TABLESPACE",
    "USER",
    "ROLE",
    "VIEW",
    "INDEX",
    "COLUMN",
    "OWNED",
    "CLUSTER",
    "TYPE",
    "SEQUENCE",
    "EXTENSION",
    "FUNCTION",
    "PARTITION",
    "STREAM",
    "TOPIC",
    "BUCKET",
];

/// `WHERE 1=1`, `WHERE TRUE`.
fn trivially_true(words: &[String]) -> bool {
    let Some(at) = words.iter().position(|word| word == "WHERE") else { return false };
    matches!(&words[at + 1..], [a, b] if a == b)
        || matches!(&words[at + 1..], [only] if only == "TRUE" || only == "1")
}

/// `text` without quoted literals and comments.
fn without_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                out.push_str("''");
                while let Some(inner) = chars.next() {
                    if inner == '\'' && chars.peek() == Some(&'\'') {
                        chars.next();
                    } else if inner == '\'' {
                        break;
                    }
                }
            }
            '-' if chars.peek() == Some(&'-') => {
                for inner in chars.by_ref() {
                    if inner == '\n' {
                        break;
                    }
                }
                out.push(' ');
            }
            '/' if chars.peek() == Some(&'*') => {
                let mut last = ' ';
                chars.next();
                for inner in chars.by_ref() {
                    if last == '*' && inner == '/' {
                        break;
                    }
                    last = inner;
                }
                out.push(' ');
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_destroys_data_is_told_from_what_mentions_it() {
        for (text, told) in [
            ("DROP TABLE users", true),
            ("drop table if exists users;", true),
            ("SELECT 1; DROP DATABASE x", true),
            ("TRUNCATE users", true),
            ("DELETE FROM records", true),
            ("DELETE FROM records WHERE 1=1", true),
            ("DELETE FROM records WHERE id = 3", false),
            ("UPDATE users SET admin = 1", true),
            ("UPDATE users SET admin = 1 WHERE id = 2", false),
            ("SELECT * FROM logs WHERE msg LIKE '%DROP TABLE%'", false),
            ("-- DROP TABLE users\nSELECT 1", false),
            ("/* DROP TABLE x */ SELECT 1", false),
            ("INSERT INTO notes VALUES ('it''s; DROP TABLE x')", false),
            ("ALTER TABLE t DROP COLUMN c", true),
            ("ALTER TABLE t ADD COLUMN c int", false),
            ("db.users.deleteMany({})", true),
            ("db.dropDatabase()", true),
            ("db.users.find({})", false),
            ("CREATE TABLE drops (id int)", false),
        ] {
            assert_eq!(destroys(text).is_some(), told, "{text}");
        }
    }
}
