//! Digital Forensics XML, schema 2.0.0-beta.0 of the DFXML working group.
//!
//! XML 1.0 (§2.2) cannot hold most controls, and text must be UTF-8. A name that it cannot hold
//! stands in `<filename>` with U+FFFD for what it cannot, and exactly, in base64, in the attribute
//! `pfh:base64`. The schema's list of algorithms is short: others are `type='other'` with the name
//! in `pfh:algorithm`. Both attributes are of the namespace [`NAMESPACE`], which the schema allows.

mod decode;

pub(crate) use decode::Decoder;

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Hashed, Outcome, Record, Summary};
use pfh_source::{Inside, Problem, Time, terminal};

use crate::encode::{Carried, Encode, Kind, Preamble, Unrepresentable};
use crate::times::Times;

/// The namespace of what the schema leaves to others.
pub const NAMESPACE: &str = "urn:x-pfh:dfxml:1";
/// The namespace of DFXML.
pub const DFXML: &str = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML";

/// Writes DFXML.
#[derive(Default)]
pub struct Encoder {
    types: Vec<String>,
}

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
    }

    /// Appends the object of a record, at whose end `more` may append elements of its own.
    pub fn object(&self, out: &mut Vec<u8>, record: &Record, more: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(b"  <fileobject>\n");
        element(out, "    ", "filename", &record.name);
        match &record.outcome {
            Outcome::Hashed(hashed) => self.file(out, hashed),
            // `error` belongs to what went wrong; an entry that was skipped by rule is no error.
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

    fn file(&self, out: &mut Vec<u8>, hashed: &Hashed) {
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
        if let Some(inside) = inside.filter(|inside| hashed.pieces.is_empty() && !inside.runs.is_empty()) {
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

    fn record(&mut self, out: &mut Vec<u8>, record: &Record) -> Result<Carried, Unrepresentable> {
        self.object(out, record, |_| {});
        Ok(Carried::Yes)
    }

    fn tail(&mut self, out: &mut Vec<u8>, summary: &Summary) {
        let Summary { hashed: files, bytes, failed, skipped, .. } = summary;
        out.extend_from_slice(
            format!(
                "  <pfh:summary files='{files}' bytes='{bytes}' errors='{failed}' skipped='{skipped}'/>\n</dfxml>\n"
            )
            .as_bytes(),
        );
    }
}

/// Where the bytes of an entry are, as fiwalk writes it: `fs_offset` counts from the start of the
/// file system, `img_offset` from that of the medium. The schema wants every `<volume>` in front of
/// every file, and containers have records of their own: there is none.
fn runs(out: &mut Vec<u8>, inside: &Inside) {
    out.extend_from_slice(b"    <byte_runs>\n");
    for run in &inside.runs {
        out.extend_from_slice(format!("      <byte_run file_offset='{}'", run.file_offset).as_bytes());
        if let Some(offset) = run.offset {
            let medium = inside.volume_offset.unwrap_or(0).saturating_add(offset);
            out.extend_from_slice(format!(" fs_offset='{offset}' img_offset='{medium}'").as_bytes());
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

/// Appends an element on a line of its own; content that XML cannot hold stands in `pfh:base64` as
/// well.
pub fn element(out: &mut Vec<u8>, indent: &str, name: &str, content: &[u8]) {
    out.extend_from_slice(format!("{indent}<{name}").as_bytes());
    if !is_exact(content) {
        out.extend_from_slice(format!(" pfh:base64='{}'", BASE64.encode(content)).as_bytes());
    }
    out.push(b'>');
    text(out, content);
    out.extend_from_slice(format!("</{name}>\n").as_bytes());
}

/// Whether XML 1.0 can hold these bytes as text.
fn is_exact(content: &[u8]) -> bool {
    str::from_utf8(content).is_ok_and(|text| text.chars().all(is_char))
}

/// XML 1.0 §2.2, production 2.
fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text for content or an attribute's value; references where a raw character would be markup, be
/// normalised by the reader (line ends, §2.11; white space in attributes, §3.3.3), or steer a
/// terminal.
fn text(out: &mut Vec<u8>, content: &[u8]) {
    for c in String::from_utf8_lossy(content).chars() {
        match c {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '\'' => out.extend_from_slice(b"&apos;"),
            '"' => out.extend_from_slice(b"&quot;"),
            c if !is_char(c) => out.extend_from_slice("\u{FFFD}".as_bytes()),
            c if terminal::is_unsafe(c) => out.extend_from_slice(format!("&#x{:X};", u32::from(c)).as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}
