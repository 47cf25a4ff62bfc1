//! Text -> tokens.

use crate::error::{Code, Error};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A name or a keyword: which of them, the place decides.
    Word(String),
    /// A name in back-quotes: never a keyword.
    Quoted(String),
    String(String),
    /// The value without its sign: the lowest integer needs one more than the highest.
    Integer(u64),
    Float(f64),
    Parameter(String),
    /// One of [`MARKS`].
    Mark(&'static str),
    End,
}

#[derive(Debug, Clone)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// Longer ones before those that they begin with.
const MARKS: [&str; 30] = [
    "..", "<=", ">=", "<>", "=~", "!=", "||", "(", ")", "[", "]", "{", "}", ",", ".", ":", ";", "|", "&",
    "+", "-", "*", "/", "%", "^", "=", "<", ">", "!", "?",
];

pub(crate) fn lex(text: &str) -> Result<Vec<Lexeme>, Error> {
    let mut lexer = Lexer { text, at: 0 };
    let mut out = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let start = lexer.at;
        let token = lexer.token()?;
        let end = token == Token::End;
        out.push(Lexeme { token, start, end: lexer.at });
        if end {
            return Ok(out);
        }
    }
}

fn starts_name(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn continues_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

fn wrong(at: usize, message: impl Into<String>) -> Error {
    Error::syntax(Code::UnexpectedSyntax, at, message)
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn second_is_digit(&self) -> bool {
        self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit)
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|it| !wanted(it)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn skip_blanks(&mut self) -> Result<(), Error> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|it| it != '\n');
            } else if self.rest().starts_with("/*") {
                let end = self
                    .rest()
                    .find("*/")
                    .ok_or_else(|| wrong(self.at, "a comment has no end; close it with `*/`"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        let start = self.at;
        let Some(first) = self.peek() else { return Ok(Token::End) };
        if starts_name(first) {
            return Ok(Token::Word(self.take_while(continues_name).to_owned()));
        }
        if first.is_ascii_digit() || first == '.' && self.second_is_digit() {
            return self.number();
        }
        match first {
            '\'' | '"' => return self.string(first),
            '`' => return Ok(Token::Quoted(self.back_quoted()?)),
            '$' => {
                self.at += 1;
                let name = match self.peek() {
                    Some('`') => self.back_quoted()?,
                    _ => self.take_while(continues_name).to_owned(),
                };
                if name.is_empty() {
                    return Err(wrong(start, "a parameter has no name after `$`"));
                }
                return Ok(Token::Parameter(name));
            }
            _ => {}
        }
        match MARKS.iter().find(|it| self.rest().starts_with(**it)) {
            Some(mark) => {
                self.at += mark.len();
                Ok(Token::Mark(mark))
            }
            None if first.is_ascii() => {
                Err(wrong(start, format!("`{}` has no meaning here", first.escape_default())))
            }
            None => Err(Error::syntax(
                Code::InvalidUnicodeCharacter,
                start,
                format!("the character `{first}` has no meaning outside of strings and names"),
            )),
        }
    }

    fn back_quoted(&mut self) -> Result<String, Error> {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        loop {
            name.push_str(self.take_while(|it| it != '`'));
            if self.peek().is_none() {
                return Err(wrong(start, "a name in back-quotes has no end"));
            }
            self.at += 1;
            if self.peek() != Some('`') {
                return Ok(name);
            }
            self.at += 1;
            name.push('`');
        }
    }

    fn string(&mut self, quote: char) -> Result<Token, Error> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            out.push_str(self.take_while(|it| it != quote && it != '\\'));
            match self.peek() {
                None => return Err(wrong(start, "a string has no end")),
                Some('\\') => out.push(self.escape()?),
                Some(_) => {
                    self.at += 1;
                    return Ok(Token::String(out));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 1;
        let letter = self.peek();
        self.at += letter.map_or(0, char::len_utf8);
        Ok(match letter {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some(it @ ('\\' | '\'' | '"' | '`')) => it,
            Some('u') => return self.code_point(start, 4),
            Some('U') => return self.code_point(start, 8),
            _ => return Err(wrong(start, "no such escape in a string; write `\\\\` for a backslash")),
        })
    }

    fn code_point(&mut self, start: usize, digits: usize) -> Result<char, Error> {
        let text = self.rest().get(..digits).filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
        let found = text.and_then(|it| u32::from_str_radix(it, 16).ok()).and_then(char::from_u32);
        self.at += if found.is_some() { digits } else { 0 };
        found.ok_or_else(|| {
            let message = format!("the escape wants {digits} hexadecimal digits of a Unicode character");
            Error::syntax(Code::InvalidUnicodeLiteral, start, message)
        })
    }

    fn number(&mut self) -> Result<Token, Error> {
        let start = self.at;
        let none =
            |text: &str| Error::syntax(Code::InvalidNumberLiteral, start, format!("`{text}` is no number"));
        for (prefix, radix) in [("0x", 16), ("0X", 16), ("0o", 8)] {
            if let Some(digits) = self.rest().strip_prefix(prefix) {
                self.at += 2;
                let length = self.take_while(continues_name).len();
                let digits = &digits[..length];
                if digits.is_empty() || !digits.chars().all(|it| it.is_digit(radix)) {
                    return Err(none(&format!("{prefix}{digits}")));
                }
                return u64::from_str_radix(digits, radix).map(Token::Integer).map_err(|_| too_large(start));
            }
        }
        self.take_while(|it| it.is_ascii_digit());
        let mut float = false;
        if self.peek() == Some('.') && self.second_is_digit() {
            float = true;
            self.at += 1;
            self.take_while(|it| it.is_ascii_digit());
        }
        if let Some('e' | 'E') = self.peek() {
            let mark = self.at;
            self.at += 1;
            if let Some('+' | '-') = self.peek() {
                self.at += 1;
            }
            if self.take_while(|it| it.is_ascii_digit()).is_empty() {
                self.at = mark;
            } else {
                float = true;
            }
        }
        let text = &self.text[start..self.at];
        if !self.take_while(continues_name).is_empty() {
            if self.rest().trim_start().starts_with(':') {
                return Err(wrong(start, "a key cannot begin with a digit; write it in back-quotes"));
            }
            return Err(none(&self.text[start..self.at]));
        }
        if !float {
            return text.parse().map(Token::Integer).map_err(|_| too_large(start));
        }
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Token::Float(value)),
            Ok(_) => {
                let message = format!("`{text}` is too large for a float");
                Err(Error::syntax(Code::FloatingPointOverflow, start, message))
            }
            Err(_) => Err(none(text)),
        }
    }
}

pub(crate) fn too_large(start: usize) -> Error {
    Error::syntax(Code::IntegerOverflow, start, "the number does not fit into 64 bits")
}
