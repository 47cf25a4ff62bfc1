//! Letters that look like others, and characters that cannot be seen.

/// Why a command word may not be what it looks like; `None` for ordinary words, foreign scripts included.
pub(super) fn in_command_word(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    if let Some(c) = word.chars().find(|c| invisible(*c)) {
        return Some(format!("the command word holds the invisible character U+{:04X}", c as u32));
    }
    // Latin letters beside those of a script that has look-alikes of them: nobody writes words so.
    let latin = word.chars().any(|c| c.is_ascii_alphabetic());
    if let Some(c) = word.chars().find(|c| latin && has_latin_twins(*c)) {
        return Some(format!("the command word mixes Latin letters with U+{:04X}", c as u32));
    }
    // A word wholly in another script is a name in that script, unless each letter has an ASCII twin.
    let twin = word.chars().find(|c| ascii_twin(*c).is_some())?;
    let all_twins =
        word.chars().filter(|c| c.is_alphabetic()).all(|c| c.is_ascii() || ascii_twin(c).is_some());
    (latin || all_twins).then(|| {
        let shown = ascii_twin(twin).unwrap_or(' ');
        format!("the command word holds U+{:04X}, which looks like `{shown}`", twin as u32)
    })
}

/// Letters of Greek, Cyrillic, Armenian, Cherokee and Lisu.
fn has_latin_twins(c: char) -> bool {
    c.is_alphabetic()
        && matches!(
            c,
            '\u{0370}'..='\u{052f}' | '\u{0531}'..='\u{058f}' | '\u{13a0}'..='\u{13ff}' | '\u{1f00}'..='\u{1fff}'
                | '\u{2de0}'..='\u{2dff}' | '\u{a4d0}'..='\u{a4ff}' | '\u{a640}'..='\u{a69f}' | '\u{ab70}'..='\u{abbf}'
        )
}

/// Characters that change how text is shown, or are not shown: bidirectional controls anywhere in a command
/// line hide what it does.
pub(super) fn bidirectional(text: &str) -> Option<char> {
    text.chars().find(|c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

fn invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}'
    )
}

/// The ASCII letter that `c` is commonly drawn like (Unicode TR 39, the letters that commands are made of).
fn ascii_twin(c: char) -> Option<char> {
    let twin = match c {
        'а' | 'ɑ' | 'α' => 'a',
        'Ь' | 'ƅ' => 'b',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ɗ' => 'd',
        'е' | 'ҽ' | 'ε' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ı' | 'ι' | 'ɩ' => 'i',
        'ј' | 'ϳ' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ⅼ' | 'ǀ' | 'Ι' => 'l',
        'м' | 'ⅿ' | 'ṃ' => 'm',
        'п' | 'ո' | 'η' => 'n',
        'о' | 'ο' | 'օ' | '०' => 'o',
        'р' | 'ρ' | 'ϱ' => 'p',
        'ԛ' => 'q',
        'г' | 'ᴦ' => 'r',
        'ѕ' | 'ꜱ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'ц' => 'u',
        'ѵ' | 'ν' | 'ᴠ' => 'v',
        'ԝ' | 'ѡ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        'ᴢ' => 'z',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        // Full-width and mathematical letters are ASCII in another dress.
        '\u{ff21}'..='\u{ff3a}' => return char::from_u32(c as u32 - 0xff21 + 'A' as u32),
        '\u{ff41}'..='\u{ff5a}' => return char::from_u32(c as u32 - 0xff41 + 'a' as u32),
        '\u{1d400}'..='\u{1d6a3}' => {
            let index = (c as u32 - 0x1d400) % 52;
            return char::from_u32(if index < 26 { 'A' as u32 + index } else { 'a' as u32 + index - 26 });
        }
        _ => return None,
    };
    Some(twin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_looks_like_another_is_told_and_a_foreign_word_is_not() {
        for (word, told) in [
            ("rm", false),
            ("gіt", true),
            ("rм", true),
            ("ꭱm", true),
            ("δiff", true),
            ("ｒｍ", true),
            ("r\u{200b}m", true),
            ("𝐫𝐦", true),
            ("сор", true),
            ("запустить", false),
            ("実行", false),
            ("café", false),
            ("rm\u{a0}-rf", false),
        ] {
            assert_eq!(in_command_word(word).is_some(), told, "{word:?}");
        }
        assert!(bidirectional("echo \u{202e}fr- mr").is_some());
    }
}
