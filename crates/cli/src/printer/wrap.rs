//! Lines that end between words.

use unicode_width::UnicodeWidthStr;

/// Returns a text as lines of at most `width`. A word that is longer is a line of its own, and so is code in backticks:
/// a command with a line break in it cannot be pasted.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
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

/// Splits a text at blanks, except inside of a pair of backticks and of a command that follows a colon.
fn words(text: &str) -> Vec<&str> {
    let pairs = text.matches('`').count() / 2;
    let (mut words, mut begin, mut ticks, mut command) = (Vec::new(), 0, 0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'p' if text[at..].starts_with("paseo ") => {
                command |= at == 0 || text[..at].ends_with(": ");
            }
            b'.' | b';' if text[at + 1..].starts_with(' ') => command = false,
            b'`' => ticks += 1,
            b' ' if !command && (ticks % 2 == 0 || ticks > 2 * pairs) => {
                words.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    words.push(&text[begin..]);
    words
}

/// Returns one line as lines of at most `width` that begin where its text does.
pub(super) fn indented(line: &str, width: usize) -> Vec<String> {
    broken(line, width, indentation(line, width))
}

/// Returns one line as lines of at most `width`. They begin where its last column does, or else its text: columns have
/// two blanks between them.
pub(crate) fn hanging(line: &str, width: usize) -> Vec<String> {
    let column = line.rmatch_indices("  ").map(|(at, gap)| at + gap.len()).find(|at| *at <= width / 2);
    let fits = |column: &usize| words(&line[*column..]).iter().all(|word| word.width() + column <= width);
    broken(line, width, column.filter(fits).unwrap_or_else(|| indentation(line, width)))
}

fn broken(line: &str, width: usize, indent: usize) -> Vec<String> {
    if line.width() <= width {
        return vec![line.to_owned()];
    }
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

    #[test]
    fn lines_go_on_in_their_last_column() {
        assert_eq!(hanging("status  held by user", 16), ["status  held by", "        user"]);
        assert_eq!(hanging("a  1  one two", 12), ["a  1  one", "      two"]);
        assert_eq!(
            hanging("id  one 0123456789 two", 12),
            ["id  one", "0123456789", "two"],
            "a long word needs room"
        );
        assert_eq!(hanging("  one two", 6), ["  one", "  two"]);
    }

    #[test]
    fn lines_never_end_inside_of_a_command() {
        assert_eq!(wrapped("None. Start one: paseo run x", 12), ["None. Start", "one:", "paseo run x"]);
        assert_eq!(wrapped("To wait: paseo wait a. Or go", 12), ["To wait:", "paseo wait a.", "Or go"]);
        assert_eq!(wrapped("now run `paseo ls -a`, or stop", 14), ["now run", "`paseo ls -a`,", "or stop"]);
        assert_eq!(
            wrapped("`a b` c ` d e", 3),
            ["`a b`", "c `", "d e"],
            "a backtick on its own is a character"
        );
    }
}
