//! Comma-separated values (RFC 4180): a header line, CRLF, one physical line per record.
//!
//! Columns: `type,path,path_b64,size,offset,length,mtime,ctime,atime`, one per algorithm, `notes,stage,code,cause`. The first is
//! not called `ID`, which spreadsheets take for another format (SYLK). A field that a spreadsheet would compute (it starts with
//! `=`, `+`, `-`, `@` or `'`) gets an apostrophe in front, which readers take off again. A name that is not UTF-8, or holds
//! what a terminal must not see, stands in `path` as people see it and exactly in `path_b64`.

use data_encoding::BASE64;
use pfh_digest::{Algorithm, Digest};

use crate::manifest::{Carried, Encode, Outcome, Preamble, Problem, Row, Summary, Unrepresentable};
use crate::terminal;

/// The columns in front of the digests.
pub const BEFORE: [&str; 9] = ["type", "path", "path_b64", "size", "offset", "length", "mtime", "ctime", "atime"];
/// The columns behind the digests.
pub const AFTER: [&str; 4] = ["notes", "stage", "code", "cause"];

/// Writes comma-separated values.
#[derive(Default)]
pub struct Encoder {
    algorithms: usize,
}

impl Encoder {
    /// A writer.
    pub fn new() -> Encoder {
        Encoder::default()
    }
}

impl Encode for Encoder {
    fn head(&mut self, out: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        self.algorithms = preamble.algorithms.len();
        let names: Vec<String> = preamble.algorithms.iter().map(Algorithm::to_string).collect();
        let mut line = Line::new(out);
        for name in BEFORE.into_iter().chain(names.iter().map(String::as_str)).chain(AFTER) {
            line.field(name);
        }
        line.end();
        Ok(())
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable> {
        let time = |time: Option<crate::Time>| time.map_or_else(String::new, |time| time.to_string());
        let mut write = |kind: &str, size: u64, window: Option<(u64, u64)>, digests: &[Digest]| {
            let mut line = Line::new(out);
            line.field(kind);
            line.path(row.name);
            line.number(Some(size));
            line.number(window.map(|window| window.0));
            line.number(window.map(|window| window.1));
            line.field(&time(row.times.modified));
            line.field(&time(row.times.changed));
            line.field(&time(row.times.accessed));
            for digest in digests {
                line.field(&digest.to_string());
            }
            line.field(&row.notes.join(" "));
            line.field("");
            line.field("");
            line.field("");
            line.end();
        };
        write("file", row.size, None, row.digests);
        for piece in row.pieces {
            write("piece", row.size, Some((piece.offset, piece.length)), piece.digests);
        }
        Ok(())
    }

    fn problem(&mut self, out: &mut Vec<u8>, problem: &Problem<'_>) -> Carried {
        let mut line = Line::new(out);
        line.field(match problem.outcome {
            Outcome::Failed => "error",
            Outcome::Skipped => "skipped",
        });
        line.path(problem.name);
        line.number(None);
        line.number(problem.offset);
        line.number(problem.length);
        for _ in 0..3 + self.algorithms + 1 {
            line.field("");
        }
        line.field(problem.stage);
        line.field(problem.code);
        line.field(problem.cause);
        line.end();
        Carried::Yes
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}

struct Line<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Line<'a> {
    fn new(out: &'a mut Vec<u8>) -> Line<'a> {
        Line { out, first: true }
    }

    fn field(&mut self, text: &str) {
        if !self.first {
            self.out.push(b',');
        }
        self.first = false;
        let neutral = text.starts_with(['=', '+', '-', '@', '\'', '\t', '\r', '\n']);
        // A space at either end is not quoted by RFC 4180, but spreadsheets cut it off unless it is.
        let quoted = text.contains([',', '"', '\r', '\n']) || text.starts_with(' ') || text.ends_with(' ');
        if quoted {
            self.out.push(b'"');
        }
        if neutral {
            self.out.push(b'\'');
        }
        for &byte in text.as_bytes() {
            if byte == b'"' {
                self.out.push(b'"');
            }
            self.out.push(byte);
        }
        if quoted {
            self.out.push(b'"');
        }
    }

    fn number(&mut self, number: Option<u64>) {
        self.field(&number.map_or_else(String::new, |number| number.to_string()));
    }

    fn path(&mut self, name: &[u8]) {
        match str::from_utf8(name) {
            Ok(name) if !name.chars().any(terminal::is_unsafe) => {
                self.field(name);
                self.field("");
            }
            _ => {
                self.field(&terminal::render(name));
                self.field(&BASE64.encode(name));
            }
        }
    }

    fn end(self) {
        self.out.extend_from_slice(b"\r\n");
    }
}
