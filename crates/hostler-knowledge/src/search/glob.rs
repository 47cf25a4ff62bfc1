//! Which paths are asked for.

/// Characters of a pattern that are looked at; paths are shorter.
const CHARS_MAX: usize = 4_096;

/// A pattern over whole relative paths: `*` is anything within a part of a path, `**` anything across parts (`**/` also
/// nothing at all), `?` one character that is no `/`; everything else is itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Char(char),
    /// `?`.
    One,
    /// `*`.
    Within,
    /// `**`.
    Across,
    /// `**/`, where a part begins; [`Token::Inside`] follows it.
    Folders,
    /// `**/`, within a part.
    Inside,
}

impl Glob {
    /// Reads a pattern; each one is valid.
    pub fn new(pattern: &str) -> Self {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let mut letters = pattern.chars().take(CHARS_MAX).peekable();
        let mut tokens = Vec::new();
        while let Some(letter) = letters.next() {
            let starts = matches!(tokens.last(), None | Some(Token::Char('/') | Token::Inside));
            match letter {
                '?' => tokens.push(Token::One),
                '*' if letters.next_if_eq(&'*').is_some() => {
                    while letters.next_if_eq(&'*').is_some() {}
                    if starts && letters.next_if_eq(&'/').is_some() {
                        tokens.extend([Token::Folders, Token::Inside]);
                    } else {
                        tokens.push(Token::Across);
                    }
                }
                '*' => tokens.push(Token::Within),
                other => tokens.push(Token::Char(other)),
            }
        }
        Self { tokens }
    }

    /// Whether the pattern fits the whole path; takes at most the product of both lengths.
    pub fn fits(&self, path: &str) -> bool {
        // Which tokens may come next.
        let mut open = vec![false; self.tokens.len() + 1];
        set(&mut open, 0);
        self.pass(&mut open);
        for letter in path.chars() {
            let mut next = vec![false; open.len()];
            for (at, token) in self.tokens.iter().enumerate().filter(|(at, _)| open.get(*at) == Some(&true)) {
                let then = match token {
                    Token::Char(expected) => (*expected == letter).then_some(at + 1),
                    Token::One | Token::Folders => (letter != '/').then_some(at + 1),
                    Token::Within => (letter != '/').then_some(at),
                    Token::Across => Some(at),
                    Token::Inside => Some(if letter == '/' { at - 1 } else { at }),
                };
                if let Some(then) = then {
                    set(&mut next, then);
                }
            }
            self.pass(&mut next);
            open = next;
        }
        open.last() == Some(&true)
    }

    /// Opens what comes after a token that may stand for nothing.
    fn pass(&self, open: &mut [bool]) {
        for (at, token) in self.tokens.iter().enumerate() {
            let then = match token {
                Token::Within | Token::Across => at + 1,
                Token::Folders => at + 2,
                _ => continue,
            };
            if open.get(at) == Some(&true) {
                set(open, then);
            }
        }
    }
}

fn set(flags: &mut [bool], at: usize) {
    if let Some(flag) = flags.get_mut(at) {
        *flag = true;
    }
}
