//! Lines that end between words.

use unicode_width::UnicodeWidthStr;

/// Returns a text as lines of at most `width`. A word that is longer is a line of its own.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words() {
        assert_eq!(wrapped("May I really push?", 8), ["May I", "really", "push?"]);
        assert_eq!(wrapped("a  b", 8), ["a  b"]);
        assert_eq!(wrapped("修复 修复", 5), ["修复", "修复"]);
        assert_eq!(wrapped("see /a/long/path/there now", 8), ["see", "/a/long/path/there", "now"]);
    }
}
