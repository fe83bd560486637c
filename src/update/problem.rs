//! Why a manifest cannot be brought up to date, where no other job has the cause.

use pfh_manifest::amend::Unamendable;
use pfh_source::terminal::render;

/// Why a manifest cannot be brought up to date. It is as it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A manifest is a regular file.
    #[error("a manifest that is brought up to date is a regular file")]
    NoFile,
    /// Records of its form cannot be written.
    #[error("it cannot be brought up to date: {0}")]
    Unfit(Unamendable),
    /// It was cut off, or its end counts other records.
    #[error(
        "it cannot be brought up to date, since it is not whole: its end is missing, broken or counts other records"
    )]
    NotWhole,
    /// It has digests that cannot be computed here.
    #[error("it cannot be brought up to date: its digests of {0} cannot be computed, and would stay as they are")]
    Uncomputed(String),
    /// Its digests do not name their algorithm, and no file shows which one it is.
    #[error(
        "it cannot be brought up to date: its digests do not name their algorithm, and no file has one that is listed by {0}"
    )]
    Unnamed(String),
    /// Another run brings it up to date, or checks a share of it.
    #[error("another run of pfh has it open to write: try again when that has ended")]
    Busy,
    /// Another program replaced or changed it meanwhile.
    #[error("another program changed it meanwhile: it was not replaced")]
    Replaced,
    /// It has a signed seal, and no key to sign the next one.
    #[error("its seal is signed: the private key is needed to sign the next one")]
    Unsigned,
    /// It has a seal signed by another key.
    #[error("its seal is signed by another key than the one that is given")]
    OtherKey,
    /// A stream or an image is named.
    #[error("{}: files, directories and objects are named to bring a manifest up to date", render(.0))]
    Operand(Vec<u8>),
    /// Each object is read, and all below an address.
    #[error("{}: {} is of files: each object below the address is read", render(.0), .1)]
    Objects(Vec<u8>, &'static str),
    /// A list of names is given.
    #[error("a list of names says nothing of files that are gone: name the directories")]
    List,
    /// An operand lies outside of the directory in which the names start.
    #[error("{}: it lies outside of {}, in which the names of the manifest start", render(operand), render(base))]
    Elsewhere {
        /// The operand.
        operand: Vec<u8>,
        /// Where names start.
        base: Vec<u8>,
    },
    /// The manifest records no times that could be trusted.
    #[error("the manifest records no times: each file must be read")]
    Timeless,
    /// Every listed file is gone: a file system that is not mounted looks the same.
    #[error("none of the {0} listed files is there, and no other: a file system that is not mounted looks the same")]
    AllGone(u64),
    /// The caller ended the update.
    #[error("interrupted: the manifest is as it was")]
    Interrupted,
    /// The new list does not read back: a defect of the program.
    #[error("the new list does not read back: {0}")]
    Unreadable(Unamendable),
}
