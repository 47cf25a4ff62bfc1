//! Words to stems, by [Porter's algorithm](https://tartarus.org/martin/PorterStemmer/), as the `porter` tokenizer of FTS5
//! has it: counts of an index and scores of ours speak of the same stems.

/// Bytes of the longest word that is stemmed, and of the shortest: what FTS5 takes.
const BYTES: std::ops::RangeInclusive<usize> = 3..=64;

/// The stem of a word in small letters; what is not plain ASCII letters and digits stays as it is.
pub fn stem(word: &str) -> String {
    if !BYTES.contains(&word.len()) || !word.is_ascii() {
        return word.to_owned();
    }
    let mut it = Stemmer { word: word.to_owned() };
    it.plural();
    it.past();
    it.y();
    it.double_suffixes();
    it.suffixes();
    it.endings();
    it.e();
    it.word
}

struct Stemmer {
    word: String,
}

impl Stemmer {
    fn is_consonant(&self, at: usize) -> bool {
        let word = self.word.as_bytes();
        // A run of `y` is decided by where it begins.
        let mut flips = false;
        let mut at = at;
        loop {
            let plain = match word.get(at) {
                Some(b'a' | b'e' | b'i' | b'o' | b'u') => false,
                Some(b'y') if 0 < at => {
                    flips = !flips;
                    at -= 1;
                    continue;
                }
                _ => true,
            };
            return plain != flips;
        }
    }

    /// How often a vowel is followed by a consonant in the first `length` bytes.
    fn measure(&self, length: usize) -> usize {
        let mut count = 0;
        let mut vowel = false;
        for at in 0..length {
            let consonant = self.is_consonant(at);
            count += usize::from(vowel && consonant);
            vowel = !consonant;
        }
        count
    }

    fn has_vowel(&self, length: usize) -> bool {
        (0..length).any(|at| !self.is_consonant(at))
    }

    /// The first `length` bytes end in consonant, vowel, consonant, and the last is none of `w`, `x`, `y`.
    fn is_short(&self, length: usize) -> bool {
        3 <= length
            && self.is_consonant(length - 1)
            && !self.is_consonant(length - 2)
            && self.is_consonant(length - 3)
            && !matches!(self.word.as_bytes().get(length - 1), Some(b'w' | b'x' | b'y'))
    }

    fn ends_double(&self) -> bool {
        let word = self.word.as_bytes();
        matches!(word, [.., a, b] if a == b) && self.is_consonant(word.len() - 1)
    }

    /// The length without this suffix.
    fn without(&self, suffix: &str) -> Option<usize> {
        self.word.strip_suffix(suffix).map(str::len)
    }

    fn replace(&mut self, length: usize, ending: &str) {
        self.word.truncate(length);
        self.word.push_str(ending);
    }

    fn plural(&mut self) {
        if let Some(length) = self.without("sses").or_else(|| self.without("ies")) {
            let ending = if self.word.ends_with("sses") { "ss" } else { "i" };
            self.replace(length, ending);
        } else if self.word.ends_with('s') && !self.word.ends_with("ss") {
            self.word.pop();
        }
    }

    fn past(&mut self) {
        if let Some(length) = self.without("eed") {
            if 0 < self.measure(length) {
                self.replace(length, "ee");
            }
            return;
        }
        let Some(length) =
            self.without("ed").or_else(|| self.without("ing")).filter(|it| self.has_vowel(*it))
        else {
            return;
        };
        self.word.truncate(length);
        if ["at", "bl", "iz"].iter().any(|it| self.word.ends_with(it)) {
            self.word.push('e');
        } else if self.ends_double() && !self.word.ends_with(['l', 's', 'z']) {
            self.word.pop();
        } else if self.measure(self.word.len()) == 1 && self.is_short(self.word.len()) {
            self.word.push('e');
        }
    }

    fn y(&mut self) {
        if let Some(length) = self.without("y").filter(|it| self.has_vowel(*it)) {
            self.replace(length, "i");
        }
    }

    /// Replaces the first suffix of the list that the word has, if what is before it is long enough.
    fn one_of(&mut self, list: &[(&str, &str)]) {
        if let Some((suffix, ending)) = list.iter().find(|(suffix, _)| self.word.ends_with(suffix)) {
            let length = self.word.len() - suffix.len();
            if 0 < self.measure(length) {
                self.replace(length, ending);
            }
        }
    }

    fn double_suffixes(&mut self) {
        self.one_of(&[
            ("ational", "ate"),
            ("tional", "tion"),
            ("enci", "ence"),
            ("anci", "ance"),
            ("izer", "ize"),
            ("logi", "log"),
            ("bli", "ble"),
            ("alli", "al"),
            ("entli", "ent"),
            ("eli", "e"),
            ("ousli", "ous"),
            ("ization", "ize"),
            ("ation", "ate"),
            ("ator", "ate"),
            ("alism", "al"),
            ("iveness", "ive"),
            ("fulness", "ful"),
            ("ousness", "ous"),
            ("aliti", "al"),
            ("iviti", "ive"),
            ("biliti", "ble"),
        ]);
    }

    fn suffixes(&mut self) {
        self.one_of(&[
            ("icate", "ic"),
            ("ative", ""),
            ("alize", "al"),
            ("iciti", "ic"),
            ("ical", "ic"),
            ("ful", ""),
            ("ness", ""),
        ]);
    }

    fn endings(&mut self) {
        const ENDINGS: &[&str] = &[
            "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous",
            "ive", "ize", "al", "er", "ic", "ou",
        ];
        let Some(suffix) = ENDINGS.iter().find(|it| self.word.ends_with(*it)) else { return };
        let length = self.word.len() - suffix.len();
        let fits =
            *suffix != "ion" || matches!(self.word.as_bytes().get(length.wrapping_sub(1)), Some(b's' | b't'));
        if fits && 1 < self.measure(length) {
            self.word.truncate(length);
        }
    }

    fn e(&mut self) {
        if let Some(length) = self.without("e") {
            let measure = self.measure(length);
            if 1 < measure || measure == 1 && !self.is_short(length) {
                self.word.truncate(length);
            }
        }
        if self.word.ends_with("ll") && 1 < self.measure(self.word.len() - 1) {
            self.word.pop();
        }
    }
}
