//! Looks at a file while it is uploaded: what it is, and whether an agent could read it.
//!
//! Harnesses turn an image that they cannot read into a sentence and go on. So a file is judged here, before any
//! agent gets it.

use super::image::{Magic, dimensions, is_whole_pdf, magic};
use super::{Kind, Other, size};
use crate::limits::{ATTACHMENT_BYTES, ATTACHMENT_TEXT_BYTES, IMAGE_PIXELS, IMAGE_SIDE};

/// How much of its beginning is kept: JPEG files may have the dimensions behind much else.
pub const HEAD: usize = 512 * 1024;
/// How much of its end is kept: documents have their mark somewhere there.
const TAIL: usize = 1024;
/// As much tells one kind from another.
const MAGIC: usize = 32;

/// A file that is being looked at.
#[derive(Debug, Default)]
pub struct Inspection {
    head: Vec<u8>,
    tail: Vec<u8>,
    len: u64,
    /// What is left of a character that began in the last piece.
    cut: Vec<u8>,
    /// Where it stops being text.
    not_text: bool,
}

/// What a file turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    pub kind: Kind,
    pub len: u64,
    /// Width and height of an image.
    pub pixels: Option<(u32, u32)>,
}

/// Why a file cannot be attached.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    #[error("the file is empty")]
    Empty,
    #[error("the file is larger than {}", size(ATTACHMENT_BYTES))]
    TooLarge,
    #[error("the text file is larger than {}", size(ATTACHMENT_TEXT_BYTES))]
    TextTooLarge,
    #[error("the file is {0}, which no provider accepts")]
    Other(Other),
    #[error("the file is not an image, a PDF document or UTF-8 text")]
    Unknown,
    #[error("the file looks like a {kind} but is damaged", kind = .0.word())]
    Damaged(Kind),
    #[error(
        "the image is {width} × {height} pixels; the limit is {IMAGE_SIDE} per side and {} million in total",
        IMAGE_PIXELS / 1_000_000
    )]
    Dimensions { width: u32, height: u32 },
}

/// What the beginning of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// An image that browsers and agents can be given.
    Image { kind: Kind, width: u32, height: u32 },
    /// Something else that is known.
    Other(Other),
    /// Nothing: it may be text.
    Nothing,
}

/// Says what a file is by its beginning: all of it, or [`HEAD`] bytes.
pub fn start(head: &[u8]) -> Start {
    let kind = match magic(head) {
        Magic::Known(Kind::Pdf) => return Start::Other(Other::Pdf),
        Magic::Known(kind) => kind,
        Magic::Other(other) => return Start::Other(other),
        Magic::Nothing => return Start::Nothing,
    };
    match dimensions(kind, head) {
        Some((width, height)) if is_bomb(width, height) => Start::Other(Other::LargeImage),
        Some((width, height)) if width > 0 && height > 0 => Start::Image { kind, width, height },
        _ => Start::Other(Other::DamagedImage),
    }
}

/// Says whether an image has more pixels than anyone should be given.
fn is_bomb(width: u32, height: u32) -> bool {
    let pixels = u64::from(width) * u64::from(height);
    width > IMAGE_SIDE || height > IMAGE_SIDE || pixels > IMAGE_PIXELS
}

impl Unusable {
    /// Says whether it is the size that is wrong.
    pub fn is_size(&self) -> bool {
        matches!(self, Self::TooLarge | Self::TextTooLarge)
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "check that the file was written, then attach it again",
            Self::TooLarge | Self::Dimensions { .. } => "make it smaller, then attach it again",
            Self::TextTooLarge => {
                "put its path in the message so the agent can read the parts it needs, or attach an excerpt"
            }
            Self::Other(_) | Self::Unknown => {
                "convert it to PNG, JPEG, GIF, WebP, PDF or UTF-8 text, or put its path in the message"
            }
            Self::Damaged(_) => "open the file to see what is wrong, save it again, then attach the new copy",
        }
    }
}

