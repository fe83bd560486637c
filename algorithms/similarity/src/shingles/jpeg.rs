//! The tables of a JPEG file (ITU-T T.81, annex B): they are those of the program that wrote it,
//! and say nothing of the picture.

/// Tells the tables in front of the picture from the rest, in one pass.
#[derive(Clone, Debug, Default)]
pub enum Tables {
    /// In front of the first byte.
    #[default]
    Signature,
    /// Within the header of a segment, which is this far.
    Header(Vec<u8>),
    /// Within a segment.
    Segment {
        /// Bytes of it that are to come.
        left: usize,
        /// Whether it holds tables.
        is_table: bool,
        /// Whether the picture follows.
        is_last: bool,
    },
    /// Behind them, or in a file of another kind.
    Rest,
}

/// The first bytes of a JPEG file: its start, and that of the next marker.
pub const SIGNATURE: [u8; 3] = [0xff, 0xd8, 0xff];

/// Whether a segment with this marker is one of a program's own: sizes, tables of Huffman's code
/// and of quantisation, JFIF's and Adobe's headers, a colour profile, the start of the picture.
fn is_table(marker: u8) -> bool {
    matches!(marker, 0xc0..=0xcf | 0xda..=0xdf | 0xe0 | 0xe2 | 0xee)
}

impl Tables {
    /// The length of the next run of bytes, and whether it is of tables; none at the end of
    /// `bytes`, and behind the tables, where all that follows is none.
    pub fn run(&mut self, bytes: &[u8]) -> Option<(usize, bool)> {
        match self {
            Tables::Rest => None,
            _ if bytes.is_empty() => None,
            Tables::Signature => {
                // The byte that starts the next marker is in its header.
                *self = Tables::Header(Vec::with_capacity(4));
                Some((2, true))
            }
            Tables::Header(header) => {
                let mut length = 0;
                for &byte in bytes {
                    // Any number of these may stand in front of a marker.
                    let fills = *header == [0xff] && byte == 0xff;
                    length += 1;
                    if !fills {
                        header.push(byte);
                    }
                    let has_none = matches!(header[..], [first, ..] if first != 0xff)
                        || matches!(header[..], [_, 0x00..=0x01 | 0xd0..=0xd9, ..]);
                    if has_none {
                        *self = Tables::Rest;
                        break;
                    }
                    if let [_, marker, high, low] = header[..] {
                        let left = usize::from(u16::from_be_bytes([high, low])).saturating_sub(2);
                        *self = Tables::Segment { left, is_table: is_table(marker), is_last: marker == 0xda };
                        break;
                    }
                }
                Some((length, true))
            }
            Tables::Segment { left, is_table, is_last } => {
                let length = bytes.len().min(*left);
                let of_table = *is_table;
                *left -= length;
                if *left == 0 {
                    *self = if *is_last { Tables::Rest } else { Tables::Header(Vec::with_capacity(4)) };
                }
                Some((length, of_table))
            }
        }
    }
}
