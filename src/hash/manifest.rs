//! Records as a manifest, in any of the formats.

use super::event::{Event, Summary};
use super::request::is_elsewhere;
use super::{Problem, Request};
use crate::algorithms::REGISTRY;
use crate::beside::{Busy, LockedFile};
use crate::destination::Destination;
use crate::job::{self, Error};
use crate::outputs::{Existing, Outputs};
use crate::seal::{self, SealError};
use pfh_digest::Algorithm;
use pfh_engine::{Outcome, Record, Summary as Run};
use pfh_manifest::{Encode, End, Format, FormatFit, Layout, Marker, Options, Preamble, Unrepresentable};
use pfh_similarity::{MethodName, Similar};
use pfh_source::os::names::OsStringExt;
use pfh_source::{Output, Volumes, os};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The head of a manifest.
#[derive(Debug, Clone, Default)]
pub struct Head {
    /// The algorithms, in the order of every record's digests.
    pub algorithms: Vec<Algorithm>,
    /// The command line, without options that change only the speed: manifests of one tree are
    /// equal byte for byte.
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

/// A seal beside the manifest.
#[derive(Debug, Clone, Default)]
pub struct Sealing {
    /// The file of the key that signs it.
    pub key: Option<PathBuf>,
    /// The file of defaults that the run goes by, and its digest: the seal names it.
    pub defaults: Option<String>,
}

impl Sealing {
    /// Whether the seal can be signed: its key is loaded.
    ///
    /// # Errors
    /// The key's.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let Some(key) = &self.key else { return Ok(()) };
        #[cfg(any(feature = "audit", feature = "image"))]
        return Ok(crate::key::signing(key).map(drop)?);
        #[cfg(not(any(feature = "audit", feature = "image")))]
        Err(Error::request(Problem::NoSignatures(key.clone())))
    }
}

/// How records become a manifest, and where it goes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Manifest {
    /// Its format.
    pub format: Format,
    /// How its lines look, in formats that leave a choice.
    pub layout: Layout,
    /// Where it goes.
    pub output: Destination,
    /// The seal that a manifest in a file gets.
    pub seal: Option<Sealing>,
    /// The command line that its head records, for formats that have one: the options that decide
    /// the digests, so that manifests of one tree are equal byte for byte.
    pub command_line: Option<Vec<u8>>,
}

impl Manifest {
    /// As coreutils write it, to this destination.
    pub fn new(output: impl Into<Destination>) -> Manifest {
        Manifest {
            format: Format::Sums,
            layout: Layout { end: End::Line, marker: Marker::Text },
            output: output.into(),
            seal: None,
            command_line: None,
        }
    }

    /// In this format and layout.
    #[must_use]
    pub fn format(mut self, format: Format, layout: Layout) -> Manifest {
        (self.format, self.layout) = (format, layout);
        self
    }

    /// With this seal.
    #[must_use]
    pub fn seal(mut self, seal: Option<Sealing>) -> Manifest {
        self.seal = seal;
        self
    }

    /// With this command line at its head.
    #[must_use]
    pub fn command_line(mut self, line: impl Into<Option<Vec<u8>>>) -> Manifest {
        self.command_line = line.into();
        self
    }

    /// Whether the manifest can be written of such a run: nothing is opened but the key.
    ///
    /// # Errors
    /// When the format cannot hold the digests, or the key of the seal cannot be loaded.
    pub fn check(&self, request: &Request) -> Result<(), Error> {
        if request.plan.piecewise.is_some() && !has_pieces(self.format) {
            return Err(Error::request(Problem::Pieces(self.format)));
        }
        self.encoder(&Head { algorithms: request.plan.algorithms.clone(), ..Head::default() }, &mut Vec::new())?;
        let Some(sealing) = &self.seal else { return Ok(()) };
        let Some(_) = self.output.path() else { return Err(Error::request(Problem::SealBesideStream)) };
        request.input.streams_and(sealing.key.as_deref())?;
        sealing.check()
    }

    /// Names the outputs, and the key that is read.
    pub fn guard(&self, outputs: &mut Outputs) {
        match self.output.path() {
            Some(path) => outputs.file("output", Some(path)),
            None => outputs.standard(),
        };
        let sealed = self.output.path().filter(|_| self.seal.is_some());
        let waiting = sealed.filter(|path| seal::is_there(path)).map(seal::waiting);
        outputs.writes_beside("seal", sealed.map(seal::beside), Existing::Refused);
        outputs.writes_beside("waiting seal", waiting, Existing::Refused);
        outputs.reads_all(self.seal.as_ref().and_then(|sealing| sealing.key.as_ref()));
    }

