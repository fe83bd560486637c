//! The format of a picture by its first bytes.

use crate::NoDigest;

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

    /// Why a file of no kind that begins with these bytes is not decoded: it is another picture
    /// (TIFF 6.0, also big ones and the raw forms of cameras made of it; ISO/IEC 23008-12; ISO/IEC
    /// 15444-1; ISO/IEC 18181-2), or none.
    pub(crate) fn lacking(first: &[u8]) -> NoDigest {
        let starts: [&[u8]; 8] = [
            b"II*\0",
            b"MM\0*",
            b"II+\0",
            b"MM\0+",
            b"\0\0\0\x0cjP  ",
            b"\xff\x4f\xff\x51",
            b"\0\0\0\x0cJXL ",
            b"\xff\x0a",
        ];
        let brands = [b"heic", b"heix", b"heim", b"heis", b"hevc", b"mif1", b"mif2", b"msf1", b"avif", b"avis"];
        let is_heif = first.get(4..8) == Some(b"ftyp")
            && first.get(8..12).is_some_and(|brand| brands.iter().any(|known| &known[..] == brand));
        let is_picture = is_heif || starts.iter().any(|start| first.starts_with(start));
        if is_picture { NoDigest::OtherPicture } else { NoDigest::OtherKind }
    }
}
