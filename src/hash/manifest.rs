//! Records as a manifest, in any of the formats.

use pfh_digest::Algorithm;
use pfh_engine::{Outcome, Record, Summary};
use pfh_manifest::{Carried, Encode, Format, Layout, Preamble, Unrepresentable};
use pfh_source::{Output, Volumes};
use std::io;
use std::sync::Arc;

/// What is written at the head of a manifest.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The algorithms, in the order of every record's digests.
    pub algorithms: Vec<Algorithm>,
    /// The command line, without what changes only the speed: manifests of one tree are equal byte
    /// for byte.
    pub command_line: Option<Vec<u8>>,
    /// The working directory.
    pub working_directory: Option<Vec<u8>>,
    /// The directory in which relative names start, where the manifest will lie in another.
    pub base: Option<Vec<u8>>,
    /// The version of the program.
    pub version: String,
    /// The file systems that the source goes into, for formats that can hold them.
    pub volumes: Option<Arc<Volumes>>,
}

/// Writes records in a format.
pub struct Manifest {
    encoder: Box<dyn Encode>,
    output: Output,
    bytes: u64,
    written: u64,
}

impl Manifest {
    /// Starts a manifest.
    ///
    /// # Errors
    /// When the format cannot hold these algorithms, or this layout.
    pub fn open(format: Format, layout: Layout, about: &About, mut output: Output) -> Result<Self, Unrepresentable> {
        let mut encoder = format.encoder(layout)?;
        let preamble = Preamble {
            algorithms: &about.algorithms,
            command_line: about.command_line.as_deref(),
            working_directory: about.working_directory.as_deref(),
            base: about.base.as_deref(),
            version: &about.version,
            start: None,
            volumes: about.volumes.as_ref(),
        };
        encoder.head(output.room(), &preamble)?;
        Ok(Manifest { encoder, output, bytes: 0, written: 0 })
    }

    /// Writes a record. The inner error says that the format cannot hold it: nothing was written,
    /// the entry has no digest in the output.
    ///
    /// # Errors
    /// The outer error is the output's: ENOSPC, EPIPE and the like.
    pub fn write(&mut self, record: &Record) -> io::Result<Result<(), Unrepresentable>> {
        let result = self.encoder.record(self.output.room(), record).map(|carried| {
            // A format without a place for an input without digests: standard error has it.
            let (Carried::Yes | Carried::No) = carried;
            if let Outcome::Hashed(hashed) = &record.outcome {
                self.bytes += hashed.closed.size;
                self.written += 1;
            }
        });
        self.output.advance()?;
        Ok(result)
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
        let unwritten = summary.hashed - self.written.min(summary.hashed);
        let failed = summary.failed + unwritten;
        let summary = Summary { hashed: self.written, bytes: self.bytes, failed, ..*summary };
        self.encoder.tail(self.output.room(), &summary);
        self.output.commit()
    }

    /// Ends the output after whole records, without the manifest's end: whoever reads it sees that
    /// it is not complete. A file gets no name.
    ///
    /// # Errors
    /// The output's.
    pub fn interrupt(mut self) -> io::Result<()> {
        self.flush()
    }
}
