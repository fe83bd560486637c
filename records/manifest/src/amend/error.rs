//! Why a list cannot be amended.

use crate::format::Format;
use std::fmt;

/// Why a list cannot be amended, although it can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unamendable {
    /// The format is read and not written.
    Format(Format),
    /// Its records look otherwise than those that are written.
    Form,
    /// It is compressed, or not in UTF-8.
    Packed,
    /// A PGP signature covers it.
    Signed,
    /// Several lists stand one behind the other.
    Several,
    /// It holds the file systems of images.
    Volumes,
    /// Records stand in one line with others.
    Lines,
    /// It has no record.
    Empty,
    /// It cannot be read.
    Unread(String),
}

impl fmt::Display for Unamendable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unamendable::Format(format) => return write!(f, "{} is read and not written", format.name()),
            Unamendable::Form => "its records have a form that is read and not written",
            Unamendable::Packed => "it is compressed or in UTF-16: unpack it first",
            Unamendable::Signed => "it is signed, and any change breaks the signature",
            Unamendable::Several => "several lists stand in it, one behind the other",
            Unamendable::Volumes => "it describes the file systems of images, which only a new list can",
            Unamendable::Lines => "its records do not begin on lines of their own",
            Unamendable::Empty => "it has no record with a digest",
            Unamendable::Unread(why) => why,
        })
    }
}

impl std::error::Error for Unamendable {}
