//! Seals in files beside their manifests.

use super::{Seal, SealError};
#[cfg(feature = "sign")]
use crate::key::{self, KeyError};
use pfh_digest::{Algorithm, Registry};
use pfh_manifest::{Decoder, Item, Options, digits};
use pfh_source::Output;
use pfh_source::os::Patient;
use pfh_source::terminal::shown;
use pfh_source::{Problem, Stage};
use std::fmt;
use std::io::{self, BufReader, Read, Write};
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
    /// The seal is there; its manifest cannot be opened or read.
    #[error("{}: {problem}", shown(manifest))]
    NoManifest {
        /// The manifest.
        manifest: PathBuf,
        /// The fault.
        problem: Problem,
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

    /// Whether there is no signature, or none that this build verifies: nothing was compared with
    /// the key.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, FileError::Wrong { error: SealError::Unsigned | SealError::NoSignatures, .. })
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
pub struct Held {
    /// The seal's file.
    pub path: PathBuf,
    /// How many records are sealed.
    pub records: u64,
    /// Who signed it.
    pub signer: SignedBy,
    /// The algorithm of digests that do not name theirs, if it is another than the one that the
    /// options give.
    pub algorithm: Option<Algorithm>,
}

/// The seal's file of a manifest: the manifest's name and `.seal`.
pub fn beside(manifest: &Path) -> PathBuf {
    let mut name = manifest.as_os_str().to_owned();
    name.push(".seal");
    PathBuf::from(name)
}

/// The file of a seal that waits until its manifest is in place: the seal's name and `.new`.
pub fn waiting(manifest: &Path) -> PathBuf {
    let mut name = beside(manifest).into_os_string();
    name.push(".new");
    PathBuf::from(name)
}

fn of(manifest: &Path, options: &Options, registry: Registry) -> Result<Seal, SealError> {
    let file = Patient::open(manifest).map_err(SealError::Io)?;
    Seal::of(BufReader::with_capacity(1 << 18, file), options, registry)
}

/// A sentence for people.
impl fmt::Display for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let records = if self.records == 1 { "1 record".into() } else { format!("{} records", self.records) };
        let whose = match self.signer {
            SignedBy::Asked => "signed with the key that was asked for",
            SignedBy::Anybody => "signed; no key was given to compare the signature with",
            SignedBy::Nobody => "not signed: anyone who can write here can make another",
        };
        write!(f, "{}: the seal holds: {records}, {whose}", shown(&self.path))
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

/// Seals a manifest that has been written, and signs the seal with the key in `signing`. `defaults`
/// says which file of defaults the records were made with.
///
/// # Errors
/// When the manifest or the key cannot be read, the manifest has a line that is not a record, or
/// the seal cannot be written.
pub fn write(
    manifest: &Path,
    options: &Options,
    registry: Registry,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<(), FileError> {
    let mut seal = of(manifest, options, registry)
        .map_err(|error| FileError::Manifest { manifest: manifest.to_owned(), error })?;
    seal.defaults = defaults.map(str::to_owned);
    put(&beside(manifest), &signed(seal, manifest, signing)?)
}

fn put(path: &Path, seal: &Seal) -> Result<(), FileError> {
    let write = || -> io::Result<()> {
        let mut output = Output::file(path)?;
        output.write_all(seal.encode().as_bytes())?;
        output.commit()
    };
    write().map_err(|error| FileError::Write { seal: path.to_owned(), error })
}

/// Seals the bytes that a manifest will have, in a file that waits for them. Until
/// [`settle`] is called the old seal holds for the old bytes, and this one for the new ones.
///
/// # Errors
/// As [`write()`].
pub fn prepare(
    manifest: &Path,
    bytes: &[u8],
    options: &Options,
    registry: Registry,
    signing: Option<&Path>,
    defaults: Option<&str>,
) -> Result<(), FileError> {
    put(&waiting(manifest), &made(manifest, bytes, options, registry, signing, defaults)?)
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
    let mut seal = Seal::of(bytes, options, registry)
        .map_err(|error| FileError::Manifest { manifest: manifest.to_owned(), error })?;
    seal.defaults = defaults.map(str::to_owned);
    signed(seal, manifest, signing)
}

/// Puts the seal that waits in its place if the manifest has the records that it seals, and removes
/// it otherwise. Without one that waits nothing is done.
///
/// # Errors
/// When it cannot be renamed or removed.
pub fn settle(manifest: &Path, options: &Options, registry: Registry) -> Result<(), FileError> {
    let waiting = waiting(manifest);
    if std::fs::symlink_metadata(&waiting).is_err() {
        return Ok(());
    }
    let holds = verify_by(&waiting, manifest, options, registry, None);
    let settled = match holds {
        Ok(Some(_)) => std::fs::rename(&waiting, beside(manifest)),
        _ => std::fs::remove_file(&waiting),
    };
    settled.map_err(|error| FileError::Write { seal: waiting, error })
}

/// The seal of a manifest as it stands beside it, compared with nothing; `None` if there is none.
///
/// # Errors
/// When the seal cannot be read, or is not one.
pub fn read(manifest: &Path) -> Result<Option<Seal>, FileError> {
    let path = beside(manifest);
    let mut text = String::new();
    match Patient::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened
            .and_then(|file| file.take(LONGEST).read_to_string(&mut text))
            .map_err(|error| FileError::Read { seal: path.clone(), error })?,
    };
    Seal::decode(&text).map(Some).map_err(|error| FileError::Wrong { seal: path, error })
}

/// Verifies the seal of a manifest, if it has one or a key is given; `None` if there is neither. A
/// seal knows the algorithm of digests that do not name theirs.
///
/// # Errors
/// When the seal does not hold, or cannot be read or compared.
pub fn verify(
    manifest: &Path,
    options: &Options,
    registry: Registry,
    public: Option<&Path>,
) -> Result<Option<Held>, FileError> {
    let held = verify_by(&beside(manifest), manifest, options, registry, public);
    let is_other = matches!(&held, Err(FileError::Wrong { error: SealError::Records, .. }));
    let waiting = waiting(manifest);
    if !is_other || std::fs::symlink_metadata(&waiting).is_err() {
        return held;
    }
    // The manifest is in place, and its seal still waits: an update ended between the two.
    verify_by(&waiting, manifest, options, registry, public).or(held)
}

/// The same by the seal in a file.
fn verify_by(
    path: &Path,
    manifest: &Path,
    options: &Options,
    registry: Registry,
    public: Option<&Path>,
) -> Result<Option<Held>, FileError> {
    let path = path.to_owned();
    let against = Against::new(manifest, public)?;
    let mut text = String::new();
    let read = match Patient::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && public.is_none() => return Ok(None),
        Err(error) => Err(error),
        Ok(file) => file.take(LONGEST).read_to_string(&mut text),
    };
    read.map_err(|error| FileError::Read { seal: path.clone(), error })?;
    let mut private = None;
    let verified = Seal::decode(&text).and_then(|seal| {
        let (found, other) = meant(manifest, options, registry, &seal)?;
        if let Err(error) = against.verify(&seal, &found) {
            private = against.mistaken(&seal, &found, public);
            return Err(error);
        }
        Ok((seal, other))
    });
    if let Some(private) = private {
        return Err(private);
    }
    match verified {
        // The seal is there; its manifest is not.
        Err(SealError::Io(error)) => {
            let problem = Problem::io(Stage::Open, &error);
            Err(FileError::NoManifest { manifest: manifest.to_owned(), problem })
        }
        Err(error) => Err(FileError::Wrong { seal: path, error }),
        Ok((seal, algorithm)) => {
            let signer = match (public, seal.signature) {
                (Some(_), _) => SignedBy::Asked,
                (None, Some(_)) => SignedBy::Anybody,
                (None, None) => SignedBy::Nobody,
            };
            Ok(Some(Held { path, records: seal.records, signer, algorithm }))
        }
    }
}

