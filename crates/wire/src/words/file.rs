//! Files.

use std::fmt;

words! {
    /// The kind of a directory entry.
    FileKind {
        File = "file",
        Directory = "directory",
        Symlink = "symlink",
        /// A pipe, a socket or a device.
        Special = "special",
    }
}

words! {
    /// A preview of a file.
    PreviewKind {
        Text = "text",
        Image = "image",
        Binary = "binary",
    }
}

words! {
    /// What a binary file is, to be read after "this is".
    BinaryKind from paseo_core::attachment::Other {
        Avif = "an AVIF image",
        Heic = "a HEIC image",
        Tiff = "a TIFF image",
        Bmp = "a BMP image",
        LargeImage = "an image that is too large to show",
        DamagedImage = "a damaged image",
        Pdf = "a PDF document",
        Video = "a video",
        Zip = "a ZIP archive or office document",
        Gzip = "a gzip archive",
        Program = "a program",
    }
}
