//! Which form a target gets, by its name and by the request for all targets.

use super::problem::{Problem, refused};
use super::{ImageFormat, Pieces};
use crate::job::Error;
use pfh_container::ewf::Compression;
use pfh_container::foreign;
use pfh_container::split::Suffix;
use pfh_digest::hex;
use std::path::Path;

/// The form that a target is written in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TargetForm {
    /// By its name: `.E01` is E01, everything else raw.
    #[default]
    ByName,
    /// The medium's bytes.
    Raw,
    /// EnCase 6 (EWF-E01).
    E01,
}

/// Settings of all targets. By default each is in one piece, by its name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Layout {
    /// The form that they are written in.
    pub written: TargetForm,
    /// Bytes of a piece or segment at most; without it raw images are in one piece, and segments
    /// have 1.4 GiB.
    pub split: Option<u64>,
    /// How raw pieces are numbered: `000`, `111` or `aaa`, longer for more places.
    pub suffix: String,
    /// How E01 chunks are compressed.
    pub compression: Compression,
    /// Where in a raw target the image starts, in bytes.
    pub seek: u64,
    /// Whether zeros become holes in raw files.
    pub sparse: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            written: TargetForm::ByName,
            split: None,
            suffix: "000".into(),
            compression: Compression::Fast,
            seek: 0,
            sparse: false,
        }
    }
}

impl Layout {
    /// The form of a target with this name.
    ///
    /// # Errors
    /// When the name is that of a format which is not written, or the parts of the layout exclude
    /// each other.
    pub fn form(&self, path: &Path) -> Result<ImageFormat, Error> {
        let is_named_e01 = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01"));
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if foreign::is_later_segment(ending) && self.written == TargetForm::ByName {
            return refused(Problem::Later(path.to_owned()));
        }
        if let (Some(format), TargetForm::ByName) = (foreign::by_name(ending), self.written) {
            return refused(Problem::NotWritten { path: path.to_owned(), format: format.name });
        }
        match self.written {
            TargetForm::E01 if !is_named_e01 => refused(Problem::Ending(path.to_owned())),
            TargetForm::Raw => self.raw(),
            TargetForm::ByName if !is_named_e01 => self.raw(),
            _ if self.seek > 0 || self.sparse => refused(Problem::RawOnly),
            _ => Ok(ImageFormat::E01 {
                compression: self.compression,
                segment: self.split.unwrap_or(ImageFormat::SEGMENT),
            }),
        }
    }

    fn raw(&self) -> Result<ImageFormat, Error> {
        match self.split {
            None => {
                Ok(ImageFormat::Raw { seek: self.seek, sparse: self.sparse, direct: false, start: None, synced: true })
            }
            Some(0) => refused(Problem::Piece),
            Some(length) => {
                let Some((suffix, width)) = Suffix::parse(&self.suffix) else {
                    return refused(Problem::Suffix);
                };
                if self.seek > 0 || self.sparse {
                    return refused(Problem::OnePiece);
                }
                Ok(ImageFormat::Split(Pieces { length, suffix, width }))
            }
        }
    }
}

/// The bytes of hexadecimal digits, with `0x` in front or without: a pattern that a medium is
/// filled with.
pub fn pattern(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").unwrap_or(text).to_ascii_lowercase();
    hex::decode(digits.as_bytes()).filter(|bytes| !bytes.is_empty())
}
