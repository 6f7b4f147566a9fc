//! How long a text gets on a line of the protocol, where it stands as JSON.

use paseo_core::cut::head_and_tail;

use crate::lines::LINE_LIMIT;

/// What the texts of a line may take: the rest of it is small.
const ROOM: usize = LINE_LIMIT - 4 * 1024 * 1024;

/// So many bytes fit, whatever they are: none takes more than six.
pub(super) const SURE: usize = ROOM / 6 - 1024;

/// Says whether texts fit on one line.
pub(super) fn fits(texts: &[&str]) -> bool {
    texts.iter().map(|text| text.len()).sum::<usize>() <= SURE
        || texts.iter().map(|text| escaped(text)).sum::<usize>() <= ROOM
}

/// Cuts a text that would not fit.
pub(super) fn fitted(text: String) -> String {
    if fits(&[&text]) { text } else { head_and_tail(&text, SURE).into_owned() }
}

/// Returns how many bytes a text has as JSON.
fn escaped(text: &str) -> usize {
    let one = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..32 => 6,
        _ => 1,
    };
    text.bytes().map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_counted_as_it_is_written() {
        for byte in 0..=u8::MAX {
            let text = char::from(byte).to_string();
            assert_eq!(escaped(&text), serde_json::to_string(&text).unwrap().len() - 2, "{byte}");
        }
    }

    #[test]
    fn what_would_not_fit_is_cut() {
        let plain = "x".repeat(16 * 1024 * 1024);
        assert_eq!(fitted(plain.clone()), plain);
        let text = fitted("\u{1}".repeat(16 * 1024 * 1024) + "end");
        assert!(fits(&[&text]) && text.ends_with("end") && text.contains("bytes left out"));
        assert!(serde_json::to_string(&text).unwrap().len() < LINE_LIMIT);
    }
}