    /// The run that its head describes.
    fn about(&self, request: &Request) -> Head {
        let here =
            pfh_source::os::names::working_directory().ok().map(|directory| directory.into_os_string().into_vec());
        // It will lie in another directory than that in which its relative names start.
        let is_based = |here: &Vec<u8>| {
            request.has_relative_names() && self.output.path().is_some_and(|output| is_elsewhere(output, here))
        };
        Head {
            algorithms: request.plan.algorithms.clone(),
            command_line: self.command_line.clone(),
            base: here.clone().filter(is_based),
            working_directory: here,
            version: env!("CARGO_PKG_VERSION").into(),
            volumes: request.volumes.clone(),
        }
    }

    fn encoder(&self, about: &Head, head: &mut Vec<u8>) -> Result<Box<dyn Encode>, Error> {
        encoder(self.format, self.layout, about, head)
    }
}

/// The encoder of a format, which has written this head.
///
/// # Errors
/// When the format cannot hold these algorithms, or this layout.
pub(crate) fn encoder(
    format: Format,
    layout: Layout,
    about: &Head,
    head: &mut Vec<u8>,
) -> Result<Box<dyn Encode>, Error> {
    let wrong = |why| Error::request(Problem::Format { format, why });
    let mut encoder = format.encoder(layout).map_err(wrong)?;
    let preamble = Preamble {
        algorithms: &about.algorithms,
        command_line: about.command_line.as_deref(),
        working_directory: about.working_directory.as_deref(),
        base: about.base.as_deref(),
        version: &about.version,
        start: None,
        volumes: about.volumes.as_ref(),
    };
    encoder.head(head, &preamble).map_err(wrong)?;
    Ok(encoder)
}

/// Writes the records of a run as a manifest. The file appears whole or not at all, when the writer
/// is [finished](Writer::finish).
///
/// [`write`](super::write()) does all of it in the right order.
pub struct Writer {
    encoder: Box<dyn Encode>,
    output: Output,
    sealed: Option<SealReader>,
    bytes: u64,
    written: u64,
    unwritten: u64,
    without: u64,
}

/// The outcome of the files in a manifest.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ManifestOutcome {
    /// The result of the run.
    pub summary: Summary,
    /// Hashed files that the format cannot hold.
    pub unwritten: u64,
    /// Files that were read and have no digest, because they are too short, too plain or too long
    /// for the algorithm.
    pub without: u64,
}

impl Writer {
    /// Opens the output and writes the head. `request` is that of the run, with the manifest among
    /// its outputs.
    ///
    /// # Errors
    /// When the format cannot hold these algorithms, or this layout; when the output cannot be
    /// opened.
    pub fn open(manifest: &Manifest, request: &Request) -> Result<Writer, Error> {
        let mut output = manifest.output.open()?;
        let encoder = manifest.encoder(&manifest.about(request), output.room())?;
        let (seal, plan) = (manifest.seal.as_ref(), &request.plan);
        let form = (manifest.format, manifest.layout);
        let sealed = SealReader::begin(&manifest.output, seal, form, &plan.algorithms, plan.memory, &mut output)?;
        Ok(Writer { encoder, output, sealed, bytes: 0, written: 0, unwritten: 0, without: 0 })
    }

    /// Writes the record of an event, if it has one. The inner error says that the format cannot
    /// hold it: nothing was written, the entry has no digest in the output.
    ///
    /// # Errors
    /// The outer error is the output's: ENOSPC, EPIPE and the like.
    pub fn take(&mut self, event: &Event<'_>) -> io::Result<Result<(), Unrepresentable>> {
        match event {
            Event::Record(record) => self.record(record),
            Event::Idle => io::Write::flush(&mut self.output).map(Ok),
            _ => Ok(Ok(())),
        }
    }

    fn record(&mut self, record: &Record) -> io::Result<Result<(), Unrepresentable>> {
        let result = self.encoder.record(self.output.room(), record).map(|carried| {
            // A format without a place for an input without digests: standard error has it.
            let (FormatFit::Yes | FormatFit::No) = carried;
            if let Outcome::Hashed(hashed) = &record.outcome {
                self.bytes += hashed.closed.size;
                self.written += 1;
            }
        });
        if result.is_err() {
            // A file that was read whole and is too short for the method has nothing that could
            // have been written.
            let has_none = has_none(record);
            self.unwritten += u64::from(!has_none);
            self.without += u64::from(has_none);
        }
        self.output.advance()?;
        Ok(result)
    }

    /// Ends the manifest, commits the output and seals it. An interrupted run ends the output after
    /// whole records, without the manifest's end, so that every reader sees that it is not
    /// complete; a file gets no name.
    ///
    /// # Errors
    /// The output's, and the seal's: the manifest is whole then.
    pub fn finish(mut self, summary: &Summary) -> Result<ManifestOutcome, Error> {
        let written = ManifestOutcome { summary: *summary, unwritten: self.unwritten, without: self.without };
        let run = &summary.run;
        if run.interrupted {
            io::Write::flush(&mut self.output).map_err(Error::Sink)?;
            return Ok(written);
        }
        let failed = run.failed + (run.hashed - self.written.min(run.hashed));
        let counts = Run { hashed: self.written, bytes: self.bytes, failed, ..*run };
        self.encoder.tail(self.output.room(), &counts);
        SealReader::commit(self.output, self.sealed)?;
        Ok(written)
    }
}

