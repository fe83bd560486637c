//! The three layouts of a store, and where each keeps its fields: two after [MS-PST], and that of
//! Outlook 2013 after libpff's "Personal Folder File (PFF) file format specification".

use pfh_bytes::field::{le32, le64};

/// The layout of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Of Outlook 97 to 2002: numbers of 32 bits.
    Ansi,
    /// Of Outlook 2003 and later: numbers of 64 bits.
    Unicode,
    /// Of OST files since Outlook 2013: larger pages and blocks, which may be compressed.
    Large,
}

/// Where a page of a tree keeps its fields.
pub struct PageFields {
    /// Bytes of the page.
    pub size: usize,
    /// Where its entries end, and the fields of their count begin.
    pub counts: usize,
    /// Where its trailer begins: the kind of the page, twice. The CRC covers all bytes before it.
    pub trailer: usize,
    /// The CRC.
    pub crc: usize,
    /// The number of the page.
    pub id: usize,
}

/// Where the trailer of a block keeps its fields.
pub struct BlockFields {
    /// Bytes of the trailer.
    pub size: usize,
    /// The CRC.
    pub crc: usize,
    /// The number of the block.
    pub id: usize,
    /// The length of the inflated block.
    pub inflated: Option<usize>,
    /// Blocks take a multiple of this many bytes.
    pub unit: usize,
    /// Bytes of the longest one.
    pub longest: usize,
}

impl Layout {
    /// The layout of a version that a header states.
    pub fn of(version: u16) -> Result<Layout, String> {
        match version {
            14 | 15 => Ok(Layout::Ansi),
            23 => Ok(Layout::Unicode),
            36 => Ok(Layout::Large),
            37 => Err("version 37, of Windows Information Protection: not read".into()),
            version => Err(format!("version {version}, which is not known")),
        }
    }

    /// Bytes of a number.
    pub fn width(self) -> usize {
        if self == Layout::Ansi { 4 } else { 8 }
    }

    /// The number in a field of the full width: of a block or a page, or an offset.
    pub fn number(self, bytes: &[u8], at: usize) -> u64 {
        if self == Layout::Ansi { u64::from(le32(bytes, at)) } else { le64(bytes, at) }
    }

    /// The fields of a page.
    pub fn page(self) -> PageFields {
        match self {
            Layout::Ansi => PageFields { size: 512, counts: 496, trailer: 500, crc: 508, id: 504 },
            Layout::Unicode => PageFields { size: 512, counts: 488, trailer: 496, crc: 500, id: 504 },
            Layout::Large => PageFields { size: 4096, counts: 4056, trailer: 4072, crc: 4076, id: 4080 },
        }
    }

    /// The fields of a block's trailer.
    pub fn block(self) -> BlockFields {
        let small = BlockFields { size: 16, crc: 4, id: 8, inflated: None, unit: 64, longest: 8192 };
        match self {
            Layout::Ansi => BlockFields { size: 12, crc: 8, id: 4, ..small },
            Layout::Unicode => small,
            Layout::Large => BlockFields { size: 24, inflated: Some(18), unit: 512, longest: 65536 - 24, ..small },
        }
    }

    /// The block of a heap, and the number of the piece in it, out of the number of a piece.
    pub fn piece(self, id: u32) -> (usize, usize) {
        let bits = if self == Layout::Large { 14 } else { 11 };
        ((id >> (5 + bits)) as usize, (id >> 5) as usize & ((1 << bits) - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::Layout;

    #[test]
    fn pieces_of_a_heap() {
        assert_eq!(Layout::Unicode.piece(0x0002_ffe0), (2, 0x7ff));
        assert_eq!(Layout::Large.piece(0x0017_ffe0), (2, 0x3fff));
    }
}
