//! Words that programmers use for one thing: short forms and what they stand for, and verbs that name the same deed.
//!
//! General on purpose. A related word counts for less than the word itself, so a wrong one costs little.

/// What one thing is called.
const GROUPS: &[&[&str]] = &[
    &["addr", "address"],
    &["arg", "argument", "param", "parameter"],
    &["attr", "attribute"],
    &["auth", "authentication", "authenticate"],
    &["bool", "boolean"],
    &["buf", "buffer"],
    &["calc", "calculate", "compute"],
    &["char", "character"],
    &["check", "verify", "validate", "ensure"],
    &["cls", "class"],
    &["close", "shutdown"],
    &["cmd", "command"],
    &["config", "configuration", "cfg", "conf", "setting"],
    &["conn", "connection"],
    &["convert", "transform", "translate"],
    &["create", "make", "new", "build", "construct"],
    &["ctx", "context"],
    &["cur", "curr", "current"],
    &["db", "database"],
    &["delete", "remove", "del", "discard", "drop", "purge"],
    &["desc", "description"],
    &["dest", "destination", "dst", "target"],
    &["dict", "dictionary", "mapping"],
    &["dir", "directory", "folder"],
    &["doc", "document", "documentation"],
    &["env", "environment"],
    &["err", "error", "exception"],
    &["ext", "extension"],
    &["fmt", "format"],
    &["func", "function", "callable"],
    &["get", "fetch", "retrieve", "obtain", "lookup", "find"],
    &["idx", "index"],
    &["info", "information"],
    &["init", "initialize", "initialise"],
    &["int", "integer"],
    &["iter", "iterate", "iterator", "iterable"],
    &["lang", "language"],
    &["len", "length", "size"],
    &["lib", "library"],
    &["loc", "location"],
    &["max", "maximum"],
    &["min", "minimum"],
    &["mod", "module"],
    &["msg", "message"],
    &["num", "number", "count"],
    &["obj", "object"],
    &["password", "passwd", "pwd"],
    &["perm", "permission"],
    &["pkg", "package"],
    &["pos", "position"],
    &["prev", "previous"],
    &["proc", "process"],
    &["prop", "property"],
    &["ptr", "pointer"],
    &["read", "load", "parse"],
    &["ref", "reference"],
    &["repo", "repository"],
    &["req", "request"],
    &["res", "resp", "response"],
    &["send", "transmit"],
    &["sep", "separator"],
    &["seq", "sequence"],
    &["show", "display", "print"],
    &["sock", "socket"],
    &["spec", "specification"],
    &["src", "source"],
    &["start", "begin", "launch"],
    &["stmt", "statement"],
    &["stop", "end", "finish", "terminate"],
    &["str", "string", "text"],
    &["sync", "synchronize"],
    &["sys", "system"],
    &["tmp", "temp", "temporary"],
    &["util", "utility"],
    &["val", "value"],
    &["var", "variable"],
    &["ver", "version"],
    &["write", "save", "store", "dump"],
];

/// Words that mean what a stem means, each with its stem, in the order of the table.
pub(super) fn related(stem: &str) -> Vec<(&'static str, String)> {
    let first = stem.chars().next();
    let is_it = |word: &&str| word.chars().next() == first && super::stem(word) == stem;
    let mut out: Vec<(&'static str, String)> = Vec::new();
    for word in GROUPS.iter().filter(|group| group.iter().any(is_it)).copied().flatten() {
        let its = super::stem(word);
        if its != stem && !out.iter().any(|(_, known)| *known == its) {
            out.push((word, its));
        }
    }
    out
}
