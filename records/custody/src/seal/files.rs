//! Seals in files beside their manifests.

use super::{Making, Seal, SealError};
#[cfg(feature = "sign")]
use crate::key::{self, KeyError};
use pfh_digest::{Algorithm, Registry};
use pfh_manifest::{Decoder, Item, Options, digits};
use pfh_source::Document;
use pfh_source::Output;
use pfh_source::Time;
use pfh_source::os::clock;
use pfh_source::os::names::with_ending;
use pfh_source::os::names::{OsStrExt, absolute};
use pfh_source::terminal::{render, shown};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A seal is one line of a few hundred bytes, and what it names of a file of defaults.
const LONGEST: u64 = 64 << 10;

/// Why a seal was not written, or does not hold.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The key.
    #[cfg(feature = "sign")]
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The manifest cannot be sealed.
    #[error("{}: {error}", shown(manifest))]
    Manifest {
        /// The manifest.
        manifest: PathBuf,
        /// Why.
        error: SealError,
    },
    /// The seal's file cannot be written.
    #[error("{}: {error}", shown(seal))]
    Write {
        /// The seal's file.
        seal: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The seal's file cannot be read.
    #[error("{}: {error}", shown(seal))]
    Read {
        /// The seal's file.
        seal: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The seal does not hold.
    #[error("{}: {error}", shown(seal))]
    Wrong {
        /// The seal's file.
        seal: PathBuf,
        /// Why.
        error: SealError,
    },
}

impl FileError {
    /// Whether the error is an answer: the seal does not hold, or is not one. A seal without a
    /// signature, or none at all, differs from nothing, also where a key is asked for.
    pub fn is_verdict(&self) -> bool {
        match self {
            FileError::Wrong { .. } => !self.is_unsigned(),
            FileError::Read { error, .. } => error.kind() == io::ErrorKind::InvalidData,
            _ => false,
        }
    }

    /// Whether there is no signature, or none that this build verifies, or no number: nothing was
    /// compared with the key, or with the seal that is known.
    pub fn is_unsigned(&self) -> bool {
        let is_open = |error: &SealError| {
            matches!(error, SealError::Unsigned | SealError::NoSignatures | SealError::Incomparable(_))
        };
        matches!(self, FileError::Wrong { error, .. } if is_open(error))
    }
}

/// Who signed a seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignedBy {
    /// The key that was asked for.
    Asked,
    /// A key that nobody asked for: whose it is cannot be said.
    Anybody,
    /// Nobody.
    Nobody,
}

/// A seal that holds.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HeldSeal {
    /// The seal's file.
    pub path: PathBuf,
    /// How many records are sealed.
    pub records: u64,
    /// Who signed it.
    pub signer: SignedBy,
    /// The algorithm of digests that do not name theirs, if it is another than the one that the
    /// options give.
    pub algorithm: Option<Algorithm>,
    /// The seal.
    pub seal: Seal,
}

/// The seal's file of a manifest: the manifest's name and `.seal`.
pub fn beside(manifest: &Path) -> PathBuf {
    with_ending(manifest, ".seal")
}

/// The file of a seal that waits until its manifest is in place: the seal's name and `.new`.
pub fn waiting(manifest: &Path) -> PathBuf {
    with_ending(&beside(manifest), ".new")
}

/// A sentence for people.
impl fmt::Display for HeldSeal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records = if self.records == 1 { "1 record".into() } else { format!("{} records", self.records) };
        let whose = match self.signer {
            SignedBy::Asked => "signed with the key that was asked for",
            SignedBy::Anybody => "signed; no key was given to compare the signature with",
            SignedBy::Nobody => "not signed: anyone who can write here can make another",
        };
        write!(f, "{}: the seal holds: {records}, {whose}", shown(&self.path))?;
        match &self.seal.making {
            Some(Making { name, place, time, serial, .. }) => {
                write!(f, "; number {serial}, made {time} as {}", render(name))?;
                if place.is_empty() { Ok(()) } else { write!(f, " in {}", render(place)) }
            }
            None => f.write_str("; of version 1: order, algorithms and the recorded directory of names are not sealed"),
        }
    }
}

/// The key that a seal must hold against beside the records, if one is given.
#[cfg(feature = "sign")]
struct Against(Option<key::VerifyingKey>);

#[cfg(feature = "sign")]
impl Against {
    fn new(_: &Path, public: Option<&Path>) -> Result<Self, FileError> {
        Ok(Against(public.map(key::verifying).transpose()?))
    }

    fn verify(&self, seal: &Seal, found: &Seal) -> Result<(), SealError> {
        seal.verify(found, self.0.as_ref())
    }

    /// Why a seal did not hold against a file that holds the key which signed it: that key is
    /// private.
    fn mistaken(&self, seal: &Seal, found: &Seal, public: Option<&Path>) -> Option<FileError> {
        let has_signed = |key: &key::VerifyingKey| seal.verify(found, Some(key)).is_ok();
        public.and_then(|path| key::not_private(path, has_signed).err()).map(FileError::from)
    }
}

