//! Making foreign text harmless: no escape sequence, nothing invisible, nothing that turns text around.

/// Returns the text on one line.
pub(crate) fn line(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.trim_end_matches(['\n', '\r']).chars() {
        match character {
            '\n' | '\t' => safe.push(' '),
            _ => push(&mut safe, character),
        }
    }
    safe
}

/// Returns the text with its lines and tabs. Works on pieces of a text as well as on the whole.
pub(crate) fn block(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => safe.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            _ => push(&mut safe, character),
        }
    }
    safe
}

/// Returns JSON in which a terminal finds nothing to obey. It means the same: such characters stand in strings only, where
/// they can be escaped.
pub(crate) fn json(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        if is_hidden(character) {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                safe.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            safe.push(character);
        }
    }
    safe
}

/// Returns the text without the sequences that colour it, which are many in what tools print.
pub(crate) fn uncoloured(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        let (before, sequence) = rest.split_at(at);
        plain.push_str(before);
        let parameters = sequence.get(2..).unwrap_or_default();
        let end = parameters.find(|character: char| !matches!(character, '0'..='9' | ';' | ':'));
        match end.filter(|end| parameters[*end..].starts_with('m')) {
            Some(end) => rest = parameters.get(end + 1..).unwrap_or_default(),
            None => {
                plain.push_str("\x1b[");
                rest = parameters;
            }
        }
    }
    plain.push_str(rest);
    plain
}

fn push(safe: &mut String, character: char) {
    if is_joiner(character) {
        return;
    }
    if is_hidden(character) {
        safe.extend(character.escape_unicode());
    } else {
        safe.push(character);
    }
}

/// Joiners only shape their neighbours: without them a text looks plainer and says the same.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}')
}

/// Says whether a terminal would obey the character, or show nothing for it.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_lose_their_power() {
        assert_eq!(block("\x1b[2J\x1b]0;owned\x07"), "\\u{1b}[2J\\u{1b}]0;owned\\u{7}");
        assert_eq!(block("\u{9b}31m"), "\\u{9b}31m");
        assert_eq!(line("safe\rfake"), "safe\\u{d}fake");
    }

    #[test]
    fn colours_go_and_other_sequences_stay() {
        assert_eq!(uncoloured("\x1b[1;31merror\x1b[0m: \x1b[mé\x1b[38:5:9mx"), "error: éx");
        assert_eq!(uncoloured("\x1b[2Jcut\x1b["), "\x1b[2Jcut\x1b[");
        assert_eq!(uncoloured("\x1b[31"), "\x1b[31");
    }

    #[test]
    fn nothing_turns_around_or_hides() {
        assert_eq!(line("a\u{202e}b\u{2066}c"), "a\\u{202e}b\\u{2066}c");
        assert_eq!(line("a\u{200b}b\u{feff}c\u{e0041}"), "a\\u{200b}b\\u{feff}c\\u{e0041}");
        assert_eq!(line("👨\u{200d}👩"), "👨👩");
    }

    #[test]
    fn json_for_a_terminal_means_the_same_and_steers_nothing() {
        let texts = "\u{7f}\u{9b}2J\x1b[2J\u{202e}\u{e0041}\u{1d173}\u{2028}\n\\ 世界 👨\u{200d}👩";
        let value = serde_json::json!({ texts: [texts] });
        let safe = json(&value.to_string());
        assert!(!safe.chars().any(is_hidden), "{safe}");
        assert!(
            safe.contains("世界") && safe.contains("\\u009b2J") && safe.contains("\\udb40\\udc41"),
            "{safe}"
        );
        assert_eq!(serde_json::from_str::<serde_json::Value>(&safe).unwrap(), value);
    }

    #[test]
    fn ordinary_text_stays() {
        let text = "Grüße, 世界 👋\n\tfn main() {}\n";
        assert_eq!(block(text), text);
        assert_eq!(block("a\r\nb"), "a\nb");
        assert_eq!(line("a\nb\tc\n"), "a b c");
    }
}
