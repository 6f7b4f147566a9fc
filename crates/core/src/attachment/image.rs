//! What the first bytes of a file say: its kind, and the dimensions of an image.

use super::{Kind, Other};

/// What a file begins like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Magic {
    Known(Kind),
    /// An image or document of a kind that no agent takes.
    Other(Other),
    Nothing,
}

/// Tells a file's kind by its first bytes.
pub(super) fn magic(head: &[u8]) -> Magic {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Magic::Known(Kind::Png),
        [0xff, 0xd8, 0xff, ..] => Magic::Known(Kind::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Magic::Known(Kind::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Magic::Known(Kind::Webp),
        [b'%', b'P', b'D', b'F', b'-', ..] => Magic::Known(Kind::Pdf),
        [0, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => match brand {
            [b'a', b'v', b'i', ..] => Magic::Other(Other::Avif),
            [b'h', b'e', ..] | [b'm', b'i', b'f', ..] => Magic::Other(Other::Heic),
            _ => Magic::Other(Other::Video),
        },
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => Magic::Other(Other::Tiff),
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => Magic::Other(Other::Bmp),
        [b'P', b'K', 3, 4, ..] => Magic::Other(Other::Zip),
        [0x1f, 0x8b, ..] => Magic::Other(Other::Gzip),
        [0x7f, b'E', b'L', b'F', ..] => Magic::Other(Other::Program),
        _ => Magic::Nothing,
    }
}

/// Says whether a PDF document has a version at its beginning and its mark at its end. `tail` are its last bytes.
pub(super) fn is_whole_pdf(head: &[u8], tail: &[u8]) -> bool {
    let version = matches!(head.get(5..8), Some([major, b'.', minor]) if major.is_ascii_digit() && minor.is_ascii_digit());
    version && tail.windows(5).any(|window| window == b"%%EOF")
}

/// Reads width and height of an image; `None` when it is damaged, or says them further back.
pub(super) fn dimensions(kind: Kind, head: &[u8]) -> Option<(u32, u32)> {
    match kind {
        Kind::Png => {
            // All of the first chunk: its length, its name, what it says, and its checksum.
            let header = head.get(8..33)?;
            (header.get(..8)? == b"\0\0\0\x0dIHDR").then_some(())?;
            let [depth, colour, 0, 0, 0 | 1] = header.get(16..21)? else { return None };
            let is_known = match colour {
                0 => matches!(depth, 1 | 2 | 4 | 8 | 16),
                3 => matches!(depth, 1 | 2 | 4 | 8),
                2 | 4 | 6 => matches!(depth, 8 | 16),
                _ => false,
            };
            is_known.then_some(())?;
            Some((big(header.get(8..12)?)?, big(header.get(12..16)?)?))
        }
        Kind::Gif => Some((little(head.get(6..8)?)?, little(head.get(8..10)?)?)),
        Kind::Webp => webp(head.get(12..)?),
        Kind::Jpeg => jpeg(head.get(2..)?),
        Kind::Pdf | Kind::Text => None,
    }
}

fn webp(chunk: &[u8]) -> Option<(u32, u32)> {
    let body = chunk.get(8..)?;
    match chunk.get(..4)? {
        b"VP8X" => Some((little(body.get(4..7)?)? + 1, little(body.get(7..10)?)? + 1)),
        b"VP8L" => {
            (*body.first()? == 0x2f).then_some(())?;
            let bits = little(body.get(1..5)?)?;
            Some(((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1))
        }
        b"VP8 " => {
            (body.get(3..6)? == [0x9d, 0x01, 0x2a]).then_some(())?;
            Some((little(body.get(6..8)?)? & 0x3fff, little(body.get(8..10)?)? & 0x3fff))
        }
        _ => None,
    }
}

/// Walks from segment to segment to the one that has the dimensions.
fn jpeg(mut rest: &[u8]) -> Option<(u32, u32)> {
    loop {
        let [0xff, marker, after @ ..] = rest else { return None };
        match marker {
            // Fill bytes.
            0xff => rest = rest.get(1..)?,
            // These stand alone.
            0x01 | 0xd0..=0xd8 => rest = after,
            0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf => {
                return Some((big(after.get(5..7)?)?, big(after.get(3..5)?)?));
            }
            // The picture itself, or its end: there are none.
            0xda | 0xd9 => return None,
            _ => rest = after.get(big(after.get(..2)?)? as usize..)?,
        }
    }
}

fn big(bytes: &[u8]) -> Option<u32> {
    number(bytes.iter())
}

fn little(bytes: &[u8]) -> Option<u32> {
    number(bytes.iter().rev())
}

fn number<'a>(bytes: impl Iterator<Item = &'a u8>) -> Option<u32> {
    bytes.into_iter().try_fold(0u32, |number, byte| number.checked_mul(256)?.checked_add(u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_say_how_large_they_are() {
        let png = [
            b"\x89PNG\r\n\x1a\n".as_slice(),
            b"\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58",
            b"\x08\x06\0\0\0CRC!",
        ]
        .concat();
        assert_eq!((magic(&png), dimensions(Kind::Png, &png)), (Magic::Known(Kind::Png), Some((800, 600))));
        let gif = b"GIF89a\x20\x03\x58\x02";
        assert_eq!((magic(gif), dimensions(Kind::Gif, gif)), (Magic::Known(Kind::Gif), Some((800, 600))));
        let jpeg = [
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xe1\0\x03x".as_slice(),
            b"\xff\xc2\0\x11\x08\x02\x58\x03\x20\x03",
        ]
        .concat();
        assert_eq!(
            (magic(&jpeg), dimensions(Kind::Jpeg, &jpeg)),
            (Magic::Known(Kind::Jpeg), Some((800, 600)))
        );
        let webp = |chunk: &[u8]| [b"RIFF\0\0\0\0WEBP".as_slice(), chunk].concat();
        for chunk in [
            b"VP8X\x0a\0\0\0\0\0\0\0\x1f\x03\0\x57\x02\0".as_slice(),
            b"VP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x20\x03\x58\x02",
            b"VP8L\0\0\0\0\x2f\x1f\xc3\x95\0",
        ] {
            let webp = webp(chunk);
            assert_eq!(magic(&webp), Magic::Known(Kind::Webp));
            assert_eq!(dimensions(Kind::Webp, &webp), Some((800, 600)), "{chunk:?}");
        }
    }

    #[test]
    fn damaged_images_say_nothing() {
        for (kind, head) in [
            (Kind::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIDAT\0\0\x03\x20\0\0\x02\x58".as_slice()),
            (Kind::Png, b"\x89PNG\r\n\x1a\n"),
            (Kind::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58"),
            (Kind::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58\x08\x06\0\0\0CR"),
            (Kind::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x03\x20\0\0\x02\x58\x07\x06\0\0\0CRC!"),
            (Kind::Png, b"\x89PNG\r\n\x1a\n\0\0\0\x0cIHDR\0\0\x03\x20\0\0\x02\x58\x08\x06\0\0\0CRC!"),
            (Kind::Gif, b"GIF89a\x20"),
            (Kind::Jpeg, b"\xff\xd8\xff\xe0\0\0\xff\xc0"),
            (Kind::Jpeg, b"\xff\xd8\xff\xda\0\x04abcd"),
            (Kind::Jpeg, b"\xff\xd8\xff\xe0\xff\xff"),
            (Kind::Webp, b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0garbage garbage"),
        ] {
            assert_eq!(dimensions(kind, head), None, "{head:?}");
        }
    }
}
