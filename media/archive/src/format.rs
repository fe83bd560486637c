//! Formats of archives, by their first bytes.

use super::{cab, coded, cpio_header, holders, lha_header, mail, pst, rar, tar_header, wim};
use pfh_container::logical::Logical;
use pfh_container::{sfx, signature};

/// The first bytes of an ar.
pub const AR: &[u8] = b"!<arch>\n";
/// The first bytes of an RPM package.
const RPM: &[u8] = b"\xed\xab\xee\xdb";

/// The format of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// PKZIP's, with ZIP64.
    Zip,
    /// ustar, pax and GNU.
    Tar,
    /// 7-Zip's own.
    SevenZip,
    /// One stream; of a tar or cpio, the members of that.
    Gzip,
    /// One stream; of a tar or cpio, the members of that.
    Bzip2,
    /// One stream; of a tar or cpio, the members of that.
    Xz,
    /// One stream; of a tar or cpio, the members of that.
    Zstd,
    /// compress's; of a tar or cpio, the members of that.
    Compress,
    /// LZ4's frames; of a tar or cpio, the members of that.
    Lz4,
    /// One stream of lzip; of a tar or cpio, the members of that.
    Lzip,
    /// LZMA with a header of 13 bytes; of a tar or cpio, the members of that.
    Lzma,
    /// newc, crc, odc and the old binary form.
    Cpio,
    /// Libraries, and Debian packages.
    Ar,
    /// RPM packages: the members of their cpio.
    Rpm,
    /// Microsoft's cabinets.
    Cab,
    /// WinRAR's, from version 1.5 on.
    Rar,
    /// Windows images.
    Wim,
    /// LHA, LHarc and LArc.
    Lha,
    /// A logical image: L01, AD1, or a volume of AFF4 that holds files.
    Logical(Logical),
    /// Messages one behind the other.
    Mbox,
    /// Outlook's stores, PST and OST.
    Pst,
    /// A message: its parts, decoded.
    Message,
    /// One message of Outlook (.msg): its attachments and bodies. [`recognize`](Format::recognize)
    /// does not name it: other compound files begin in the same way.
    Outlook,
    /// A text with files that are coded in it: uuencode, yEnc, BinHex, base64, shell archives.
    Coded,
    /// winmail.dat, as Outlook sends it.
    Tnef,
    /// AppleSingle and MacBinary: the forks of a file.
    Apple,
    /// A section of OneNote: the files in it.
    OneNote,
    /// A signed message (CMS): its content.
    Signed,
    /// A document in RTF with objects. [`recognize`](Format::recognize) does not name it, nor the
    /// next one: most of their kind have none.
    Rtf,
    /// A document of OLE with files in it.
    Objects,
    /// A PDF document: its streams. [`recognize`](Format::recognize) does not name it, because its
    /// members are parts of one file and hardly ever files.
    Pdf,
}

impl Format {
    /// How many of the first bytes [`recognize`](Format::recognize) looks at.
    pub const START: usize = 512;

