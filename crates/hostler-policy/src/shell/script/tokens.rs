//! Code of several languages as one kind of tokens: strings, names, marks.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Js,
    Ruby,
    Perl,
    Php,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A string literal; `None` when it interpolates what is not known.
    Text(Option<String>),
    /// Text in backquotes, for languages in which it is a command.
    Command(String),
    /// `os.path.join`, `.unlink`, `FileUtils.rm_rf`, `$x`.
    Name(String),
    /// One character of punctuation; a line end is `\n`.
    Mark(char),
}

pub(super) fn tokens(code: &str, language: Language) -> Vec<Token> {
    let chars: Vec<char> = code.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied().unwrap_or(' ');
        let hash = matches!(language, Language::Python | Language::Ruby | Language::Perl);
        match c {
            '#' if hash => at += chars[at..].iter().position(|c| *c == '\n').unwrap_or(chars.len() - at),
            '/' if next == '/' && matches!(language, Language::Js | Language::Php) => {
                at += chars[at..].iter().position(|c| *c == '\n').unwrap_or(chars.len() - at);
            }
            '/' if next == '*' && matches!(language, Language::Js | Language::Php) => {
                at += 2;
                while at < chars.len() && !(chars[at] == '*' && chars.get(at + 1) == Some(&'/')) {
                    at += 1;
                }
                at += 2;
            }
            '\'' | '"' | '`' => {
                let prefix = match out.last() {
                    Some(Token::Name(name))
                        if language == Language::Python
                            && name.len() <= 2
                            && name.chars().all(|c| "rbufRBUF".contains(c)) =>
                    {
                        let name = name.clone();
                        out.pop();
                        name.to_lowercase()
                    }
                    _ => String::new(),
                };
                let triple = language == Language::Python && next == c && chars.get(at + 2) == Some(&c);
                let width = if triple { 3 } else { 1 };
                let mut text = String::new();
                at += width;
                let mut interpolates = false;
                while let Some(&inner) = chars.get(at) {
                    let closes = if triple { chars[at..].starts_with(&[c, c, c]) } else { inner == c };
                    if closes {
                        break;
                    }
                    if inner == '\\' && !prefix.contains('r') {
                        match chars.get(at + 1) {
                            Some('n') => text.push('\n'),
                            Some('t') => text.push('\t'),
                            Some('\n') | None => {}
                            Some('x') => {
                                let digits: String = chars.iter().skip(at + 2).take(2).collect();
                                if let Some(c) = u8::from_str_radix(&digits, 16).ok().map(char::from) {
                                    text.push(c);
                                    at += 2;
                                }
                            }
                            Some(other) => text.push(*other),
                        }
                        at += 2;
                        continue;
                    }
                    let following = chars.get(at + 1).copied().unwrap_or(' ');
                    interpolates |= match language {
                        Language::Python => prefix.contains('f') && inner == '{',
                        Language::Js => c == '`' && inner == '$' && following == '{',
                        Language::Ruby => c != '\'' && inner == '#' && following == '{',
                        Language::Perl | Language::Php => {
                            c == '"'
                                && matches!(inner, '$' | '@')
                                && (following.is_alphabetic() || following == '{')
                        }
                    };
                    text.push(inner);
                    at += 1;
                }
                at += width;
                out.push(
                    if c == '`' && matches!(language, Language::Ruby | Language::Perl | Language::Php) {
                        Token::Command(text)
                    } else {
                        Token::Text((!interpolates).then_some(text))
                    },
                );
            }
            c if c.is_alphabetic()
                || c == '_'
                || c == '$'
                || (c == '.' && (next.is_alphabetic() || next == '_'))
                || (c == '@' && next.is_alphabetic()) =>
            {
                let start = at;
                at += 1;
                while let Some(&inner) = chars.get(at) {
                    let following = chars.get(at + 1).copied().unwrap_or(' ');
                    if inner.is_alphanumeric()
                        || inner == '_'
                        || (inner == '.'
                            && (following.is_alphabetic() || following == '_')
                            && language != Language::Perl)
                    {
                        at += 1;
                    } else if inner == ':' && following == ':' || (inner == '-' && following == '>') {
                        at += 2;
                    } else {
                        break;
                    }
                }
                let name: String = chars[start..at].iter().collect();
                out.push(Token::Name(name.replace("::", ".").replace("->", ".")));
                if matches!(chars.get(at), Some('!' | '?')) && language == Language::Ruby {
                    at += 1;
                }
            }
            '\n' => {
                out.push(Token::Mark('\n'));
                at += 1;
            }
            c if c.is_whitespace() => at += 1,
            c => {
                out.push(Token::Mark(c));
                at += 1;
            }
        }
    }
    out
}
