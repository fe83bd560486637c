//! A picture's bytes until all of them came.

use super::canvas::Rows;
use super::decode::decode;
use super::kind::Kind;
use super::limits::LARGEST;
use crate::NoDigest;

/// The bytes of a picture, at most [`LARGEST`]; of other files none are kept.
#[derive(Clone, Debug, Default)]
pub struct PictureBytes {
    bytes: Vec<u8>,
    length: u64,
    /// Whether the file is a picture in a format that is not read.
    is_other: bool,
}

impl PictureBytes {
    /// Takes in the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        let deciding = Kind::DECIDING as u64;
        let before = self.length;
        self.length += bytes.len() as u64;
        let is_kept = before == self.bytes.len() as u64 && self.length <= LARGEST;
        if !is_kept {
            // The first bytes decide the format for good.
            self.bytes.truncate(Kind::DECIDING);
            self.bytes.shrink_to_fit();
            return;
        }
        self.bytes.extend_from_slice(bytes);
        if before < deciding && self.length >= deciding && Kind::of(&self.bytes).is_none() {
            self.is_other = Kind::lacking(&self.bytes) == NoDigest::OtherPicture;
            self.bytes = Vec::new();
        }
    }

    /// Hands on the rows of the picture.
    ///
    /// # Errors
    /// See [`decode`].
    pub fn decode(self, rows: &mut dyn Rows) -> Result<(), NoDigest> {
        if self.length > LARGEST && Kind::of(&self.bytes).is_some() {
            return Err(NoDigest::TooLong(LARGEST));
        }
        if self.is_other {
            return Err(NoDigest::OtherPicture);
        }
        decode(&self.bytes, rows)
    }
}