/// The seal of a manifest that is being written: it reads the bytes as they are written.
pub(crate) struct SealReader {
    path: PathBuf,
    sealing: Sealing,
    options: Options,
    witness: Arc<Mutex<Option<seal::Witness>>>,
    /// The lock of a sealed manifest that is replaced.
    held: Option<LockedFile>,
}

impl SealReader {
    /// Begins the seal of an output, if that is asked for and the output is a file.
    ///
    /// # Errors
    /// When the output takes the place of a sealed manifest that another run has.
    pub(crate) fn begin(
        to: &Destination,
        seal: Option<&Sealing>,
        (format, layout): (Format, Layout),
        algorithms: &[Algorithm],
        memory: usize,
        output: &mut Output,
    ) -> Result<Option<SealReader>, Error> {
        let (Some(sealing), Some(path)) = (seal.cloned(), to.path().map(Path::to_owned)) else { return Ok(None) };
        // Two runs would leave the list of one and the seal of the other.
        let held = if os::REPLACES_OPEN && seal::is_there(&path) { LockedFile::at(&path) } else { Ok(None) };
        let held = held.map_err(|Busy| Error::input(job::PathError::new(&path, Problem::Busy)))?;
        let options = Options {
            format: Some(format),
            // The algorithms are known here, so digests of any length are read back right.
            assumed: algorithms.to_vec(),
            end: layout.end,
            limit: memory.max(1 << 20),
            ..Options::default()
        };
        let witness = Arc::new(Mutex::new(Some(seal::Witness::begin(options.clone(), REGISTRY))));
        let seeing = Arc::clone(&witness);
        output.show(Box::new(move |bytes| {
            if let Some(witness) = &mut *seeing.lock().unwrap_or_else(PoisonError::into_inner) {
                witness.see(bytes);
            }
        }));
        Ok(Some(SealReader { path, sealing, options, witness, held }))
    }

    /// Commits the output of a manifest that is whole, and writes its seal if there is one. Where a
    /// sealed manifest is replaced, both are the old ones or both the new ones, whenever the run
    /// ends.
    ///
    /// # Errors
    /// The output's. When the seal cannot be made or written: a manifest that takes no other's
    /// place is whole then, unless a signal ended the reading of its records: then it has no name.
    pub(crate) fn commit(mut output: Output, sealed: Option<SealReader>) -> Result<(), Error> {
        let Some(SealReader { path, sealing: Sealing { key, defaults }, options, witness, held }) = sealed else {
            return output.commit().map_err(Error::Sink);
        };
        io::Write::flush(&mut output).map_err(Error::Sink)?;
        let witness = witness.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(seen) = witness.map(seal::Witness::end) else { return output.commit().map_err(Error::Sink) };
        let seen = match seen {
            Err(SealError::Io(error)) => return Err(Error::Sink(error)),
            seen => seen,
        };
        let (key, defaults) = (key.as_deref(), defaults.as_deref());
        if !seal::is_there(&path) {
            output.commit().map_err(Error::Sink)?;
            return seal::write(&path, seen, key, defaults).map_err(Error::output);
        }
        // From here on the new one is locked as the old one is, until its seal is in place.
        let locks = (held, output.hold().and_then(LockedFile::of));
        let made = seal::write_waiting(&path, seen, key, defaults).map_err(Error::output)?;
        if let Err(error) = output.commit() {
            seal::settle_as_it_is(&path, &options, REGISTRY);
            return Err(Error::Sink(error));
        }
        let replaced = seal::replace(&path, &made).map_err(Error::output);
        drop(locks);
        replaced
    }
}

/// The format in which an algorithm's own tool writes.
pub fn own_format(algorithm: Algorithm) -> Format {
    match MethodName::of(algorithm) {
        Some(MethodName::Ssdeep) => Format::Ssdeep,
        Some(MethodName::Sdhash | MethodName::SdhashStream | MethodName::SdhashDd) => Format::Sdbf,
        Some(MethodName::MrshV2 | MethodName::MrshV2Network) => Format::Mrsh,
        Some(MethodName::Pdq | MethodName::Phash) => Format::Csv,
        _ => Format::Sums,
    }
}

/// Whether a format has a place for digests of windows.
pub fn has_pieces(format: Format) -> bool {
    matches!(format, Format::Hashdeep | Format::Dfxml | Format::Jsonl | Format::Csv)
}

/// Whether a file was read whole, and has no digest because its methods make none of so little.
pub(crate) fn has_none(record: &Record) -> bool {
    let absent = |digest: &pfh_digest::Digest| Similar::of(digest).is_some_and(Similar::is_absent);
    matches!(&record.outcome, Outcome::Hashed(hashed) if !hashed.digests.is_empty() && hashed.digests.iter().all(absent))
}
