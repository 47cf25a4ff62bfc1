//! Options and operands of a command, as `getopt` reads them.

use super::word::{Field, Piece};

/// A parsed command line.
#[derive(Debug, Default)]
pub(super) struct Args {
    options: Vec<(String, Option<Field>)>,
    /// What is no option, in order.
    pub(super) operands: Vec<Field>,
}

impl Args {
    /// Reads `args`; options in `valued` (separated by blanks) take the next word (or the rest of theirs) as their value.
    pub(super) fn parse(args: &[Field], valued: &str) -> Self {
        Self::read(args, valued, false).0
    }

    /// Reads options up to the first operand; returns the index of that operand.
    pub(super) fn leading(args: &[Field], valued: &str) -> (Self, usize) {
        Self::read(args, valued, true)
    }

    fn read(args: &[Field], valued: &str, stop: bool) -> (Self, usize) {
        let mut out = Self::default();
        let mut index = 0;
        while let Some(field) = args.get(index) {
            let head = field.head();
            if head == "--" && field.0.len() == 1 {
                index += 1;
                if stop {
                    return (out, index);
                }
                out.operands.extend(args[index..].iter().cloned());
                return (out, args.len());
            }
            if head.starts_with("--") {
                let (name, value) = match head.find('=') {
                    Some(at) => (head[..at].to_owned(), Some(field.without_head(at + 1))),
                    None => (head.to_owned(), None),
                };
                let value = if value.is_none() && takes_value(valued, &name) {
                    index += 1;
                    args.get(index).cloned()
                } else {
                    value
                };
                out.options.push((name, value));
            } else if head.starts_with('-') && 1 < head.len() {
                index += out.cluster(field, args.get(index + 1), valued);
            } else {
                if stop {
                    return (out, index);
                }
                out.operands.push(field.clone());
            }
            index += 1;
        }
        // The last option may lack its value.
        (out, index.min(args.len()))
    }

    /// `-rf`, `-ofile`, `-o file`. Returns how many further words it took.
    fn cluster(&mut self, field: &Field, next: Option<&Field>, valued: &str) -> usize {
        let head = field.head().to_owned();
        for (at, c) in head.char_indices().skip(1) {
            let name = format!("-{c}");
            if takes_value(valued, &name) {
                let after = at + c.len_utf8();
                let rest = field.without_head(after);
                let attached = after < head.len() || 1 < field.0.len();
                self.options.push((name, if attached { Some(rest) } else { next.cloned() }));
                return usize::from(!attached);
            }
            self.options.push((name, None));
        }
        if 1 < field.0.len() {
            self.options.push((field.render(), None));
        }
        0
    }

    /// Whether one of `names` was given. Long names may be abbreviated as GNU tools allow.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options.iter().any(|(given, _)| names.iter().any(|name| same(given, name)))
    }

    /// The value of the last of `names` that was given with one.
    pub(super) fn value(&self, names: &[&str]) -> Option<&Field> {
        self.options
            .iter()
            .rev()
            .filter(|(given, _)| names.iter().any(|name| same(given, name)))
            .find_map(|(_, value)| value.as_ref())
    }

    /// All values of `names`.
    pub(super) fn values<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s Field> {
        self.options
            .iter()
            .filter(|(given, _)| names.iter().any(|name| same(given, name)))
            .filter_map(|(_, value)| value.as_ref())
    }

    /// The resolved text of operand `index`.
    pub(super) fn operand(&self, index: usize) -> Option<String> {
        self.operands.get(index).and_then(Field::known)
    }

    /// Every option's name as given.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.options.iter().map(|(name, _)| name.as_str())
    }
}

fn takes_value(valued: &str, name: &str) -> bool {
    valued.split_ascii_whitespace().any(|it| it == name)
}

fn same(given: &str, name: &str) -> bool {
    given == name
        || (name.starts_with("--") && 3 <= given.len() && given.starts_with("--") && name.starts_with(given))
}

/// Whether any word's text is exactly one of `words` (for tools with options of their own style).
pub(super) fn any(args: &[Field], words: &[&str]) -> bool {
    args.iter()
        .any(|field| matches!(field.0.as_slice(), [Piece::Text(text)] if words.contains(&text.as_str())))
}