impl Inspection {
    /// Looks at the next piece. An error is final: nothing more needs to be uploaded.
    pub fn look(&mut self, piece: &[u8]) -> Result<(), Unusable> {
        self.len = self.len.saturating_add(piece.len() as u64);
        if self.len > ATTACHMENT_BYTES {
            return Err(Unusable::TooLarge);
        }
        let room = HEAD.saturating_sub(self.head.len()).min(piece.len());
        self.head.extend_from_slice(&piece[..room]);
        self.tail.extend_from_slice(&piece[piece.len().saturating_sub(TAIL)..]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        self.look_for_text(piece);
        match magic(&self.head) {
            Magic::Other(other) => Err(Unusable::Other(other)),
            Magic::Known(_) => Ok(()),
            // The rest may tell.
            Magic::Nothing if self.head.len() < MAGIC => Ok(()),
            Magic::Nothing if self.not_text => Err(Unusable::Unknown),
            Magic::Nothing if self.len > ATTACHMENT_TEXT_BYTES => Err(Unusable::TextTooLarge),
            Magic::Nothing => Ok(()),
        }
    }

    /// Says what the whole file is.
    pub fn finish(self) -> Result<Found, Unusable> {
        if self.len == 0 {
            return Err(Unusable::Empty);
        }
        let kind = match magic(&self.head) {
            Magic::Known(kind) => kind,
            Magic::Other(other) => return Err(Unusable::Other(other)),
            Magic::Nothing if self.not_text || !self.cut.is_empty() => return Err(Unusable::Unknown),
            Magic::Nothing => Kind::Text,
        };
        if kind == Kind::Pdf && !is_whole_pdf(&self.head, &self.tail) {
            return Err(Unusable::Damaged(kind));
        }
        if !kind.is_image() {
            return Ok(Found { kind, len: self.len, pixels: None });
        }
        let (width, height) = dimensions(kind, &self.head).ok_or(Unusable::Damaged(kind))?;
        if width == 0 || height == 0 {
            return Err(Unusable::Damaged(kind));
        }
        if is_bomb(width, height) {
            return Err(Unusable::Dimensions { width, height });
        }
        Ok(Found { kind, len: self.len, pixels: Some((width, height)) })
    }

    fn look_for_text(&mut self, piece: &[u8]) {
        if self.not_text {
            return;
        }
        let joined;
        let bytes = if self.cut.is_empty() {
            piece
        } else {
            joined = [self.cut.as_slice(), piece].concat();
            &joined
        };
        // Text has no zeros; what has them is read as something else sooner or later.
        self.not_text = bytes.contains(&0);
        let cut = match std::str::from_utf8(bytes) {
            Ok(_) => Vec::new(),
            Err(error) if error.error_len().is_none() => bytes[error.valid_up_to()..].to_vec(),
            Err(_) => {
                self.not_text = true;
                Vec::new()
            }
        };
        self.cut = cut;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn inspected(pieces: &[&[u8]]) -> Result<Found, Unusable> {
        let mut inspection = Inspection::default();
        for piece in pieces {
            inspection.look(piece)?;
        }
        inspection.finish()
    }

    fn png(width: u32, height: u32) -> Vec<u8> {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".as_slice();
        [head, &width.to_be_bytes(), &height.to_be_bytes(), b"\x08\x06\0\0\0CRC!"].concat()
    }

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let found = inspected(&[&png(800, 600)]).unwrap();
        assert_eq!((found.kind, found.pixels), (Kind::Png, Some((800, 600))));
        assert_eq!(inspected(&[b"%PDF-1.7\n\xff\0\n%%EOF\n"]).unwrap().kind, Kind::Pdf);
        assert_eq!(inspected(&[b"hello\r\n"]).unwrap().kind, Kind::Text);
        // A drawing in XML may run programs in a browser: to us it is text.
        assert_eq!(inspected(&[b"<svg xmlns='http://www.w3.org/2000/svg'/>"]).unwrap().kind, Kind::Text);
        assert_eq!(inspected(&["Grö".as_bytes(), "ße 語".as_bytes()]).unwrap().kind, Kind::Text);
    }

    #[test]
    fn what_no_agent_could_read_is_refused_with_a_reason() {
        assert_eq!(inspected(&[]), Err(Unusable::Empty));
        assert_eq!(inspected(&[b"PK\x03\x04rest"]), Err(Unusable::Other(Other::Zip)));
        assert_eq!(inspected(&[b"\0\0\0\x18ftypheic"]), Err(Unusable::Other(Other::Heic)));
        assert_eq!(inspected(&[b"\xff\xfeh\0i\0"]), Err(Unusable::Unknown));
        assert_eq!(inspected(&[b"zero\0"]), Err(Unusable::Unknown));
        assert_eq!(inspected(&[b"cut \xe8\xaa"]), Err(Unusable::Unknown));
        assert_eq!(inspected(&[b"\x89PNG\r\n\x1a\n not a picture"]), Err(Unusable::Damaged(Kind::Png)));
        let whole = [b"%PDF-1.7\n".as_slice(), &[7; 5_000], b"\n%%EO", b"F\n"];
        assert!(inspected(&whole).is_ok());
        for cut in [b"%PDF-".as_slice(), b"%PDF-1.7\n", b"%PDF-x.7\n%%EOF", &whole[..3].concat()] {
            assert_eq!(inspected(&[cut]), Err(Unusable::Damaged(Kind::Pdf)), "{cut:?}");
        }
        assert_eq!(inspected(&[&png(8, 8)[..32]]), Err(Unusable::Damaged(Kind::Png)));
        assert_eq!(inspected(&[&png(0, 600)]), Err(Unusable::Damaged(Kind::Png)));
        let bomb = inspected(&[&png(60_000, 60_000)]).unwrap_err();
        assert_eq!(
            bomb.to_string(),
            "the image is 60000 × 60000 pixels; the limit is 16384 per side and 100 million in total"
        );
        assert!(inspected(&[&png(16_384, 16_384)]).is_err());
        assert!(inspected(&[&png(10_000, 10_000)]).is_ok());
    }

    #[test]
    fn a_file_that_is_too_large_is_refused_as_soon_as_it_is() {
        let mut image = Inspection::default();
        image.look(&png(8, 8)).unwrap();
        let mut len = png(8, 8).len() as u64;
        let piece = vec![7; 1024 * 1024];
        while len + piece.len() as u64 <= ATTACHMENT_BYTES {
            image.look(&piece).unwrap();
            len += piece.len() as u64;
        }
        image.look(&piece[..(ATTACHMENT_BYTES - len) as usize]).unwrap();
        assert_eq!(image.look(b"x"), Err(Unusable::TooLarge));

        let mut text = Inspection::default();
        text.look(&vec![b'a'; ATTACHMENT_TEXT_BYTES as usize]).unwrap();
        assert_eq!(text.look(b"a"), Err(Unusable::TextTooLarge));
    }

    proptest! {
        #[test]
        fn pieces_make_no_difference(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0..200usize, text in ".{0,60}") {
            for whole in [bytes.as_slice(), text.as_bytes(), &png(3, 4)] {
                let (one, other) = whole.split_at(at.min(whole.len()));
                let (pieces, at_once) = (inspected(&[one, other]), inspected(&[whole]));
                prop_assert_eq!(pieces, at_once);
            }
        }
    }
}
