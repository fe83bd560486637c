//! Records as a manifest, in any of the formats.

use crate::problem::failed;
use pfh_digest::Algorithm;
use pfh_engine::{Hashed, Outcome, Record, Summary};
use pfh_manifest::{self as format, Carried, Encode, Format, Kind, Layout, Preamble, Row, Times, Unrepresentable};
use pfh_source::Output;
use pfh_source::Stat;
use pfh_source::Time;
use std::io;

/// What is written at the head of a manifest.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The algorithms, in the order of every record's digests.
    pub algorithms: Vec<Algorithm>,
    /// The command line, without what changes only the speed: manifests of one tree are equal byte for byte.
    pub command_line: Option<Vec<u8>>,
    /// The working directory.
    pub working_directory: Option<Vec<u8>>,
    /// The directory in which relative names start, where the manifest will lie in another.
    pub base: Option<Vec<u8>>,
    /// The version of the program.
    pub version: String,
}

/// Writes records in a format.
pub struct Manifest {
    encoder: Box<dyn Encode>,
    output: Output,
    bytes: u64,
    written: u64,
    pieces: bool,
}

impl Manifest {
    /// Starts a manifest; `pieces` says that its rows will have piecewise digests.
    ///
    /// # Errors
    /// When the format cannot hold these algorithms, or this layout.
    pub fn open(
        format: Format,
        layout: Layout,
        about: &About,
        pieces: bool,
        mut output: Output,
    ) -> Result<Self, Unrepresentable> {
        let mut encoder = format.encoder(layout)?;
        let preamble = Preamble {
            algorithms: &about.algorithms,
            command_line: about.command_line.as_deref(),
            working_directory: about.working_directory.as_deref(),
            base: about.base.as_deref(),
            version: &about.version,
            start: None,
        };
        encoder.head(output.room(), &preamble)?;
        Ok(Manifest { encoder, output, bytes: 0, written: 0, pieces })
    }

    /// Writes a record. The inner error says that the format cannot hold it: nothing was written, the entry has no
    /// digest in the output.
    ///
    /// # Errors
    /// The outer error is the output's: ENOSPC, EPIPE and the like.
    pub fn write(&mut self, record: &Record) -> io::Result<Result<(), Unrepresentable>> {
        let result = match &record.outcome {
            Outcome::Hashed(hashed) => self.row(&record.name, hashed),
            Outcome::Skipped(skip) => {
                let problem = format::Problem::skipped(&record.name, skip.reason());
                // A format without a place for it: standard error has it.
                let (Carried::Yes | Carried::No) = self.encoder.problem(self.output.room(), &problem);
                Ok(())
            }
            Outcome::Failed(found) => {
                let cause = found.cause.to_string();
                let problem = failed(&record.name, found, &cause);
                let (Carried::Yes | Carried::No) = self.encoder.problem(self.output.room(), &problem);
                Ok(())
            }
        };
        self.output.advance()?;
        Ok(result)
    }

    fn row(&mut self, name: &[u8], hashed: &Hashed) -> Result<(), Unrepresentable> {
        let pieces: Vec<format::Piece<'_>> = hashed
            .pieces
            .iter()
            .map(|p| format::Piece { offset: p.offset, length: p.length, digests: &p.digests })
            .collect();
        let notes: Vec<&str> = hashed.closed.notes.iter().map(|n| n.name()).collect();
        let row = Row {
            name,
            size: hashed.closed.size,
            digests: &hashed.digests,
            times: hashed.closed.stat.as_ref().map(times).unwrap_or_default(),
            kind: hashed.closed.stat.as_ref().map_or(Kind::Stream, kind),
            pieces: if self.pieces { &pieces } else { &[] },
            notes: &notes,
        };
        self.encoder.row(self.output.room(), &row)?;
        self.bytes += hashed.closed.size;
        self.written += 1;
        Ok(())
    }

    /// Lets out what is buffered.
    ///
    /// # Errors
    /// The output's.
    pub fn flush(&mut self) -> io::Result<()> {
        io::Write::flush(&mut self.output)
    }

    /// Ends the manifest and commits the output.
    ///
    /// # Errors
    /// The output's; nothing counts as written when there is one.
    pub fn finish(mut self, summary: &Summary) -> io::Result<()> {
        let summary = format::Summary {
            files: self.written,
            bytes: self.bytes,
            failed: summary.failed + (summary.hashed - self.written.min(summary.hashed)),
            skipped: summary.skipped,
        };
        self.encoder.tail(self.output.room(), &summary);
        self.output.commit()
    }

    /// Ends the output after whole records, without the manifest's end: whoever reads it sees that it is not complete.
    /// A file gets no name.
    ///
    /// # Errors
    /// The output's.
    pub fn interrupt(mut self) -> io::Result<()> {
        self.flush()
    }
}

pub(crate) fn times(stat: &Stat) -> Times {
    let time = |(seconds, nanoseconds): (i64, u32)| Some(Time { seconds, nanoseconds });
    Times { modified: time(stat.mtime), changed: time(stat.ctime), accessed: time(stat.atime) }
}

pub(crate) fn kind(stat: &Stat) -> Kind {
    // S_IFMT of stat(2).
    match stat.mode & 0o170_000 {
        0o060_000 => Kind::BlockDevice,
        0o020_000 => Kind::CharacterDevice,
        0o010_000 => Kind::Fifo,
        0o100_000 => Kind::File,
        _ => Kind::Stream,
    }
}
