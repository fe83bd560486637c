//! A writer of each format.

use crate::encode::{Encode, Unrepresentable};
use crate::format::{End, Format, Layout};
use crate::others::sfv;
use crate::{bsd, csv, dfxml, hashdeep, jsonl, similarity, sums};

impl Format {
    /// A writer of this format. An error for records that end with NUL in a format that knows no
    /// such thing.
    pub fn encoder(self, layout: Layout) -> Result<Box<dyn Encode>, Unrepresentable> {
        if layout.end == End::Nul && !matches!(self, Format::Sums | Format::Bsd) {
            return Err(Unrepresentable::new(format!("{} has no form whose records end with NUL", self.name())));
        }
        Ok(match self {
            Format::Sums => Box::new(sums::Encoder::new(layout)),
            Format::Bsd => Box::new(bsd::Encoder::new(layout.end)),
            Format::Hashdeep => Box::new(hashdeep::Encoder::new()),
            Format::Dfxml => Box::new(dfxml::Encoder::new()),
            Format::Jsonl => Box::new(jsonl::Encoder::new()),
            Format::Csv => Box::new(csv::Encoder::new()),
            Format::Ssdeep => Box::new(similarity::ssdeep::Encoder::new()),
            Format::Sdbf => Box::new(similarity::sdbf::Encoder::new()),
            Format::Mrsh => Box::new(similarity::mrsh::Encoder::new()),
            Format::Sfv => Box::new(sfv::Encoder),
            Format::Catalogue
            | Format::Filehash
            | Format::Certutil
            | Format::Gpg
            | Format::Table
            | Format::Blocks
            | Format::Mtree
            | Format::Aide
            | Format::Xml
            | Format::Json => {
                return Err(Unrepresentable::new(format!("{} is read and not written", self.name())));
            }
        })
    }
}