/// The seal of the manifest as it is now. If it is not the one that is looked for, and digests do
/// not name their algorithm, each algorithm that could be meant is tried.
fn meant(
    manifest: &Path,
    options: &Options,
    registry: Registry,
    seal: &Seal,
) -> Result<(Seal, Option<Algorithm>), SealError> {
    let found = of(manifest, options, registry)?;
    let same = |other: &Seal| (other.records, other.root) == (seal.records, seal.root);
    if same(&found) || !options.assumed.is_empty() {
        return Ok((found, None));
    }
    let file = Patient::open(manifest).map_err(SealError::Io)?;
    let decoder = Decoder::with_registry(BufReader::new(file), options, registry).map_err(SealError::Io)?;
    let mut others: Vec<Algorithm> = Vec::new();
    for located in decoder {
        let Item::Entry(entry) = located.map_err(SealError::Io)?.item else { continue };
        let guesses = entry.digests.first().filter(|_| entry.guessed);
        for other in guesses.into_iter().flat_map(|digest| digits::alternatives(registry, digest)) {
            if !others.contains(&other) {
                others.push(other);
            }
        }
    }
    for other in others {
        let options = Options { assumed: vec![other], ..options.clone() };
        if let Ok(found) = of(manifest, &options, registry)
            && same(&found)
        {
            return Ok((found, Some(other)));
        }
    }
    Ok((found, None))
}
