//! Files that people attach to messages: which kinds there are, and which of them an agent takes.

mod image;
mod inspect;
mod quote;

use serde::{Deserialize, Serialize};

pub use inspect::{Found, HEAD as HEAD_BYTES, Inspection, Start, Unusable, start};
pub use quote::{is_plain_name, plain_name, quoted};

use crate::id::FileId;
use crate::limits::{ATTACHMENTS, ATTACHMENTS_BYTES};

/// A file that a message has. Events hold this; its name is erased with its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attached {
    pub id: FileId,
    pub kind: Kind,
    /// Length in bytes.
    pub len: u64,
}

/// What is kept beside the bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub name: String,
    pub kind: Kind,
    /// Width and height of an image.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pixels: Option<(u32, u32)>,
}

/// What a file is, by its bytes and never by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
    Pdf,
    /// UTF-8.
    Text,
}

/// What a file is that agents do not take, or that is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    Avif,
    Heic,
    Tiff,
    Bmp,
    /// Too large to show.
    LargeImage,
    DamagedImage,
    Pdf,
    Video,
    Zip,
    Gzip,
    Program,
}

impl Other {
    pub const ALL: [Self; 11] = [
        Self::Avif,
        Self::Heic,
        Self::Tiff,
        Self::Bmp,
        Self::LargeImage,
        Self::DamagedImage,
        Self::Pdf,
        Self::Video,
        Self::Zip,
        Self::Gzip,
        Self::Program,
    ];

    /// Returns what it is, after "the file is".
    pub fn words(self) -> &'static str {
        match self {
            Self::Avif => "an AVIF image",
            Self::Heic => "a HEIC image",
            Self::Tiff => "a TIFF image",
            Self::Bmp => "a BMP image",
            Self::LargeImage => "an image that is too large to show",
            Self::DamagedImage => "a damaged image",
            Self::Pdf => "a PDF document",
            Self::Video => "a video",
            Self::Zip => "a ZIP archive or office document",
            Self::Gzip => "a gzip archive",
            Self::Program => "a program",
        }
    }
}

impl std::fmt::Display for Other {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.words())
    }
}

/// What kinds of files a harness takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Accepts {
    pub images: bool,
    pub pdf: bool,
    pub text: bool,
}

/// Why a message cannot have these files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{count} files are attached; the limit is {ATTACHMENTS} per message")]
    TooMany { count: usize },
    #[error("the attached files total {}; the limit is {} per message", size(*.bytes), size(ATTACHMENTS_BYTES))]
    TooLarge { bytes: u64 },
    #[error("{provider} does not accept {kind} as input, only {accepts}", kind = .kind.plural())]
    Kind { provider: String, kind: Kind, accepts: Accepts },
    #[error("{provider} does not accept attachments")]
    Nothing { provider: String },
}

impl Kind {
    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
            Self::Pdf => "application/pdf",
            Self::Text => "text/plain",
        }
    }

    /// Says whether it is an image.
    pub fn is_image(self) -> bool {
        matches!(self, Self::Png | Self::Jpeg | Self::Gif | Self::Webp)
    }

    /// Returns what people call one of them.
    pub fn word(self) -> &'static str {
        match self {
            Self::Png => "PNG image",
            Self::Jpeg => "JPEG image",
            Self::Gif => "GIF image",
            Self::Webp => "WebP image",
            Self::Pdf => "PDF document",
            Self::Text => "text file",
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Self::Png | Self::Jpeg | Self::Gif | Self::Webp => "images",
            Self::Pdf => "PDF documents",
            Self::Text => "text files",
        }
    }
}

impl Accepts {
    /// Takes no files.
    pub const NOTHING: Self = Self { images: false, pdf: false, text: false };
    /// Takes images, and text as part of the message.
    pub const IMAGES_AND_TEXT: Self = Self { images: true, pdf: false, text: true };
    /// Takes every kind there is.
    pub const ALL: Self = Self { images: true, pdf: true, text: true };

    /// Says whether a kind is taken.
    pub fn takes(self, kind: Kind) -> bool {
        match kind {
            Kind::Png | Kind::Jpeg | Kind::Gif | Kind::Webp => self.images,
            Kind::Pdf => self.pdf,
            Kind::Text => self.text,
        }
    }

    /// Returns the words of the API for what is taken.
    pub fn words(self) -> Vec<&'static str> {
        let all = [(self.images, "image"), (self.pdf, "pdf"), (self.text, "text")];
        all.into_iter().filter(|(taken, _)| *taken).map(|(_, word)| word).collect()
    }
}