#[cfg(feature = "sign")]
fn signed(seal: Seal, _: &Path, signing: Option<&Path>) -> Result<Seal, FileError> {
    Ok(match signing {
        Some(path) => seal.sign(&key::signing(path)?),
        None => seal,
    })
}

/// A seal must hold against the records alone: this build has no signatures.
#[cfg(not(feature = "sign"))]
struct Against;

#[cfg(not(feature = "sign"))]
impl Against {
    fn new(manifest: &Path, public: Option<&Path>) -> Result<Self, FileError> {
        match public {
            Some(_) => Err(FileError::Wrong { seal: beside(manifest), error: SealError::NoSignatures }),
            None => Ok(Against),
        }
    }

    fn verify(&self, seal: &Seal, found: &Seal) -> Result<(), SealError> {
        seal.verify(found)
    }

    fn mistaken(&self, _: &Seal, _: &Seal, _: Option<&Path>) -> Option<FileError> {
        None
    }
}

#[cfg(not(feature = "sign"))]
fn signed(seal: Seal, manifest: &Path, signing: Option<&Path>) -> Result<Seal, FileError> {
    match signing {
        Some(_) => Err(FileError::Manifest { manifest: manifest.to_owned(), error: SealError::NoSignatures }),
        None => Ok(seal),
    }
}

