//! What a file is, by its first bytes, and how much of it is shown.

use crate::attachment::{self, Kind, Other, Start};
use crate::limits::PREVIEW_BYTES;

/// How much of a file's beginning has to be known.
pub const HEAD_BYTES: usize = attachment::HEAD_BYTES;

/// What is shown of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preview {
    Text {
        text: String,
        /// There is more.
        cut: bool,
    },
    Image {
        kind: Kind,
        width: u32,
        height: u32,
    },
    /// Nothing: it is neither, or an image that no browser should be given. Named where that can be told.
    Binary {
        what: Option<Other>,
    },
}

/// Says what is shown of a file. `head` is its beginning: all of it, or [`HEAD_BYTES`]; `length` is that of the file.
pub fn preview(head: &[u8], length: u64) -> Preview {
    match attachment::start(head) {
        Start::Image { kind, width, height } => Preview::Image { kind, width, height },
        Start::Other(what) => Preview::Binary { what: Some(what) },
        Start::Nothing => match text(head, length) {
            Some((text, cut)) => Preview::Text { text, cut },
            None => Preview::Binary { what: None },
        },
    }
}

fn text(head: &[u8], length: u64) -> Option<(String, bool)> {
    let shown = &head[..head.len().min(PREVIEW_BYTES)];
    let cut = (shown.len() as u64) < length;
    if shown.contains(&0) {
        return None;
    }
    let text = match std::str::from_utf8(shown) {
        Ok(text) => text,
        // The last character goes on behind the cut.
        Err(error) if cut && error.error_len().is_none() => {
            std::str::from_utf8(&shown[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    Some((text.to_owned(), cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Preview {
        preview(&bytes[..bytes.len().min(HEAD_BYTES)], bytes.len() as u64)
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice();
        [head, &width.to_be_bytes(), &height.to_be_bytes(), b"\x08\x06\0\0\0CRC!"].concat()
    }

    #[test]
    fn a_file_is_what_its_bytes_say() {
        assert_eq!(whole(b""), Preview::Text { text: String::new(), cut: false });
        assert_eq!(whole("Größe".as_bytes()), Preview::Text { text: "Größe".into(), cut: false });
        assert_eq!(whole(&png(3, 4)), Preview::Image { kind: Kind::Png, width: 3, height: 4 });
        // A drawing may run programs in a browser: it is shown as text.
        assert!(matches!(whole(b"<svg onload='x()'/>"), Preview::Text { .. }));
        for (bytes, what) in [
            (b"\x7fELF\x02".as_slice(), Some(Other::Program)),
            (b"%PDF-1.7\n", Some(Other::Pdf)),
            (b"zero\0", None),
            (b"\xff\xfeh\0i\0", None),
            (b"cut \xe8\xaa", None),
            (b"\x89PNG\r\n\x1a\n not a picture", Some(Other::DamagedImage)),
        ] {
            assert_eq!(whole(bytes), Preview::Binary { what }, "{bytes:?}");
        }
        assert_eq!(whole(&png(60_000, 60_000)), Preview::Binary { what: Some(Other::LargeImage) });
    }

    #[test]
    fn a_long_text_is_cut_between_characters_and_says_so() {
        let exact = "a".repeat(PREVIEW_BYTES);
        assert_eq!(whole(exact.as_bytes()), Preview::Text { text: exact.clone(), cut: false });
        let long = format!("{}ß{exact}", &exact[1..]);
        assert_eq!(whole(long.as_bytes()), Preview::Text { text: exact[1..].to_owned(), cut: true });
    }
}