    /// The format that the first bytes state; `None` if they state none.
    pub fn recognize(start: &[u8]) -> Option<Format> {
        match start {
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Format::Zip),
            [b'7', b'z', 0xBC, 0xAF, 0x27, 0x1C, ..] => Some(Format::SevenZip),
            [0x1F, 0x8B, 8, flags, ..] if flags & 0xE0 == 0 => Some(Format::Gzip),
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Format::Bzip2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Format::Xz),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Format::Zstd),
            // A frame that is passed over, as pzstd puts in front of each.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, a, b, c, d, rest @ ..] => {
                let length = usize::try_from(u32::from_le_bytes([*a, *b, *c, *d])).ok()?;
                Format::recognize(rest.get(length..)?).filter(|found| matches!(found, Format::Zstd | Format::Lz4))
            }
            [0x04, 0x22, 0x4D, 0x18, ..] | [0x02, 0x21, 0x4C, 0x18, ..] => Some(Format::Lz4),
            [b'L', b'Z', b'I', b'P', ..] if signature::is_lzip(start) => Some(Format::Lzip),
            [0x1F, 0x9D, ..] if signature::is_compress(start) => Some(Format::Compress),
            _ if start.starts_with(AR) => Some(Format::Ar),
            _ if start.starts_with(RPM) => Some(Format::Rpm),
            _ if start.starts_with(cab::MAGIC) => Some(Format::Cab),
            _ if start.starts_with(wim::MAGIC) => Some(Format::Wim),
            _ if rar::is_archive(start) => Some(Format::Rar),
            _ if lha_header::is_header(start) => Some(Format::Lha),
            _ if cpio_header::is_header(start) => Some(Format::Cpio),
            _ if signature::is_lzma(start) => Some(Format::Lzma),
            _ if tar_header::is_header(start) => Some(Format::Tar),
            _ if start.starts_with(pst::MAGIC) => Some(Format::Pst),
            _ if mail::is_mbox(start) => Some(Format::Mbox),
            _ if mail::is_message(start) => Some(Format::Message),
            _ if start.starts_with(holders::TNEF) => Some(Format::Tnef),
            _ if start.starts_with(holders::ONENOTE) => Some(Format::OneNote),
            _ if holders::is_apple(start) => Some(Format::Apple),
            _ if holders::is_cms(start) => Some(Format::Signed),
            _ if coded::is_one(start) => Some(Format::Coded),
            _ => Logical::recognize(start).map(Format::Logical),
        }
    }

    /// The names that it has in [`sfx::FoundArchive`], where it may stand behind something else.
    pub(super) fn behind(self) -> &'static [&'static str] {
        match self {
            Format::Zip => &["zip"],
            Format::SevenZip => &["7z"],
            Format::Cab => &["cabinet (CAB)"],
            Format::Rar => &["RAR 4", "RAR 5"],
            Format::Lha => &["LHA"],
            Format::Gzip => &["gzip"],
            Format::Xz => &["xz"],
            Format::Bzip2 => &["bzip2"],
            Format::Zstd => &["zstd"],
            Format::Lz4 => &["lz4"],
            Format::Lzip => &["lzip"],
            Format::Cpio => &["cpio"],
            Format::Tar => &["tar"],
            Format::Wim => &["WIM"],
            Format::Ar => &["ar"],
            _ => &[],
        }
    }

    /// The format of an archive that was found behind something else; `None` of one that is not
    /// read.
    pub fn found(found: &sfx::FoundArchive) -> Option<Format> {
        const FORMATS: [Format; 15] = [
            Format::Zip,
            Format::SevenZip,
            Format::Cab,
            Format::Rar,
            Format::Lha,
            Format::Gzip,
            Format::Xz,
            Format::Bzip2,
            Format::Zstd,
            Format::Lz4,
            Format::Lzip,
            Format::Cpio,
            Format::Tar,
            Format::Wim,
            Format::Ar,
        ];
        FORMATS.into_iter().find(|format| format.behind().contains(&found.format))
    }

    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Format::Zip => "zip",
            Format::Tar => "tar",
            Format::SevenZip => "7z",
            Format::Gzip => "gzip",
            Format::Bzip2 => "bzip2",
            Format::Xz => "xz",
            Format::Zstd => "zstd",
            Format::Compress => "compress",
            Format::Lz4 => "lz4",
            Format::Lzip => "lzip",
            Format::Lzma => "lzma",
            Format::Cpio => "cpio",
            Format::Ar => "ar",
            Format::Rpm => "rpm",
            Format::Cab => "cab",
            Format::Rar => "rar",
            Format::Wim => "wim",
            Format::Lha => "lha",
            Format::Logical(Logical::L01) => "l01",
            Format::Logical(Logical::Lx01) => "lx01",
            Format::Logical(Logical::Ad1) => "ad1",
            Format::Logical(Logical::Aff4) => "aff4-l",
            Format::Mbox => "mbox",
            Format::Pst => "pst",
            Format::Message => "eml",
            Format::Outlook => "msg",
            Format::Coded => "coded",
            Format::Tnef => "tnef",
            Format::Apple => "apple",
            Format::OneNote => "onenote",
            Format::Signed => "cms",
            Format::Rtf => "rtf",
            Format::Objects => "ole",
            Format::Pdf => "pdf",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that nothing claims are named by their signature alone, which no crate above has.
    #[test]
    fn the_account_names_the_same_formats() {
        let magics: [&[u8]; 19] = [
            b"PK\x03\x04",
            b"PK\x05\x06",
            b"7z\xbc\xaf\x27\x1c",
            b"\x1f\x8b\x08\0",
            b"BZh91AY&SY",
            b"\xfd7zXZ\0",
            b"\x28\xb5\x2f\xfd",
            b"\x04\x22\x4d\x18",
            AR,
            RPM,
            cab::MAGIC,
            wim::MAGIC,
            b"Rar!\x1a\x07\0",
            b"Rar!\x1a\x07\x01\0",
            pst::MAGIC,
            holders::TNEF,
            holders::ONENOTE,
            b"LVF\x09\x0d\x0a\xff\0",
            b"ADSEGMENTEDFILE\0",
        ];
        for magic in magics {
            let start = [magic, &[0; 600]].concat();
            let name = Format::recognize(&start).map(Format::name);
            assert_eq!(name, Some(&*pfh_bytes::account::looks_like(&start)), "{magic:?}");
        }
    }
}
