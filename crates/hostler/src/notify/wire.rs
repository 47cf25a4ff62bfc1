//! D-Bus values as bytes: what is needed of the specification's "Message Protocol", little-endian when written.

/// Values, one after the other, each at its alignment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn align(&mut self, to: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(to), 0);
    }

    pub(super) fn byte(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn number(&mut self, value: u32) {
        self.align(4);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Also an object path. The text holds no zero.
    pub(super) fn string(&mut self, text: &str) {
        self.number(length(text.len()));
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    pub(super) fn signature(&mut self, text: &str) {
        self.bytes.push(u8::try_from(text.len()).unwrap_or(u8::MAX));
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
    }

    /// An array whose elements have this alignment. Its length does not count the padding before the first one.
    pub(super) fn array(&mut self, alignment: usize, elements: impl FnOnce(&mut Self)) {
        self.number(0);
        let at = self.bytes.len() - 4;
        self.align(alignment);
        let first = self.bytes.len();
        elements(self);
        let bytes = length(self.bytes.len() - first);
        self.bytes[at..at + 4].copy_from_slice(&bytes.to_le_bytes());
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }
}

pub(super) fn length(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Reads values off a message. Everything is `None` that the bytes do not hold: they are another program's.
#[derive(Debug, Clone)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    big_endian: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], big_endian: bool) -> Self {
        Self { bytes, at: 0, big_endian }
    }

    pub(super) fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to);
    }

    /// How far it is.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(taken)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(super) fn number(&mut self) -> Option<u32> {
        self.align(4);
        let bytes = self.take(4)?.try_into().ok()?;
        Some(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub(super) fn string(&mut self) -> Option<String> {
        let count = usize::try_from(self.number()?).ok()?;
        let text = self.take(count)?;
        self.take(1)?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    pub(super) fn signature(&mut self) -> Option<String> {
        let count = usize::from(self.byte()?);
        let text = self.take(count)?;
        self.take(1)?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// The end of an array that begins here.
    pub(super) fn array(&mut self, alignment: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        self.align(alignment);
        self.at.checked_add(count).filter(|end| *end <= self.bytes.len())
    }
}