/// Writes the seal of the records that a [`Witness`](super::Witness) saw, signed with the key in
/// `signing`. `defaults` says which file of defaults the records were made with.
///
/// # Errors
/// When the records have no seal, the key cannot be read, or the seal cannot be written.
pub fn write(
    manifest: &Path,
    seen: Result<Seal, SealError>,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<(), FileError> {
    put(&beside(manifest), manifest, &completed(manifest, seen, signing, defaults)?)
}

/// Whether a seal of any list is beside the manifest.
pub fn is_there(manifest: &Path) -> bool {
    std::fs::symlink_metadata(beside(manifest)).is_ok()
}

/// A seal with the facts of its making: those of a manifest that is replaced are counted on.
pub(super) fn completed(
    manifest: &Path,
    seen: Result<Seal, SealError>,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<Seal, FileError> {
    let mut seal = seen.map_err(|error| FileError::Manifest { manifest: manifest.to_owned(), error })?;
    seal.defaults = defaults.map(str::to_owned);
    // A file that is not a seal has no number to count on.
    let before = read(manifest).ok().flatten();
    let (place, time) = match stated_time() {
        // Equal wherever and whenever it is built.
        Some(seconds) => (Vec::new(), seconds),
        None => {
            let full = absolute(manifest).unwrap_or_else(|_| manifest.as_os_str().as_bytes().to_vec());
            let slash = full.iter().rposition(|&byte| byte == b'/');
            (full[..slash.unwrap_or(0).max(1)].to_vec(), clock::now().as_secs())
        }
    };
    seal.making = Some(Making {
        name: manifest.file_name().unwrap_or_default().as_bytes().to_vec(),
        place,
        time: Time { seconds: i64::try_from(time).unwrap_or(i64::MAX), nanoseconds: 0 }.to_string(),
        ..Seal::following(before.as_ref())
    });
    signed(seal, manifest, signing)
}

/// The time that stands in place of the present one, in seconds since 1970, for builds that must
/// come out the same every time (<https://reproducible-builds.org/specs/source-date-epoch/>).
fn stated_time() -> Option<u64> {
    std::env::var("SOURCE_DATE_EPOCH").ok()?.parse().ok()
}

/// Writes a seal: as private as the manifest, and as the seal that it replaces.
pub(super) fn put(path: &Path, manifest: &Path, seal: &Seal) -> Result<(), FileError> {
    let write = || -> io::Result<()> {
        let mut output = Output::file(path)?.like(&beside(manifest)).no_wider_than(manifest);
        output.write_all(seal.encode().as_bytes())?;
        output.commit()
    };
    write().map_err(|error| FileError::Write { seal: path.to_owned(), error })
}

/// The seal of these bytes of a manifest, signed with the key in `signing`; nothing is written.
///
/// # Errors
/// When they cannot be sealed, or the key cannot be read.
pub fn made(
    manifest: &Path,
    bytes: &[u8],
    options: &Options,
    registry: Registry,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<Seal, FileError> {
    completed(manifest, Seal::of(bytes, options, registry), signing, defaults)
}

/// The seal of a manifest as it stands beside it, compared with nothing; `None` if there is none.
///
/// # Errors
/// When the seal cannot be read, or is not one.
pub fn read(manifest: &Path) -> Result<Option<Seal>, FileError> {
    match read_file(&beside(manifest)) {
        Err(FileError::Read { error, .. }) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some),
    }
}

/// The text of a seal's file: the one place that opens it.
pub(super) fn contents(path: &Path) -> io::Result<String> {
    Document::read_text(path, LONGEST)
}

/// The seal in a file, compared with nothing but its own signature where that can be verified.
///
/// # Errors
/// When it cannot be read, is not a seal, or its signature is wrong.
pub fn read_file(path: &Path) -> Result<Seal, FileError> {
    let text = contents(path).map_err(|error| FileError::Read { seal: path.to_owned(), error })?;
    let seal = Seal::decode(&text);
    #[cfg(feature = "sign")]
    let seal = seal.and_then(|seal| seal.verify_signature(None).map(|()| seal));
    seal.map_err(|error| FileError::Wrong { seal: path.to_owned(), error })
}

/// Whether there is something to verify: a seal beside the manifest, or a key that one must be
/// signed with. The manifest is then read as a whole before anything else is done with it.
pub fn is_due(manifest: &Path, public: Option<&Path>) -> bool {
    public.is_some() || [beside(manifest), waiting(manifest)].iter().any(|seal| std::fs::symlink_metadata(seal).is_ok())
}

/// Verifies the seal of the manifest with these bytes, if it has one or a key is given; `None` if
/// there is neither. A seal knows the algorithm of digests that do not name theirs. The manifest is
/// not opened: who compares files with it compares with these bytes.
///
/// # Errors
/// When the seal does not hold, or cannot be read or compared.
pub fn verify(
    manifest: &Path,
    bytes: &[u8],
    options: &Options,
    registry: Registry,
    public: Option<&Path>,
) -> Result<Option<HeldSeal>, FileError> {
    let path = beside(manifest);
    let held = verify_by(&path, manifest, bytes, options, registry, public);
    let is_other = matches!(&held, Err(FileError::Wrong { .. }));
    let waiting = waiting(manifest);
    if !is_other || std::fs::symlink_metadata(&waiting).is_err() {
        return held;
    }
    // The manifest is in place, and its seal still waits: a run ended between the two.
    verify_by(&waiting, manifest, bytes, options, registry, public).or(held)
}

/// The same by the seal in a file.
pub(super) fn verify_by(
    path: &Path,
    manifest: &Path,
    bytes: &[u8],
    options: &Options,
    registry: Registry,
    public: Option<&Path>,
) -> Result<Option<HeldSeal>, FileError> {
    let path = path.to_owned();
    let against = Against::new(manifest, public)?;
    let text = match contents(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && public.is_none() => return Ok(None),
        read => read.map_err(|error| FileError::Read { seal: path.clone(), error })?,
    };
    let mut private = None;
    let verified = Seal::decode(&text).and_then(|seal| {
        let (found, other) = meant(bytes, options, registry, &seal)?;
        if let Err(error) = against.verify(&seal, &found) {
            private = against.mistaken(&seal, &found, public);
            return Err(error);
        }
        Ok((seal, other))
    });
    if let Some(private) = private {
        return Err(private);
    }
    let (seal, algorithm) = verified.map_err(|error| FileError::Wrong { seal: path.clone(), error })?;
    let signer = match (public, seal.signature) {
        (Some(_), _) => SignedBy::Asked,
        (None, Some(_)) => SignedBy::Anybody,
        (None, None) => SignedBy::Nobody,
    };
    Ok(Some(HeldSeal { path, records: seal.records, signer, algorithm, seal }))
}

/// The seal of the manifest as it is now. If it is not the one that is looked for, and digests do
/// not name their algorithm, the algorithm that the seal states is tried, or each that could be
/// meant.
fn meant(
    bytes: &[u8],
    options: &Options,
    registry: Registry,
    seal: &Seal,
) -> Result<(Seal, Option<Algorithm>), SealError> {
    let found = Seal::of(bytes, options, registry)?;
    if seal.has_records_of(&found) || !options.assumed.is_empty() {
        return Ok((found, None));
    }
    let mut others: Vec<Algorithm> = Vec::new();
    match &seal.list {
        Some(list) => others.extend(list.algorithms.iter().filter_map(|name| registry.find(name).ok())),
        None => {
            for located in Decoder::with_registry(bytes, options, registry).map_err(SealError::Io)? {
                let Item::Entry(entry) = located.map_err(SealError::Io)?.item else { continue };
                let guesses = entry.digests.first().filter(|_| entry.guessed);
                for other in guesses.into_iter().flat_map(|digest| digits::alternatives(registry, digest)) {
                    if !others.contains(&other) {
                        others.push(other);
                    }
                }
            }
        }
    }
    for other in others {
        let options = Options { assumed: vec![other], ..options.clone() };
        if let Ok(found) = Seal::of(bytes, &options, registry)
            && seal.has_records_of(&found)
        {
            return Ok((found, Some(other)));
        }
    }
    Ok((found, None))
}
