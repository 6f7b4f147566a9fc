//! Lines that end between words.

use unicode_width::UnicodeWidthStr;

/// Returns a text as lines of at most `width`. A word that is longer is a line of its own.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
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

/// Returns one line as lines of at most `width` that begin where its text does.
pub(super) fn indented(line: &str, width: usize) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
    let indent = indentation(line, width);
    let (head, text) = line.split_at(indent);
    let rows =
        wrapped(if indent == 0 { text.trim_start() } else { text }, width - indent).into_iter().enumerate();
    rows.map(|(index, row)| if index == 0 { format!("{head}{row}") } else { " ".repeat(indent) + &row })
        .collect()
}

/// Returns how far the text of a line is indented: by blanks, and by the mark of a list.
pub(super) fn indentation(line: &str, width: usize) -> usize {
    let text = line.trim_start_matches(' ');
    let blanks = line.len() - text.len();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = match text.get(digits..) {
        Some(rest) if digits == 0 && (rest.starts_with("- ") || rest.starts_with("* ")) => 2,
        Some(rest) if (1..=3).contains(&digits) && rest.starts_with(". ") => digits + 2,
        _ => 0,
    };
    // Where little room is left, all of it is needed.
    if blanks + mark <= width / 2 { blanks + mark } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_go_on_where_their_text_began() {
        assert_eq!(indented("  fn main", 20), ["  fn main"]);
        assert_eq!(indented("  one two", 6), ["  one", "  two"]);
        assert_eq!(indented(" - one two", 7), [" - one", "   two"]);
        assert_eq!(indented("12. one two", 8), ["12. one", "    two"]);
        assert_eq!(indented("      one two", 8), ["one two"]);
    }

    #[test]
    fn lines_end_between_words() {
        assert_eq!(wrapped("May I really push?", 8), ["May I", "really", "push?"]);
        assert_eq!(wrapped("a  b", 8), ["a  b"]);
        assert_eq!(wrapped("修复 修复", 5), ["修复", "修复"]);
        assert_eq!(wrapped("see /a/long/path/there now", 8), ["see", "/a/long/path/there", "now"]);
    }
}
