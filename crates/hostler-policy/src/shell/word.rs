//! Words as values: what is known of them, what is a pattern, what only the run can tell.

/// A part of an expanded word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Literal text.
    Text(String),
    /// An unquoted pattern (`*`, `?`, `[…]`).
    Glob(String),
    /// Unknown, but a single path component at most: digits, a date, a hash. Carries its source.
    Name(String),
    /// Unknown. Carries its source.
    Unknown(String),
}

/// One expanded word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Field(pub(super) Vec<Piece>);

impl Field {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self(vec![Piece::Text(text.into())])
    }

    pub(super) fn unknown(source: impl Into<String>) -> Self {
        Self(vec![Piece::Unknown(source.into())])
    }

    pub(super) fn push(&mut self, piece: Piece) {
        match (self.0.last_mut(), piece) {
            (Some(Piece::Text(last)), Piece::Text(text)) => last.push_str(&text),
            (_, piece) => self.0.push(piece),
        }
    }

    /// The word, when all of it is known; patterns as their text.
    pub(super) fn known(&self) -> Option<String> {
        let mut out = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) | Piece::Glob(text) => out.push_str(text),
                Piece::Name(_) | Piece::Unknown(_) => return None,
            }
        }
        Some(out)
    }

    /// The word as far as known, unknown parts as written: for messages.
    pub(super) fn render(&self) -> String {
        self.0
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) | Piece::Glob(text) | Piece::Name(text) | Piece::Unknown(text) => {
                    text.as_str()
                }
            })
            .collect()
    }

    /// The literal text at the start.
    pub(super) fn head(&self) -> &str {
        match self.0.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|piece| matches!(piece, Piece::Text(text) if text.is_empty()))
    }

    pub(super) fn has_unknown(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Unknown(_)))
    }

    /// Drops `count` bytes of literal text from the start.
    pub(super) fn without_head(&self, count: usize) -> Self {
        let mut copy = self.clone();
        if let Some(Piece::Text(text)) = copy.0.first_mut() {
            *text = text.get(count..).unwrap_or_default().to_owned();
        }
        copy
    }

    /// Appends literal text with its unquoted patterns marked.
    pub(super) fn push_unquoted(&mut self, text: &str) {
        let mut plain = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let glob = match c {
                '*' | '?' => c.len_utf8(),
                '[' => rest.find(']').map_or(0, |end| end + 1),
                _ => 0,
            };
            if glob == 0 {
                plain.push(c);
                rest = &rest[c.len_utf8()..];
            } else {
                if !plain.is_empty() {
                    self.push(Piece::Text(std::mem::take(&mut plain)));
                }
                self.push(Piece::Glob(rest[..glob].to_owned()));
                rest = &rest[glob..];
            }
        }
        if !plain.is_empty() {
            self.push(Piece::Text(plain));
        }
    }
}

/// A shell variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// One string.
    Scalar(Field),
    /// An array.
    Array(Vec<Field>),
}

/// Bytes of bash's `$'…'` text after its escapes.
pub(super) fn ansi_c(raw: &str) -> String {
    let mut bytes: Vec<u8> = Vec::with_capacity(raw.len());
    let mut chars = raw.chars().peekable();
    let mut utf8 = [0u8; 4];
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
            continue;
        }
        let Some(escape) = chars.next() else {
            bytes.push(b'\\');
            break;
        };
        let mut digits = |radix: u32, first: Option<char>, max: usize| {
            let mut value = first.and_then(|c| c.to_digit(radix));
            let mut count = usize::from(value.is_some());
            while count < max {
                let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
                value = Some(value.unwrap_or(0).wrapping_mul(radix).wrapping_add(digit));
                count += 1;
                chars.next();
            }
            value
        };
        match escape {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            'a' => bytes.push(7),
            'b' => bytes.push(8),
            'e' | 'E' => bytes.push(27),
            'f' => bytes.push(12),
            'v' => bytes.push(11),
            'x' => bytes.push((digits(16, None, 2).unwrap_or(0) & 0xff) as u8),
            '0'..='7' => bytes.push((digits(8, Some(escape), 3).unwrap_or(0) & 0xff) as u8),
            'u' | 'U' => {
                let value = digits(16, None, if escape == 'u' { 4 } else { 8 }).unwrap_or(0);
                let c = char::from_u32(value).unwrap_or('\u{fffd}');
                bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
            }
            'c' => {
                if let Some(control) = chars.next() {
                    bytes.push((control as u32 & 0x1f) as u8);
                }
            }
            '\\' | '\'' | '"' | '?' => bytes.push(escape as u8),
            other => {
                bytes.push(b'\\');
                bytes.extend_from_slice(other.encode_utf8(&mut utf8).as_bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
