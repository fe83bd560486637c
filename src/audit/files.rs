//! The files of an audit: commitments, questions, answers.

use super::{Error, Problem};
use crate::Destination;
use crate::algorithms::Secret;
use crate::job::PathError;
use crate::tree;
use pfh_audit::KeptCommitment;
use pfh_outboard as outboard;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::names::with_ending;
use pfh_source::{Ranges, Stream};
use pfh_tree::audit::Challenge;
use pfh_tree::outboard::TreeKeyError;
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::path::Path;

/// No input of an audit but an answer, which is judged as it comes, is longer than this.
pub const SHORT: u64 = 64 << 20;

/// A file, or standard input for `-`.
pub fn source(path: &Path) -> Result<Box<dyn Read>, Error> {
    Ok(Box::new(Stream::document(path).map_err(unread(path))?))
}

/// Why a file cannot be read.
pub fn unread(path: &Path) -> impl Fn(io::Error) -> Error + use<'_> {
    |error| Problem::Read { path: path.to_owned(), why: error.to_string() }.into()
}

/// The whole of a file, or of standard input for `-`.
pub fn input(path: &Path, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    source(path)?.take(most + 1).read_to_end(&mut bytes).map_err(unread(path))?;
    if bytes.len() as u64 > most { Err(unread(path)(io::ErrorKind::FileTooLarge.into())) } else { Ok(bytes) }
}

/// Writes an output.
pub fn output(to: &Destination, bytes: &[u8]) -> Result<(), Error> {
    let mut output = to.open()?;
    output.write_all(bytes).and_then(|()| output.commit()).map_err(Error::Sink)
}

/// Writes a file that only its owner may read.
pub fn save_secret(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let beside = with_ending(path, format!(".pfh-{}", std::process::id()));
    let write = || {
        let mut file = pfh_source::os::create_private(&beside)?;
        file.write_all(bytes)?;
        pfh_source::replace(&file, &beside, path)
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Error::output(PathError::new(path, error))
    })
}

/// The auditor's commitments: at least one line.
pub fn kept(path: &Path) -> Result<Vec<KeptCommitment>, Error> {
    let wrong = |why: String| Error::from(Problem::Malformed { path: path.to_owned(), why });
    let kept = pfh_audit::parse(&input(path, SHORT)?).map_err(|error| wrong(error.to_string()))?;
    if kept.is_empty() { Err(wrong("no commitment in it".into())) } else { Ok(kept) }
}

/// The commitments to trees under a key, by which answers can be judged then. Others stay as they
/// are.
pub fn unlock(
    mut kept: Vec<KeptCommitment>,
    path: &Path,
    secret: Option<&Secret>,
) -> Result<Vec<KeptCommitment>, Error> {
    let locked = |why| Problem::Locked { path: path.to_owned(), why };
    for one in kept.iter_mut().filter(|one| one.commitment.parameters().function().is_keyed()) {
        one.commitment = one.commitment.unlock(tree::key(secret)).map_err(locked)?;
    }
    Ok(kept)
}

/// The same, where a key that none of them takes is refused.
pub fn unlock_all(
    kept: Vec<KeptCommitment>,
    path: &Path,
    secret: Option<&Secret>,
) -> Result<Vec<KeptCommitment>, Error> {
    let keyed = |one: &KeptCommitment| one.commitment.parameters().function().is_keyed();
    if let (Some(_), Some(first), false) = (secret, kept.first(), kept.iter().any(keyed)) {
        let why = TreeKeyError::Needless(first.commitment.parameters().function());
        return Err(Problem::Locked { path: path.to_owned(), why }.into());
    }
    unlock(kept, path, secret)
}

/// The line that is meant, under the key of its tree, if it has one.
pub fn one_of(path: &Path, identity: Option<&OsStr>, secret: Option<&Secret>) -> Result<KeptCommitment, Error> {
    let meant = one(kept(path)?, identity)?;
    Ok(unlock_all(vec![meant], path, secret)?.remove(0))
}

/// The line that is meant.
pub fn one(kept: Vec<KeptCommitment>, identity: Option<&OsStr>) -> Result<KeptCommitment, Error> {
    let mut meant = kept.into_iter().filter(|kept| identity.is_none_or(|name| name.as_bytes() == kept.identity));
    match (meant.next(), meant.next()) {
        (Some(kept), None) => Ok(kept),
        (None, _) => Err(Problem::NotKept.into()),
        (Some(_), Some(_)) => Err(Problem::Several.into()),
    }
}

/// A file that is read by ranges.
pub fn open(file: &Path) -> Result<Ranges, Error> {
    let failed = |problem| Error::from(Problem::Read { path: file.to_owned(), why: outboard::reason(&problem) });
    Ranges::open(file.as_os_str().as_bytes()).map_err(failed)
}

/// A challenge in a file.
pub fn question(path: &Path) -> Result<Challenge, Error> {
    Ok(Challenge::decode(&input(path, SHORT)?).map_err(pfh_audit::Error::Challenge)?)
}
