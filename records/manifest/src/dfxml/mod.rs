//! Digital Forensics XML, schema 2.0.0-beta.0 of the DFXML working group.
//!
//! XML 1.0 (§2.2) cannot hold most controls, and text must be UTF-8. A name that it cannot hold
//! stands in `<filename>` with U+FFFD for invalid bytes, and exactly, in base64, in the attribute
//! `pfh:base64`. The schema's list of algorithms is short: others are `type='other'` with the name
//! in `pfh:algorithm`. Both attributes are of the namespace [`NAMESPACE`], which the schema allows.

mod decode;
mod text;
mod volumes;

pub(crate) use decode::Decoder;
pub use text::element;

use pfh_digest::{Algorithm, Digest};
use pfh_engine::{HashedFile, Outcome, Record, Summary};
use pfh_source::{Inside, Problem, Time, Volume};

use crate::count::{Count, Names};
use crate::encode::{Encode, FormatFit, Kind, Preamble, Unrepresentable};
use crate::times::Times;
use text::text;
use volumes::Sections;

/// The namespace of elements that the schema leaves to others.
pub const NAMESPACE: &str = "urn:x-pfh:dfxml:1";
/// The namespace of DFXML.
pub const DFXML: &str = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML";

/// Writes DFXML.
#[derive(Default)]
pub struct Encoder {
    types: Vec<String>,
    sections: Sections,
    count: Count,
}

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// Appends the object of a record, at whose end `more` may append elements of its own.
    pub fn object(&mut self, out: &mut Vec<u8>, record: &Record, more: impl FnOnce(&mut Vec<u8>)) {
        self.sections.pass(out, record.number);
        let volume = self.sections.volume();
        let mut object = Vec::new();
        self.write(&mut object, record, volume.as_deref(), more);
        self.sections.put(out, &object);
    }

    fn write(&self, out: &mut Vec<u8>, record: &Record, volume: Option<&Volume>, more: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(b"  <fileobject>\n");
        element(out, "    ", "filename", &record.name);
        match &record.outcome {
            Outcome::Hashed(hashed) => self.file(out, hashed, volume),
            // `error` belongs to failures; an entry that was skipped by rule is not an error.
            Outcome::Skipped(skip) => {
                out.extend_from_slice(b"    <pfh:skipped code='");
                text(out, skip.reason().as_bytes());
                out.extend_from_slice(b"'/>\n");
            }
            Outcome::Failed(problem) => failed(out, problem),
        }
        more(out);
        out.extend_from_slice(b"  </fileobject>\n");
    }

    fn file(&self, out: &mut Vec<u8>, hashed: &HashedFile, volume: Option<&Volume>) {
        let closed = &hashed.closed;
        let inside = closed.inside.as_deref();
        let number = |out: &mut Vec<u8>, name: &str, number: u64| {
            element(out, "    ", name, number.to_string().as_bytes());
        };
        if let Some(partition) = inside.and_then(|inside| inside.partition).filter(|partition| *partition > 0) {
            number(out, "partition", partition.into());
        }
        element(out, "    ", "name_type", name_type(Kind::of(closed)).as_bytes());
        number(out, "filesize", closed.size);
        if let Some(inside) = inside {
            number(out, "alloc", u64::from(!inside.deleted && !inside.unallocated));
            if inside.compressed {
                number(out, "compressed", 1);
            }
            inside.id.into_iter().for_each(|id| number(out, "inode", id));
        }
        let mut time = |name, time: Option<Time>| {
            if let Some(time) = time {
                element(out, "    ", name, time.to_string().as_bytes());
            }
        };
        let times = Times::of(closed);
        time("mtime", times.modified);
        time("ctime", times.changed);
        time("atime", times.accessed);
        time("crtime", inside.and_then(|inside| inside.born));
        time("dtime", inside.and_then(|inside| inside.deleted_at));
        // Places in a medium that is itself inside of this volume would be read as places in it.
        let is_here = |inside: &&Inside| volume.is_none_or(|volume| volume.container == inside.container);
        let has_runs = |inside: &&Inside| hashed.pieces.is_empty() && !inside.runs.is_empty();
        if let Some(inside) = inside.filter(has_runs).filter(is_here) {
            runs(out, inside);
        }
        if !hashed.pieces.is_empty() {
            out.extend_from_slice(b"    <byte_runs>\n");
            for piece in &hashed.pieces {
                let (offset, length) = (piece.offset, piece.length);
                out.extend_from_slice(format!("      <byte_run file_offset='{offset}' len='{length}'>\n").as_bytes());
                self.digests(out, "        ", &piece.digests);
                out.extend_from_slice(b"      </byte_run>\n");
            }
            out.extend_from_slice(b"    </byte_runs>\n");
        }
        self.digests(out, "    ", &hashed.digests);
        for note in &closed.notes {
            element(out, "    ", "pfh:note", note.name().as_bytes());
        }
    }

    fn digests(&self, out: &mut Vec<u8>, indent: &str, digests: &[Digest]) {
        for (kind, digest) in self.types.iter().zip(digests) {
            out.extend_from_slice(format!("{indent}<hashdigest {kind}>").as_bytes());
            text(out, digest.to_string().as_bytes());
            out.extend_from_slice(b"</hashdigest>\n");
        }
    }
}

