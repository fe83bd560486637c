//! A file that is coded in a text.

/// How a file is coded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Code {
    /// With the lines that begin and end it.
    Uuencode,
    Xxencode,
    /// The letters alone.
    Base64,
    /// The lines between those of yEnc.
    Yenc,
    /// From the first colon on.
    BinHex,
    /// Lines as they are, behind this prefix.
    Lines(Vec<u8>),
    /// Lines of digits with addresses.
    Records,
}

/// A file in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its name; empty if none is stated.
    pub name: Vec<u8>,
    pub code: Code,
    /// Where it begins and ends.
    pub range: (u64, u64),
    /// The size and the CRC-32 that are stated.
    pub size: Option<u64>,
    pub crc: Option<u32>,
}
