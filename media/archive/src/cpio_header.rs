//! Headers of cpio: POSIX's in octal digits (odc), SVR4's in hexadecimal ones (newc and crc), and
//! the old one in words of 16 bits, of either byte order.

/// The form of a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// `070701`.
    New,
    /// `070702`: with a sum of the content.
    Sum,
    /// `070707`.
    Octal,
    /// 070707 as a word, in little-endian or in big-endian order.
    Words { is_big: bool },
}

/// A header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    pub form: Form,
    /// Device and inode, which all hard links of a file share.
    pub file: (u64, u64, u64),
    pub mode: u64,
    pub links: u64,
    pub modified: u64,
    /// Bytes of the name, with the zero at its end.
    pub name: u64,
    pub size: u64,
    /// The sum of all bytes of the content.
    pub sum: u64,
}

impl Form {
    /// The form that the first six bytes state.
    pub fn of(start: &[u8]) -> Option<Form> {
        Some(match start {
            [b'0', b'7', b'0', b'7', b'0', b'1', ..] => Form::New,
            [b'0', b'7', b'0', b'7', b'0', b'2', ..] => Form::Sum,
            [b'0', b'7', b'0', b'7', b'0', b'7', ..] => Form::Octal,
            [0xC7, 0x71, ..] => Form::Words { is_big: false },
            [0x71, 0xC7, ..] => Form::Words { is_big: true },
            _ => return None,
        })
    }

    /// Bytes of the header.
    pub fn length(self) -> u64 {
        match self {
            Form::New | Form::Sum => 110,
            Form::Octal => 76,
            Form::Words { .. } => 26,
        }
    }

    /// Names and contents are filled up to a multiple of this.
    pub fn unit(self) -> u64 {
        match self {
            Form::New | Form::Sum => 4,
            Form::Octal => 1,
            Form::Words { .. } => 2,
        }
    }
}

impl Header {
    /// The header in its bytes; `None` if a field is not a number.
    pub fn parse(form: Form, raw: &[u8]) -> Option<Header> {
        let digits = |at: usize, length: usize, radix: u32| {
            let field = raw.get(at..at + length)?;
            // No sign, which `from_str_radix` allows.
            let field = field.iter().all(u8::is_ascii_alphanumeric).then_some(field)?;
            u64::from_str_radix(std::str::from_utf8(field).ok()?, radix).ok()
        };
        Some(match form {
            Form::New | Form::Sum => {
                let field = |index: usize| digits(6 + 8 * index, 8, 16);
                Header {
                    form,
                    file: (field(7)?, field(8)?, field(0)?),
                    mode: field(1)?,
                    links: field(4)?,
                    modified: field(5)?,
                    size: field(6)?,
                    name: field(11)?,
                    sum: field(12)?,
                }
            }
            Form::Octal => {
                let field = |at: usize, length: usize| digits(at, length, 8);
                Header {
                    form,
                    file: (0, field(6, 6)?, field(12, 6)?),
                    mode: field(18, 6)?,
                    links: field(36, 6)?,
                    modified: field(48, 11)?,
                    name: field(59, 6)?,
                    size: field(65, 11)?,
                    sum: 0,
                }
            }
            Form::Words { is_big } => {
                let word = |index: usize| {
                    let two = [*raw.get(2 * index)?, *raw.get(2 * index + 1)?];
                    Some(u64::from(if is_big { u16::from_be_bytes(two) } else { u16::from_le_bytes(two) }))
                };
                // The higher word comes first in both orders.
                let long = |index: usize| Some(word(index)? << 16 | word(index + 1)?);
                Header {
                    form,
                    file: (0, word(1)?, word(2)?),
                    mode: word(3)?,
                    links: word(6)?,
                    modified: long(8)?,
                    name: word(10)?,
                    size: long(11)?,
                    sum: 0,
                }
            }
        })
    }
}

/// Whether an archive begins here: a header that can be read, with a valid mode.
pub fn is_header(start: &[u8]) -> bool {
    let Some(form) = Form::of(start) else { return false };
    let Some(header) = Header::parse(form, start) else { return false };
    let is_name = || {
        let name = usize::try_from(header.name).ok().filter(|name| (2..=4096).contains(name))?;
        let end = form.length() as usize + name - 1;
        // A name that is longer than `start` cannot be checked here.
        Some(start.get(end).is_none_or(|byte| *byte == 0))
    };
    let is_kind = matches!(header.mode >> 12, 0 | 1 | 2 | 4 | 6 | 8 | 10 | 12);
    is_kind && is_name() == Some(true) && start.get(form.length() as usize).is_some_and(|byte| *byte != 0)
}
