//! The names of one directory in byte order, in bounded memory: runs of more than 8 MiB are spilled
//! to an unlinked temporary file and merged.

use crate::merge::Merge;
use crate::os::{self, Directory, Errno, FileType};
use crate::panics::fail_point;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Write};

/// Bytes of names held in memory before a run is spilled.
const RUN: usize = 8 << 20;
/// Room beside each name: its span.
const SPAN: usize = size_of::<Span>();

/// A name and its type as the directory states it.
pub(crate) type NamedKind = (Box<[u8]>, FileType);

struct Span {
    start: u32,
    length: u16,
    kind: u8,
}

#[derive(Default)]
struct Run {
    bytes: Vec<u8>,
    spans: Vec<Span>,
}

impl Run {
    fn push(&mut self, name: &[u8], kind: FileType) {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(name);
        self.spans.push(Span { start, length: name.len() as u16, kind: code(kind) });
    }

    fn name(&self, span: &Span) -> &[u8] {
        &self.bytes[span.start as usize..][..span.length as usize]
    }

    fn sort(&mut self) {
        let mut spans = std::mem::take(&mut self.spans);
        spans.sort_unstable_by(|a, b| self.name(b).cmp(self.name(a)));
        self.spans = spans;
    }

    fn spill(&mut self) -> std::io::Result<BufReader<File>> {
        self.sort();
        let mut out = BufWriter::new(tempfile::tempfile()?);
        for span in self.spans.iter().rev() {
            out.write_all(&span.length.to_le_bytes())?;
            out.write_all(&[span.kind])?;
            out.write_all(self.name(span))?;
        }
        let mut file = out.into_inner().map_err(std::io::IntoInnerError::into_error)?;
        std::io::Seek::rewind(&mut file)?;
        *self = Run::default();
        Ok(BufReader::new(file))
    }
}

fn code(kind: FileType) -> u8 {
    match kind {
        FileType::RegularFile => 1,
        FileType::Directory => 2,
        FileType::Symlink => 3,
        FileType::Fifo => 4,
        FileType::Socket => 5,
        FileType::CharacterDevice => 6,
        FileType::BlockDevice => 7,
        FileType::Placeholder => 8,
        FileType::Unknown => 0,
    }
}

fn kind(code: u8) -> FileType {
    match code {
        1 => FileType::RegularFile,
        2 => FileType::Directory,
        3 => FileType::Symlink,
        4 => FileType::Fifo,
        5 => FileType::Socket,
        6 => FileType::CharacterDevice,
        7 => FileType::BlockDevice,
        8 => FileType::Placeholder,
        _ => FileType::Unknown,
    }
}

/// A sorted run, held or spilled.
enum Part {
    /// Sorted backwards, so that `pop` yields the least.
    Held(Run),
    Spilled(BufReader<File>),
}

impl Iterator for Part {
    type Item = Result<(Box<[u8]>, u8), Errno>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Part::Held(run) => {
                let span = run.spans.pop()?;
                Some(Ok((run.name(&span).into(), span.kind)))
            }
            Part::Spilled(file) => read(file).map_err(|e| errno(&e)).transpose(),
        }
    }
}

/// The next name of a spilled run and the code of its type.
fn read(file: &mut BufReader<File>) -> std::io::Result<Option<(Box<[u8]>, u8)>> {
    if file.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let mut head = [0u8; 3];
    file.read_exact(&mut head)?;
    let mut name = vec![0u8; u16::from_le_bytes([head[0], head[1]]).into()];
    file.read_exact(&mut name)?;
    Ok(Some((name.into(), head[2])))
}

/// A directory's names in byte order.
pub(crate) struct Names(Merge<(Box<[u8]>, u8), Part, Errno>);

impl Names {
    /// Lists `directory`. A failure half-way comes beside the names that were there: nothing is
    /// dropped in silence.
    pub(crate) fn list(directory: &Directory) -> (Self, Option<Errno>) {
        fail_point("list");
        let mut run = Run::default();
        let mut spilled = Vec::new();
        let failed = os::list(directory, |name, kind| {
            if run.bytes.len() + run.spans.len() * SPAN + name.len() > RUN {
                spilled.push(run.spill().map_err(|e| errno(&e))?);
            }
            run.push(name, kind);
            Ok(())
        })
        .err();
        if spilled.is_empty() {
            run.bytes.shrink_to_fit();
        }
        let mut names = Names::merged(run, spilled);
        let failed = failed.or_else(|| names.0.take_error());
        (names, failed)
    }

    fn merged(mut run: Run, spilled: Vec<BufReader<File>>) -> Self {
        run.sort();
        Names(Merge::new(spilled.into_iter().map(Part::Spilled).chain([Part::Held(run)]).collect()))
    }

    /// The next name, or the error that reading a spilled run back met.
    pub(crate) fn next(&mut self) -> Option<Result<NamedKind, Errno>> {
        Some(self.0.next()?.map(|(name, code)| (name, kind(code))))
    }
}

fn errno(error: &std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spilled_runs_merge_in_order() {
        let names: Vec<Vec<u8>> = (0..1000u32).map(|i| i.wrapping_mul(2_654_435_761).to_be_bytes().to_vec()).collect();
        let mut spilled = Vec::new();
        let mut run = Run::default();
        for (i, name) in names.iter().enumerate() {
            if i % 190 == 189 {
                spilled.push(run.spill().unwrap());
            }
            run.push(name, FileType::RegularFile);
        }
        let mut merged = Names::merged(run, spilled);
        let found: Vec<Vec<u8>> = std::iter::from_fn(|| merged.next()).map(|n| n.unwrap().0.into()).collect();
        let mut sorted = names;
        sorted.sort();
        assert_eq!(found, sorted);
    }
}
