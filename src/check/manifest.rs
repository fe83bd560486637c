//! The manifest of a check: how it is opened, and the hints in its name.

use super::appended;
use super::problem::Problem as Wrong;
use crate::algorithms::REGISTRY;
use crate::job::{Error, PathError};
use pfh_digest::Algorithm;
use pfh_ledger::{Ledger, ReadError};
use pfh_manifest::Options;
use pfh_source::os::names::OsStrExt;
use pfh_source::{Cause, Problem, Stage, Stream};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// A digest alone, with all comments and signatures, has at most as many bytes. Longer lists are
/// not held in memory as text.
const ALONE: u64 = 1 << 16;

/// The text of a manifest. It is opened once.
pub enum Text<'a> {
    /// As it is read.
    Stream(Box<dyn BufRead>),
    /// As it was read.
    Bytes(&'a [u8]),
    /// An archive with its digest behind it, and the list that it stands for.
    Appended(Box<dyn BufRead>, Vec<u8>),
}

impl Text<'_> {
    /// Opens a manifest, and unpacks one that is packed with gzip.
    ///
    /// # Errors
    /// When it cannot be opened, or its first bytes cannot be read.
    pub fn open(manifest: &Path) -> Result<Text<'static>, Error> {
        let open = Stream::document(manifest).map_err(|error| {
            let problem = Problem::io(Stage::Open, &error);
            Error::input(PathError::new(manifest, problem))
        })?;
        let list = appended::list(manifest, open.as_file()).map_err(|error| failed(manifest, &error))?;
        let reader: Box<dyn BufRead> = Box::new(BufReader::with_capacity(1 << 18, open));
        if let Some(list) = list {
            return Ok(Text::Appended(reader, list));
        }
        unpacked(reader).map(Text::Stream).map_err(|error| failed(manifest, &error))
    }

    /// All of it, unpacked if it was read as it is packed.
    ///
    /// # Errors
    /// When it cannot be unpacked.
    pub fn plain(self, manifest: &Path) -> Result<Vec<u8>, Error> {
        let bytes = self.bytes(manifest)?;
        if bytes.first() != Some(&0x1f) {
            return Ok(bytes);
        }
        let reader = unpacked(Box::new(io::Cursor::new(bytes))).map_err(|error| failed(manifest, &error))?;
        Text::Stream(reader).bytes(manifest)
    }

    /// All of it.
    ///
    /// # Errors
    /// When it cannot be read to its end.
    pub fn bytes(self, manifest: &Path) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        match self {
            Text::Stream(mut reader) | Text::Appended(mut reader, _) => {
                reader.read_to_end(&mut bytes).map_err(|error| failed(manifest, &error))?
            }
            Text::Bytes(read) => return Ok(read.to_vec()),
        };
        Ok(bytes)
    }
}

/// Reads a manifest, and one that is a digest alone in a file called after the file and the
/// algorithm (`image.iso.sha256`), or digests of any algorithms in one called `image.iso.sum`, as
/// well.
///
/// # Errors
/// When it cannot be read, or its pieces cannot be checked in one run.
pub fn read(manifest: &Path, text: Text<'_>, options: &Options) -> Result<Ledger, Error> {
    let list = match &text {
        Text::Stream(_) => None,
        Text::Bytes(bytes) => {
            appended::list(manifest, io::Cursor::new(bytes)).map_err(|error| failed(manifest, &error))?
        }
        Text::Appended(_, list) => Some(list.clone()),
    };
    if let Some(list) = list {
        return decoded(manifest, Text::Bytes(&list), &Options::default());
    }
    let Some((described, several)) = described(manifest) else { return decoded(manifest, text, options) };
    // It is read in one way or in the other, of the same bytes.
    let mut bytes = Vec::new();
    match text {
        Text::Stream(mut reader) | Text::Appended(mut reader, _) => {
            let started = reader.by_ref().take(ALONE + 1).read_to_end(&mut bytes);
            if started.map_err(|error| failed(manifest, &error))? as u64 > ALONE {
                let whole = Box::new(io::Cursor::new(bytes).chain(reader));
                return decoded(manifest, Text::Stream(whole), options);
            }
        }
        Text::Bytes(read) if read.len() as u64 > ALONE => return decoded(manifest, text, options),
        Text::Bytes(read) => bytes.extend_from_slice(read),
    }
    let bare = Options { bare: true, ..options.clone() };
    let mut read = decoded(manifest, Text::Bytes(&bytes), &bare)?;
    match &mut read.entries[..] {
        // `-` is what `sha256sum < image.iso` writes, the others are OpenSSL's and RHash's words.
        [only] if is_stream(&only.name) && (several || only.digests.len() == 1) => {
            only.name = described;
            Ok(read)
        }
        entries if entries.iter().all(|entry| !entry.name.is_empty()) => Ok(read),
        // Several digests in need of a name: each is a line that is not a record.
        _ => decoded(manifest, Text::Bytes(&bytes), options),
    }
}

