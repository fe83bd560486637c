//! The format of a picture by its first bytes.

/// A format of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// JPEG (ITU-T T.81), baseline and progressive.
    Jpeg,
    /// PNG (ISO/IEC 15948).
    Png,
    /// GIF 87a and 89a.
    Gif,
    /// WebP (RFC 9649).
    WebP,
    /// Bitmaps of Windows and OS/2.
    Bmp,
}

impl Kind {
    /// Bytes that decide.
    pub(crate) const DECIDING: usize = 18;

    /// The kind of a file that begins with these bytes: at least `Kind::DECIDING`, or all.
    pub fn of(first: &[u8]) -> Option<Kind> {
        if first.starts_with(b"\xff\xd8\xff") {
            Some(Kind::Jpeg)
        } else if first.starts_with(b"\x89PNG\r\n\x1a\n") {
            Some(Kind::Png)
        } else if first.starts_with(b"GIF87a") || first.starts_with(b"GIF89a") {
            Some(Kind::Gif)
        } else if first.starts_with(b"RIFF") && first.get(8..12) == Some(b"WEBP") {
            Some(Kind::WebP)
        } else if first.starts_with(b"BM")
            && matches!(first.get(14..18), Some([12 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0]))
        {
            Some(Kind::Bmp)
        } else {
            None
        }
    }
}