/// The attributes that name an algorithm: the schema's enumeration holds MD5 and the SHA-1 and
/// SHA-2 families alone.
fn attributes(algorithm: &Algorithm) -> String {
    match algorithm.name() {
        name @ ("md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512") => format!("type='{name}'"),
        _ => format!("type='other' pfh:algorithm='{algorithm}'"),
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        self.types = preamble.algorithms.iter().map(attributes).collect();
        self.sections = Sections::new(preamble.volumes);
        out.extend_from_slice(
            format!(
                "<?xml version='1.0' encoding='UTF-8'?>\n<dfxml xmlns='{DFXML}' xmlns:dc='http://purl.org/dc/elements/1.1/' \
                 xmlns:pfh='{NAMESPACE}' version='2.0.0-beta.0'>\n"
            )
            .as_bytes(),
        );
        // The schema has a place for elements of others in front of the metadata, and behind
        // everything.
        if let Some(base) = preamble.base {
            element(out, "  ", "pfh:base", base);
        }
        out.extend_from_slice(
            b"  <metadata>\n    <dc:type>Hash List</dc:type>\n  </metadata>\n  <creator>\n    <program>pfh</program>\n",
        );
        element(out, "    ", "version", preamble.version.as_bytes());
        if preamble.command_line.is_some() || preamble.start.is_some() {
            out.extend_from_slice(b"    <execution_environment>\n");
            if let Some(command) = preamble.command_line {
                element(out, "      ", "command_line", command);
            }
            if let Some(start) = preamble.start {
                element(out, "      ", "start_time", start.to_string().as_bytes());
            }
            out.extend_from_slice(b"    </execution_environment>\n");
        }
        out.extend_from_slice(b"  </creator>\n");
        Ok(())
    }

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<FormatFit, Unrepresentable> {
        self.object(out, record, |_| {});
        self.count.add(&record.name);
        Ok(FormatFit::Yes)
    }

    fn count(&self) -> Count {
        self.count
    }

    fn adopt(&mut self, records: Count) {
        self.count.join(records);
    }

    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary) {
        self.sections.finish(out);
        out.extend_from_slice(self::summary(summary, self.count.names).as_bytes());
        out.extend_from_slice(b"</dfxml>\n");
    }
}

/// The line with the counts.
pub(crate) fn summary(counts: &Summary, names: Names) -> String {
    let Summary { hashed: files, bytes, failed, skipped, .. } = counts;
    format!("  <pfh:summary files='{files}' bytes='{bytes}' errors='{failed}' skipped='{skipped}' names='{names}'/>\n")
}

/// Where the bytes of an entry are, as fiwalk writes it: `fs_offset` counts from the start of the
/// file system, `img_offset` from that of the medium. A gap of the medium is in no file system; of
/// a logical volume it is not known where it lies on the medium.
fn runs(out: &mut Vec<u8>, inside: &Inside) {
    out.extend_from_slice(b"    <byte_runs>\n");
    for run in &inside.runs {
        out.extend_from_slice(format!("      <byte_run file_offset='{}'", run.file_offset).as_bytes());
        if let Some(offset) = run.offset {
            if !inside.kind.is_empty() {
                out.extend_from_slice(format!(" fs_offset='{offset}'").as_bytes());
            }
            let start = inside.volume_offset.or_else(|| inside.kind.is_empty().then_some(0));
            if let Some(medium) = start.map(|start| start.saturating_add(offset)) {
                out.extend_from_slice(format!(" img_offset='{medium}'").as_bytes());
            }
        }
        out.extend_from_slice(format!(" len='{}'/>\n", run.length).as_bytes());
    }
    out.extend_from_slice(b"    </byte_runs>\n");
}

fn failed(out: &mut Vec<u8>, problem: &Problem) {
    element(out, "    ", "error", problem.cause.to_string().as_bytes());
    out.extend_from_slice(b"    <pfh:failed");
    if let Some(offset) = problem.offset {
        out.extend_from_slice(format!(" offset='{offset}'").as_bytes());
    }
    if let Some(length) = problem.length {
        out.extend_from_slice(format!(" length='{length}'").as_bytes());
    }
    out.extend_from_slice(format!(" stage='{}' code='", problem.stage.name()).as_bytes());
    text(out, problem.code().as_bytes());
    out.extend_from_slice(b"'/>\n");
}

/// The letter of the schema's `name_type`.
fn name_type(kind: Kind) -> &'static str {
    match kind {
        Kind::File => "r",
        Kind::BlockDevice => "b",
        Kind::CharacterDevice => "c",
        Kind::Fifo => "p",
        Kind::Stream => "-",
    }
}
