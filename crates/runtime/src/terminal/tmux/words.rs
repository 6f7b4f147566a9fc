//! Words for tmux and what it shows of others: nothing in them is ever taken as syntax. Pure.

/// How many characters the name of a worker may have.
const NAME_LIMIT: usize = 64;

/// Says whether a name is one that tmux takes as it is.
pub fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=NAME_LIMIT).contains(&name.len()) && name.bytes().all(plain) && !name.starts_with('-')
}

/// Returns the first name of a prefix and a number that is not taken.
pub fn free_name(prefix: &str, taken: impl Fn(&str) -> bool) -> String {
    let mut number = 1_u64;
    loop {
        let name = format!("{prefix}-{number}");
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

/// Puts a word on a command line of tmux, so that it means itself whatever is in it.
pub(super) fn quote(word: &[u8], line: &mut Vec<u8>) {
    line.push(b'"');
    for byte in word {
        match byte {
            b'"' | b'\\' | b'$' => line.extend([b'\\', *byte]),
            // A line ends a command, and the rest could mean something to tmux.
            0..=0x1f | 0x7f | 0xff => line.extend(format!("\\{byte:03o}").into_bytes()),
            _ => line.push(*byte),
        }
    }
    line.push(b'"');
}

/// Makes a word literal where tmux would expand formats in it.
pub(super) fn unformatted(word: &[u8]) -> Vec<u8> {
    let mut literal = Vec::with_capacity(word.len());
    for byte in word {
        literal.push(*byte);
        if *byte == b'#' {
            literal.push(b'#');
        }
    }
    literal
}

/// Makes a text that can be pasted: it cannot end the paste, nor press a key. Control characters become the
/// pictures of themselves.
pub fn pasteable(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    let shown = |character: char| match character {
        '\n' | '\t' => character,
        '\r' => '\n',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(character)).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' => '\u{fffd}',
        _ => character,
    };
    text.chars().map(shown).collect()
}

/// Says whether this can be the name of a key: what is none would be typed.
pub(super) fn is_key(key: &str) -> bool {
    const NAMED: [&str; 19] = [
        "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home", "End",
        "PageUp", "PageDown", "PPage", "NPage", "IC", "DC", "Delete",
    ];
    let modified = |key: &str| {
        let key =
            key.strip_prefix("C-").or_else(|| key.strip_prefix("M-")).or_else(|| key.strip_prefix("S-"))?;
        Some(key.to_owned())
    };
    let mut bare = key.to_owned();
    while let Some(rest) = modified(&bare) {
        bare = rest;
    }
    let function = bare.strip_prefix('F').and_then(|number| number.parse::<u8>().ok());
    NAMED.contains(&bare.as_str())
        || function.is_some_and(|number| (1..=12).contains(&number))
        || (bare.len() == 1 && bare.bytes().all(|byte| byte.is_ascii_graphic()))
}

/// Takes control sequences and control characters out of a line of a screen, and blanks at its end.
pub(super) fn plain(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\u{1b}' => match characters.next() {
                Some('[') => while characters.next_if(|c| !('@'..='~').contains(c)).is_some() {},
                Some(']' | 'P' | 'X' | '^' | '_') => {
                    while characters.next_if(|c| !matches!(c, '\u{7}' | '\u{1b}')).is_some() {}
                }
                _ => continue,
            },
            '\u{9b}' => while characters.next_if(|c| !('@'..='~').contains(c)).is_some() {},
            '\t' => {
                text.push('\t');
                continue;
            }
            character if character.is_control() => continue,
            character => {
                text.push(character);
                continue;
            }
        }
        // What ended the sequence belongs to it.
        characters.next();
    }
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain() {
        for name in ["a", "worker-1", "0", &"x".repeat(64)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-a", "A", "a.b", "a:b", "a b", "é", "a\n", "=a", "_control", &"x".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn the_next_name_has_the_first_free_number() {
        assert_eq!(free_name("w", |_| false), "w-1");
        assert_eq!(free_name("w", |name| matches!(name, "w-1" | "w-2" | "w-4")), "w-3");
    }

    #[test]
    fn a_quoted_word_is_one_line_without_syntax() {
        let quoted = |word: &str| {
            let mut line = Vec::new();
            quote(word.as_bytes(), &mut line);
            String::from_utf8(line).unwrap()
        };
        assert_eq!(quoted("a; b #{c} '~' é"), "\"a; b #{c} '~' é\"");
        assert_eq!(quoted("$x \"y\" \\\n\t\u{1b}\0"), "\"\\$x \\\"y\\\" \\\\\\012\\011\\033\\000\"");
        assert_eq!(unformatted(b"#{x} ##"), b"##{x} ####");
    }

    #[test]
    fn a_paste_cannot_be_ended_from_within() {
        let text = "a\u{1b}[201~\rb\r\nc\td\u{3}\u{7f}\u{9b}201~";
        assert_eq!(pasteable(text), "a␛[201~\nb\nc\td␃␡\u{fffd}201~");
    }

    #[test]
    fn a_shown_line_has_no_control_sequences() {
        assert_eq!(plain("\u{1b}[1;31mred\u{1b}[0m  "), "red");
        assert_eq!(plain("\u{1b}]0;title\u{7}a\tb\u{8}c\u{9b}31md"), "a\tbcd");
        assert_eq!(plain("\u{1b}"), "");
        assert_eq!(plain("\u{1b}[12"), "");
    }

    #[test]
    fn what_is_no_key_is_not_pressed() {
        for key in ["Enter", "Escape", "C-c", "M-Enter", "C-M-x", "F12", "Up", "y", "1"] {
            assert!(is_key(key), "{key}");
        }
        for key in ["", "hello", "F13", "C-", "enter now", "é", "\n"] {
            assert!(!is_key(key), "{key}");
        }
    }
}
