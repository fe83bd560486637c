//! Pieces of a file that come in any order, and the list of them.

use super::{Error, Outboard, Parameters, Pass, Problem};
use pfh_outboard::read_file;
use pfh_source::Stream;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::processors;
use pfh_tree::outboard::{PieceError, Pieces};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// A list of pieces: where each begins in the file, and which file holds it.
pub struct PieceList {
    pieces: Vec<Piece>,
    length: u64,
}

/// A piece of a file.
struct Piece {
    offset: u64,
    length: u64,
    path: PathBuf,
}

impl PieceList {
    /// Reads a list: a line for each piece, its offset in bytes, a space and the name of its file;
    /// empty lines count for nothing. `-` is standard input. Without `length` the file ends with
    /// its last piece.
    ///
    /// # Errors
    /// When it cannot be read, or a line is none; a piece that cannot be looked at.
    pub fn read(list: &Path, length: Option<u64>) -> Result<PieceList, Error> {
        let wrong = |line: u64, why: String| Error::from(Problem::Pieces { list: list.to_owned(), line, why });
        let reader = BufReader::new(Stream::document(list).map_err(|error| wrong(0, error.to_string()))?);
        let (mut pieces, mut end) = (Vec::new(), 0);
        for (number, line) in (1..).zip(reader.split(b'\n')) {
            let line = line.map_err(|error| wrong(number, error.to_string()))?;
            if line.is_empty() {
                continue;
            }
            let space = line.iter().position(|byte| *byte == b' ').unwrap_or(line.len());
            let offset = str::from_utf8(&line[..space]).ok().and_then(|digits| digits.parse::<u64>().ok());
            let name = line.get(space + 1..).filter(|name| !name.is_empty());
            let (Some(offset), Some(name)) = (offset, name) else {
                return Err(wrong(number, "a line is an offset in bytes, a space and the name of a file".into()));
            };
            let path = PathBuf::from(OsStr::from_bytes(name));
            let found = std::fs::metadata(&path).map_err(|error| wrong(number, error.to_string()))?;
            end = end.max(offset.saturating_add(found.len()));
            pieces.push(Piece { offset, length: found.len(), path });
        }
        Ok(PieceList { pieces, length: length.unwrap_or(end) })
    }

    /// The files that hold the pieces.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.pieces.iter().map(|piece| &piece.path)
    }

    /// The tree of the whole, from its pieces in the order in which they are listed.
    ///
    /// # Errors
    /// When a piece cannot be read, does not fit, or came before; when some of the file is missing.
    pub fn tree(&self, parameters: Parameters, pass: &mut Pass<'_>) -> Result<Outboard, Error> {
        let executor = pfh_engine::executor(pass.threads.min(processors().max(1)));
        let mut gathered = Pieces::new(parameters, self.length);
        for Piece { offset, path, .. } in &self.pieces {
            let (mut at, mut misplaced) = (*offset, None);
            read_file(path, pass, |bytes| {
                if misplaced.is_none() {
                    misplaced = gathered.place(at, bytes, &executor).err();
                }
                at += bytes.len() as u64;
            })?;
            if let Some(why) = misplaced {
                return Err(Problem::Piece { file: path.clone(), offset: *offset, why }.into());
            }
        }
        Ok(gathered.finish().map_err(Problem::Missing)?)
    }

    /// The pieces from the start of the file to its end, each with its length in bytes.
    ///
    /// # Errors
    /// When one does not fit, or came before; when some of the file is missing.
    pub fn in_order(&self) -> Result<Vec<(&Path, Option<u64>)>, Error> {
        let mut sorted: Vec<&Piece> = self.pieces.iter().collect();
        sorted.sort_by_key(|piece| piece.offset);
        let (mut end, mut missing) = (0, Vec::new());
        for Piece { offset, length, path } in sorted.iter().copied() {
            let until = offset.saturating_add(*length);
            let misplaced = match () {
                () if until > self.length => Some(PieceError::Beyond(self.length)),
                () if *offset < end && *length > 0 => Some(PieceError::Twice(*offset..until.min(end))),
                () => None,
            };
            if let Some(why) = misplaced {
                return Err(Problem::Piece { file: path.clone(), offset: *offset, why }.into());
            }
            if *offset > end {
                missing.push(end..*offset);
            }
            end = end.max(until);
        }
        if end < self.length {
            missing.push(end..self.length);
        }
        if !missing.is_empty() {
            return Err(Problem::Missing(missing).into());
        }
        Ok(sorted.iter().map(|piece| (piece.path.as_path(), Some(piece.length))).collect())
    }
}
