//! The events while a manifest is brought up to date.

use crate::check::Rot;
use crate::hash::CacheError;
use pfh_custody::seal::HeldSeal;
use pfh_engine::Record;
use pfh_manifest::Unrepresentable;
use pfh_manifest::row::Words;
use pfh_source::FindingId;
use std::io;

/// The change of a file, and of its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Class {
    /// It was not listed, and is now.
    New,
    /// It has the content of another listed name that has it no more, and is listed so now.
    Moved,
    /// Its content is another, and listed now.
    Changed,
    /// Its content is as it was listed, its times are not: they are listed now.
    Metadata,
    /// It is not there any more, and not listed any more.
    Gone,
    /// Its content is another although size and modification time are those that were listed: it
    /// stays as it was listed.
    BitRot,
    /// It could not be read, or nobody could look for it: it stays as it was listed.
    Unread,
}

impl Words for Class {
    const ALL: &'static [Class] =
        &[Class::New, Class::Moved, Class::Changed, Class::Metadata, Class::Gone, Class::BitRot, Class::Unread];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Class {
    /// The finding that it is, if its record stays although the file does not agree with it.
    pub fn finding(self) -> Option<FindingId> {
        match self {
            Class::BitRot => Some(FindingId::UpdateBitRot),
            Class::Unread => Some(FindingId::UpdateUnread),
            _ => None,
        }
    }

    /// The word in output.
    pub fn name(self) -> &'static str {
        match self {
            Class::New => "new",
            Class::Moved => "moved",
            Class::Changed => "changed",
            Class::Metadata => "metadata-only",
            Class::Gone => "gone",
            Class::BitRot => "bit-rot",
            Class::Unread => "unread",
        }
    }
}

/// A file whose record is another now, or stays although the file does not agree with it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// Its name in the manifest.
    pub name: Vec<u8>,
    /// Its class.
    pub class: Class,
    /// The name that its content was listed under, of a file that was moved.
    pub from: Option<Vec<u8>>,
    /// Why, where the class does not say it.
    pub cause: Option<String>,
    /// Of bit rot: whether the change time is the same.
    pub rot: Option<Rot>,
}

/// An event of an update. Events come on the thread that called [`run`](super::run).
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The manifest has a seal, and it holds.
    Sealed(&'a HeldSeal),
    /// No operand was named: these are walked, which the names have in common.
    Walked(&'a [Vec<u8>]),
    /// A file could not be read, or was skipped.
    Unread(&'a Record),
    /// A record changed, or stays although the file does not agree with it. Files that are gone
    /// come last.
    Classed(&'a Change),
    /// The format cannot hold this record: it is not listed.
    NotWritten(&'a Record, &'a Unrepresentable),
    /// The cache is not used from here on: all files are read.
    Uncached(&'a CacheError),
}

/// Receives the events. An error ends the update with
/// [`Error::Sink`](crate::job::Error::Sink).
pub type Events<'a> = dyn FnMut(Event<'_>) -> io::Result<()> + 'a;