/// Whether a name stands for standard input, or for nothing.
fn is_stream(name: &[u8]) -> bool {
    matches!(name, b"" | b"-" | b"stdin" | b"(stdin)")
}

/// The name of the file that a list of this name describes: `image.iso` of `image.iso.sha256`,
/// which has one digest, and of `image.iso.sum`, which may have several, if that file is there.
fn described(manifest: &Path) -> Option<(Vec<u8>, bool)> {
    let (stem, extension) = (manifest.file_stem()?, manifest.extension()?.to_str()?);
    // `image.iso.sha256.txt`
    let shorter = manifest.with_extension("");
    if extension == "txt" && shorter.extension().is_some_and(|end| end != "txt") {
        return described(&shorter);
    }
    // `.sha256`, `.sha256sum`, `.b2sum`.
    if !pfh_manifest::hints(REGISTRY, extension).is_empty() {
        return Some((stem.as_bytes().to_vec(), false));
    }
    let is_there = Path::new(stem).is_file() || manifest.with_extension("").is_file();
    let several = matches!(extension, "sum" | "sums" | "hash" | "hashes") && is_there;
    several.then(|| (stem.as_bytes().to_vec(), true))
}

/// Why a manifest cannot be read to its end.
fn failed(manifest: &Path, error: &io::Error) -> Error {
    let problem = match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            Problem::new(Stage::Read, Cause::Image(format!("packed with gzip: {error}").into()))
        }
        _ => Problem::io(Stage::Read, error),
    };
    Error::input(PathError::new(manifest, problem))
}

fn decoded(manifest: &Path, text: Text<'_>, options: &Options) -> Result<Ledger, Error> {
    let read = match text {
        Text::Stream(reader) => Ledger::read(reader, options, REGISTRY),
        Text::Bytes(bytes) => Ledger::read(bytes, options, REGISTRY),
        Text::Appended(_, list) => Ledger::read(&list[..], options, REGISTRY),
    };
    read.map_err(|error| match error {
        ReadError::Io(error) => failed(manifest, &error),
        ReadError::Pieces => Error::input(Wrong::Pieces(manifest.to_owned())),
    })
}

/// Its content, if it is packed with gzip.
fn unpacked(mut reader: Box<dyn BufRead>) -> io::Result<Box<dyn BufRead>> {
    // One byte is all that a pipe may give at first, and no list starts with this one.
    Ok(match reader.fill_buf()? {
        #[cfg(feature = "known")]
        [0x1f, ..] => Box::new(BufReader::with_capacity(1 << 18, flate2::bufread::MultiGzDecoder::new(reader))),
        #[cfg(not(feature = "known"))]
        [0x1f, ..] => return Err(io::Error::new(io::ErrorKind::InvalidData, "this build unpacks nothing")),
        _ => reader,
    })
}

/// The algorithms that the name of a list hints at: `B3SUMS`, `image.iso.sha3-256`,
/// `SHA512-256SUMS.txt`, `x.b2sum`.
pub fn hints(manifest: &Path) -> Vec<Algorithm> {
    pfh_manifest::hints(REGISTRY, &manifest.file_name().unwrap_or_default().to_string_lossy())
}

/// The algorithm that is not known here and that the name of a list states, with the length of its
/// digests.
pub fn unknown(manifest: &Path) -> Option<(&'static str, usize)> {
    pfh_manifest::unknown(&manifest.file_name().unwrap_or_default().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_lists_hint_at_their_algorithm() {
        for (name, expected) in [
            ("B3SUMS", "blake3"),
            ("x/image.iso.sha3-256", "sha3-256"),
            ("SHA512-256SUMS.txt", "sha512-256"),
            ("a.b2", "blake2b"),
            ("a.b2sum", "blake2b"),
            ("MD5SUMS", "md5"),
            ("a.xxh128", "xxh3-128"),
            ("files.kt128", "kt128"),
        ] {
            assert_eq!(hints(Path::new(name)).first().map(Algorithm::to_string).as_deref(), Some(expected), "{name}");
        }
        assert!(hints(Path::new("m")).is_empty() && hints(Path::new("-")).is_empty());
    }
}
