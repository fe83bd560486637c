//! The record of a set, the kinds of sets, and the receiver of records.

use std::ops::ControlFlow;

use pfh_digest::Digest;

use crate::entry::Fault;
use crate::format::Format;

/// The digests of one known file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownFile {
    /// At least one; of different algorithms.
    pub digests: Vec<Digest>,
    /// A value of this entry that divides the set: `category 1`, `special code M`.
    pub tag: Option<String>,
}

impl KnownFile {
    /// Takes out the digests that stand for none, and gives their number: zeros, and the digest of
    /// nothing beside digests of something.
    pub fn drop_placeholders(&mut self) -> usize {
        let before = self.digests.len();
        self.digests.retain(|digest| digest.bytes().iter().any(|&byte| byte != 0));
        let is_nothing = |digest: &Digest| *digest == digest.algorithm().digest(b"");
        // Most records have one digest, which costs nothing to look at.
        if self.digests.len() > 1 {
            let nothing: Vec<bool> = self.digests.iter().map(is_nothing).collect();
            if nothing.contains(&false) {
                let mut nothing = nothing.into_iter();
                self.digests.retain(|_| nothing.next() != Some(true));
            }
        }
        before - self.digests.len()
    }
}

/// The kind of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A page in HTML, whose tables or preformatted text may hold a list of any format.
    Page,
    /// A manifest.
    Manifest(Format),
    /// A digest per line.
    List,
    /// Separated values with a header line.
    Table,
    /// EnCase `.hash`.
    Encase,
    /// Project VIC or CAID.
    Vics,
    /// Any other JSON whose members name digests.
    Json,
}

/// Takes each record or fault, with the line on which it stands (from 1; for binary sets the number
/// of the entry). [`ControlFlow::Break`] ends the reading.
pub type Take<'a> = dyn FnMut(u64, Result<KnownFile, Fault>) -> ControlFlow<()> + 'a;
