//! Faults of a digest or of an input.

use std::error::Error;
use std::fmt;

/// Why a text is not a digest of its method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// A field is missing, or there is one too many.
    Fields,
    /// The marker that begins the text is not that of the method and version.
    Marker,
    /// A number is malformed, not in its shortest form or out of range.
    Number,
    /// The block size is not one that the method uses.
    BlockSize,
    /// A character does not belong to the alphabet of its field.
    Character,
    /// The digest proper is longer or shorter than the fields before it say or than the method
    /// allows.
    Length,
    /// Fixed parameters are not those that the method has.
    Parameters,
    /// The name's length is not the one that is stated, or the name is not quoted as it must be.
    Name,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseError::Fields => "wrong number of fields",
            ParseError::Marker => "not a digest of this method and version",
            ParseError::Number => "malformed number",
            ParseError::BlockSize => "impossible block size",
            ParseError::Character => "character outside the alphabet",
            ParseError::Length => "digest of a wrong length",
            ParseError::Parameters => "unknown parameters",
            ParseError::Name => "malformed name",
        })
    }
}

impl Error for ParseError {}

/// Why an input has no digest under a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoDigest {
    /// The input is shorter than this many bytes.
    TooShort(u64),
    /// The input is longer than this many bytes.
    TooLong(u64),
    /// The input varies too little for the method.
    LowEntropy,
    /// The method is for another kind of input: executables, text, pictures.
    OtherKind,
    /// The input is a picture in a format that is not read: TIFF, HEIF, AVIF, JPEG 2000, JPEG XL.
    OtherPicture,
    /// The input is a picture that cannot be decoded.
    Damaged,
    /// The input is a picture of more than this many pixels.
    TooManyPixels(u64),
}

impl fmt::Display for NoDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoDigest::TooShort(least) => write!(f, "shorter than {least} bytes"),
            NoDigest::TooLong(most) => write!(f, "longer than {most} bytes"),
            NoDigest::LowEntropy => f.write_str("too little variation"),
            NoDigest::OtherKind => f.write_str("of another kind"),
            NoDigest::OtherPicture => f.write_str("a picture in a format that is not read"),
            NoDigest::Damaged => f.write_str("a picture that cannot be decoded"),
            NoDigest::TooManyPixels(most) => write!(f, "a picture of more than {most} pixels"),
        }
    }
}

impl Error for NoDigest {}

/// A name that a method's file format cannot hold, because the format's own reader would misread
/// it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnprintableName;

impl fmt::Display for UnprintableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name cannot be written in this format")
    }
}

impl Error for UnprintableName {}

/// A decimal number in its shortest form.
pub(crate) fn number<T: TryFrom<u64>>(text: &[u8]) -> Result<T, ParseError> {
    let canonical = matches!(text, [b'0'] | [b'1'..=b'9', ..]) && text.len() <= 20;
    let text = if canonical { std::str::from_utf8(text).ok() } else { None };
    text.and_then(|text| text.parse().ok()).and_then(|value: u64| T::try_from(value).ok()).ok_or(ParseError::Number)
}
