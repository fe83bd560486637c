//! Which form a target gets, by its name and by what is asked of all targets.

use super::{Error, ImageFormat, Pieces};
use crate::shown;
use pfh_container::ewf::Compression;
use pfh_container::foreign;
use pfh_container::split::Suffix;
use pfh_digest::hex;
use std::path::Path;

/// EnCase's usual segment: 1.5 GiB less what keeps it on small file systems (ewfacquire's default,
/// 1.4 GiB).
const SEGMENT: u64 = 1_503_238_553;

/// What a target is written as.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Written {
    /// By its name: `.E01` is E01, everything else raw.
    #[default]
    ByName,
    /// The medium's bytes.
    Raw,
    /// EnCase 6 (EWF-E01).
    E01,
}

/// What is asked of all targets. By default each is in one piece, by its name.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Layout {
    /// What they are written as.
    pub written: Written,
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
            written: Written::ByName,
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
        if foreign::is_later_segment(ending) && self.written == Written::ByName {
            let what = "the name of a later segment: name the first segment, ….E01, or say -f raw";
            return Err(Error::Usage(format!("{}: {what}", shown(path))));
        }
        if let (Some(format), Written::ByName) = (foreign::by_name(ending), self.written) {
            let name = shown(path);
            let what = format!("{name}: {} is not written: name a .E01 or a raw image, or say -f raw", format.name);
            return Err(Error::Usage(what));
        }
        match self.written {
            Written::E01 if !is_named_e01 => {
                let name = shown(path);
                let what = "the first segment of an E01 image is named ….E01: others are counted from it";
                Err(Error::Usage(format!("{name}: {what}")))
            }
            Written::Raw => self.raw(),
            Written::ByName if !is_named_e01 => self.raw(),
            _ if self.seek > 0 || self.sparse => Err(Error::Usage("--seek and --sparse are for raw targets".into())),
            _ => Ok(ImageFormat::E01 { compression: self.compression, segment: self.split.unwrap_or(SEGMENT) }),
        }
    }

    fn raw(&self) -> Result<ImageFormat, Error> {
        let usage = |what: &str| Err(Error::Usage(what.into()));
        match self.split {
            None => {
                Ok(ImageFormat::Raw { seek: self.seek, sparse: self.sparse, direct: false, start: None, synced: true })
            }
            Some(0) => usage("--split takes a size of at least one byte"),
            Some(length) => {
                let Some((suffix, width)) = Suffix::parse(&self.suffix) else {
                    return usage("--suffix takes 000, 111 or aaa, of two places or more");
                };
                if self.seek > 0 || self.sparse {
                    return usage("--seek and --sparse are for images in one piece");
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