impl std::fmt::Display for Accepts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kinds = [(self.images, Kind::Png), (self.pdf, Kind::Pdf), (self.text, Kind::Text)];
        let taken: Vec<&str> =
            kinds.into_iter().filter(|(taken, _)| *taken).map(|(_, kind)| kind.plural()).collect();
        match taken.as_slice() {
            [] => f.write_str("no files"),
            [one] => f.write_str(one),
            [others @ .., last] => write!(f, "{} and {last}", others.join(", ")),
        }
    }
}

/// Checks that a message may have these files, and that its agent takes them.
pub fn check(files: &[Attached], provider: &str, accepts: Accepts) -> Result<(), Refused> {
    if files.len() > ATTACHMENTS {
        return Err(Refused::TooMany { count: files.len() });
    }
    let bytes = bytes(files);
    if bytes > ATTACHMENTS_BYTES {
        return Err(Refused::TooLarge { bytes });
    }
    match files.iter().find(|file| !accepts.takes(file.kind)) {
        None => Ok(()),
        Some(_) if accepts == Accepts::NOTHING => Err(Refused::Nothing { provider: provider.to_owned() }),
        Some(file) => Err(Refused::Kind { provider: provider.to_owned(), kind: file.kind, accepts }),
    }
}

/// Returns how large files are in sum.
pub fn bytes(files: &[Attached]) -> u64 {
    files.iter().fold(0, |sum, file| sum.saturating_add(file.len))
}

/// Returns a number of bytes as people read it.
pub fn size(bytes: u64) -> String {
    const STEP: u64 = 1024;
    match bytes {
        0..STEP => format!("{bytes} bytes"),
        STEP..1_048_576 => format!("{} KB", bytes.div_ceil(STEP)),
        _ => {
            let tenths = bytes.saturating_mul(10).div_ceil(STEP * STEP);
            match tenths % 10 {
                0 => format!("{} MB", tenths / 10),
                rest => format!("{}.{rest} MB", tenths / 10),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attached(kind: Kind, len: u64) -> Attached {
        Attached { id: FileId::from_uuid(uuid::Uuid::nil()), kind, len }
    }

    #[test]
    fn an_agent_gets_only_what_it_takes() {
        let images = Accepts { images: true, ..Accepts::NOTHING };
        assert_eq!(check(&[attached(Kind::Webp, 1)], "codex", images), Ok(()));
        let told =
            check(&[attached(Kind::Png, 1), attached(Kind::Pdf, 1)], "codex", Accepts::IMAGES_AND_TEXT);
        assert_eq!(
            told.unwrap_err().to_string(),
            "codex does not accept PDF documents as input, only images and text files"
        );
        let told = check(&[attached(Kind::Text, 1)], "external", Accepts::NOTHING).unwrap_err();
        assert_eq!(told.to_string(), "external does not accept attachments");
        assert_eq!(check(&[], "external", Accepts::NOTHING), Ok(()));
        assert_eq!(Accepts::ALL.to_string(), "images, PDF documents and text files");
        assert_eq!(Accepts::ALL.words(), ["image", "pdf", "text"]);
    }

    #[test]
    fn a_message_has_few_files_of_a_bounded_size() {
        let many = |count| vec![attached(Kind::Png, 1); count];
        assert_eq!(check(&many(ATTACHMENTS), "claude", Accepts::ALL), Ok(()));
        let told = check(&many(ATTACHMENTS + 1), "claude", Accepts::ALL).unwrap_err();
        assert_eq!(told.to_string(), "11 files are attached; the limit is 10 per message");
        let large = |len| [attached(Kind::Png, len), attached(Kind::Png, ATTACHMENTS_BYTES / 2)];
        assert_eq!(check(&large(ATTACHMENTS_BYTES / 2), "claude", Accepts::ALL), Ok(()));
        let told = check(&large(ATTACHMENTS_BYTES / 2 + 1), "claude", Accepts::ALL).unwrap_err();
        assert_eq!(told.to_string(), "the attached files total 32.1 MB; the limit is 32 MB per message");
    }

    #[test]
    fn sizes_are_rounded_up() {
        let shown = [0, 1023, 1024, 1025, 1_048_575, 1_048_576, 1_600_000, 33_554_433].map(size);
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1 KB", "2 KB", "1024 KB", "1 MB", "1.6 MB", "32.1 MB"]);
    }
}
