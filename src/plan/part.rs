//! The result of a unit: each record as the manifest has it, with the facts that the counts need.
//!
//! A part is a line of JSON about the unit, for each record a line of JSON and the record's bytes,
//! and a line of JSON with the SHA-256 of all before it.

use super::document::{self, Document, sha256};
use super::problem::{Problem, damaged, unread, unwritten};
use super::range::{self, Range, RangeResult};
use crate::hash::{Head, encoder, hasher_of_sha256};
use crate::job::Error;
use pfh_digest::Hasher;
use pfh_engine::{Outcome, Record};
use pfh_manifest::{Count, Encode, Unrepresentable};
use pfh_similarity::Similar;
use pfh_source::{Note, Output, ReceivedFolder};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// How each part begins.
pub const BEGINS: &[u8] = b"{\"plan\":\"";

/// Counts of records, as a run has them and as a manifest does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Inputs with digests.
    pub hashed: u64,
    /// The sum of their sizes in bytes.
    pub bytes: u64,
    /// Inputs listed and not read.
    pub skipped: u64,
    /// Inputs with a problem.
    pub failed: u64,
    /// Inputs with digests whose file system keeps no change time.
    pub untimed: u64,
    /// Hashed files that the format cannot hold.
    pub unwritten: u64,
    /// Files that were read and have no digest by the methods.
    pub without: u64,
    /// Bytes of the files that the format holds.
    pub written_bytes: u64,
    /// Records as the end of the manifest counts them.
    pub records: Count,
    /// Ranges of files that were read.
    pub ranges: u64,
    /// Ranges that were not: their files have no digest.
    pub failed_ranges: u64,
}

impl Counts {
    /// Counts a record by its line.
    pub fn add(&mut self, line: &Value) -> Option<()> {
        // Of a range the file counts, once it is joined.
        if line.get("range").is_some() {
            let count = if line["kind"] == "hashed" { &mut self.ranges } else { &mut self.failed_ranges };
            *count += 1;
            return Some(());
        }
        self.records.join(Count::read(line["records"].as_u64()?, line["names"].as_str()?)?);
        match line["kind"].as_str()? {
            "hashed" => {
                let size = line["size"].as_u64()?;
                self.hashed += 1;
                self.bytes += size;
                self.untimed += u64::from(line["untimed"].as_bool()?);
                match line["unwritten"].as_str() {
                    None => self.written_bytes += size,
                    Some(_) if line["none"].as_bool()? => self.without += 1,
                    Some(_) => self.unwritten += 1,
                }
            }
            "skipped" => self.skipped += 1,
            "failed" => self.failed += 1,
            _ => return None,
        }
        Some(())
    }
}

/// Makes records into lines of JSON, each with the bytes that the manifest has of it.
pub struct Lines(Box<dyn Encode>);

impl Lines {
    /// Those of a plan's format.
    ///
    /// # Errors
    /// When the format cannot hold the algorithms.
    pub fn new(plan: &Document) -> Result<Lines, Error> {
        let about = Head { algorithms: plan.algorithms.clone(), ..Head::default() };
        // The merge writes the head; the encoder must have seen the algorithms.
        Ok(Lines(encoder(plan.format, plan.layout, &about, &mut Vec::new())?))
    }

    /// The line of a record, whose bytes are written to `fragment`. The second value says that the
    /// format cannot hold it.
    pub fn record(&mut self, fragment: &mut Vec<u8>, record: &Record) -> (Value, Result<(), Unrepresentable>) {
        let before = self.0.count();
        let encoded = self.0.record(fragment, record);
        let Count { records, names } = self.0.count().since(before);
        let mut line = json!({ "number": record.number, "length": fragment.len(), "records": records });
        line["names"] = json!(names.to_string());
        match &record.outcome {
            Outcome::Hashed(hashed) => {
                line["kind"] = json!("hashed");
                line["size"] = json!(hashed.closed.size);
                line["untimed"] = json!(hashed.closed.notes.contains(&Note::Untimed));
                if let Err(why) = &encoded {
                    let absent = |digest| Similar::of(digest).is_some_and(Similar::is_absent);
                    line["unwritten"] = json!(why.to_string());
                    line["none"] = json!(!hashed.digests.is_empty() && hashed.digests.iter().all(absent));
                    line["said"] = json!(format!("{}: not written: {why}", pfh_source::terminal::render(&record.name)));
                }
            }
            Outcome::Skipped(skip) => {
                line["kind"] = json!("skipped");
                line["said"] =
                    json!(format!("{}: skipped: {}", pfh_source::terminal::render(&record.name), skip.reason()));
            }
            Outcome::Failed(problem) => {
                line["kind"] = json!("failed");
                line["said"] = json!(format!("{}: {problem}", pfh_source::terminal::render(&record.name)));
            }
        }
        (line, encoded.map(|_| ()))
    }
}

/// Writes a part, which appears whole or not at all.
pub struct Writing {
    lines: Lines,
    output: Output,
    hasher: Hasher,
    fragment: Vec<u8>,
    path: PathBuf,
    records: u64,
    /// The counts so far.
    pub counts: Counts,
}

impl Writing {
    /// Starts the part of a unit.
    ///
    /// # Errors
    /// When the format cannot hold the algorithms, or the file cannot be made.
    pub fn open(plan: &Document, unit: u64) -> Result<Writing, Error> {
        let path = plan.part(unit);
        let lines = Lines::new(plan)?;
        let output =
            ReceivedFolder::open(&plan.directory).and_then(|received| received.output(&plan.part_within(unit)));
        let output = output.map_err(unwritten(&path))?;
        let (hasher, fragment, counts) = (hasher_of_sha256(), Vec::new(), Counts::default());
        let mut writing = Writing { lines, output, hasher, fragment, path, records: 0, counts };
        let head = json!({ "type": "pfh-part", "version": 1, "plan": plan.digest(), "unit": unit });
        writing.put(format!("{head}\n").as_bytes()).map_err(unwritten(&writing.path.clone()))?;
        Ok(writing)
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.output.write_all(bytes)
    }

    /// Writes a record, whose number is that of the whole plan. The inner error says that the
    /// format cannot hold it.
    ///
    /// # Errors
    /// The output's.
    pub fn record(&mut self, record: &Record) -> io::Result<Result<(), Unrepresentable>> {
        let mut fragment = std::mem::take(&mut self.fragment);
        fragment.clear();
        let (line, encoded) = self.lines.record(&mut fragment, record);
        let put = self.line(&line, &fragment);
        self.fragment = fragment;
        put?;
        Ok(encoded)
    }

    fn line(&mut self, line: &Value, fragment: &[u8]) -> io::Result<()> {
        self.counts.add(line).expect("a line as it is written");
        self.records += 1;
        self.put(format!("{line}\n").as_bytes()).and_then(|()| self.put(fragment))
    }

    /// Writes the result of a range, which ends before `end`, of the file of this number and name:
    /// its values, or the record that the file has for its problem.
    ///
    /// # Errors
    /// The output's.
    pub fn range(
        &mut self,
        file: (u64, &[u8]),
        range: &Range,
        end: u64,
        came: Result<RangeResult, Record>,
    ) -> io::Result<()> {
        let place = json!([range.start, end, range.state.size]);
        let (mut line, fragment) = match came {
            Ok(found) => {
                let lengths: Vec<usize> = found.values.iter().map(Vec::len).collect();
                let (fragment, untimed) = (found.values.concat(), found.notes.contains(&Note::Untimed));
                let line = json!({
                    "number": file.0,
                    "length": fragment.len(),
                    "kind": "hashed",
                    "name": document::bytes(file.1),
                    "stat": range::encode(&found.stat),
                    "untimed": untimed,
                    "values": lengths,
                });
                (line, fragment)
            }
            Err(record) => {
                let mut fragment = Vec::new();
                let (line, _) = self.lines.record(&mut fragment, &record);
                (line, fragment)
            }
        };
        line["range"] = place;
        self.line(&line, &fragment)
    }

    /// Ends the part; it has its name from then on.
    ///
    /// # Errors
    /// The output's.
    pub fn finish(mut self) -> Result<Counts, Error> {
        let digest = self.hasher.clone().finalize();
        let end = json!({ "type": "end", "records": self.records, "sha256": digest.to_string() });
        let write = |mut output: Output| {
            output.write_all(format!("{end}\n").as_bytes())?;
            output.commit()
        };
        write(self.output).map_err(unwritten(&self.path))?;
        Ok(std::mem::take(&mut self.counts))
    }
}

/// Takes a record: its object, its line, and the bytes of it in the manifest.
type Take<'a> = dyn FnMut(&Value, &[u8], &[u8]) -> Result<(), Error> + 'a;

/// Reads a part record by record: the line, and the bytes.
///
/// # Errors
/// When it cannot be read, is not whole, is of another plan, or `take` fails.
pub fn read(path: &Path, plan: &str, take: &mut Take<'_>) -> Result<u64, Error> {
    document::check_file(path)?;
    let file = pfh_source::Document::file(path).map_err(unread(path))?;
    let mut reading = Reading { input: BufReader::with_capacity(1 << 18, file), path, all: Vec::new() };
    let mut hasher = hasher_of_sha256();
    let (head, bytes) = reading.line()?;
    hasher.update(&bytes);
    if head["type"] != "pfh-part" || head["version"] != 1 {
        return Err(damaged(path, "holds no unit of a plan"));
    }
    if head["plan"] != plan {
        return Err(Error::input(Problem::Stranger(path.to_owned())));
    }
    let unit = head["unit"].as_u64().ok_or_else(|| damaged(path, "holds no unit of a plan"))?;
    let mut records = 0;
    loop {
        let (line, bytes) = reading.line()?;
        if line["type"] == "end" {
            let whole = line["records"] == records && line["sha256"] == hasher.finalize().to_string();
            return if whole {
                Ok(unit)
            } else {
                Err(damaged(path, "was changed after it was written: run the unit again"))
            };
        }
        let length = line["length"].as_u64().and_then(|length| usize::try_from(length).ok());
        let length = length.ok_or_else(|| damaged(path, "was changed after it was written: run the unit again"))?;
        let fragment = reading.bytes(length)?;
        hasher.update(&bytes);
        hasher.update(fragment);
        take(&line, &bytes, fragment)?;
        records += 1;
    }
}

/// Most bytes of a line: far more than a name and a problem have, and less than the memory of a
/// machine that is given another file.
const LONGEST: u64 = 16 << 20;

struct Reading<'a> {
    input: BufReader<pfh_source::Document>,
    path: &'a Path,
    all: Vec<u8>,
}

impl Reading<'_> {
    /// A line, as a value and as it is.
    fn line(&mut self) -> Result<(Value, Vec<u8>), Error> {
        let mut bytes = Vec::new();
        self.input.by_ref().take(LONGEST).read_until(b'\n', &mut bytes).map_err(unread(self.path))?;
        let value = serde_json::from_slice(&bytes).ok().filter(|_| bytes.ends_with(b"\n"));
        Ok((value.ok_or_else(|| damaged(self.path, "is not whole: run the unit again"))?, bytes))
    }

    fn bytes(&mut self, length: usize) -> Result<&[u8], Error> {
        self.all.clear();
        let mut left = length;
        while left > 0 {
            let there = self.input.fill_buf().map_err(unread(self.path))?;
            if there.is_empty() {
                return Err(damaged(self.path, "is not whole: run the unit again"));
            }
            let taken = left.min(there.len());
            self.all.extend_from_slice(&there[..taken]);
            self.input.consume(taken);
            left -= taken;
        }
        Ok(&self.all)
    }
}

/// One name of a unit's list.
#[derive(Debug, Clone)]
pub struct UnitName {
    /// Its number among all inputs.
    pub number: u64,
    /// Bytes that were to be read of it when the plan was made.
    pub size: u64,
    /// The name.
    pub name: Vec<u8>,
    /// The range that is read, if not all is.
    pub range: Option<Range>,
}

/// A unit's list: `NUMBER SIZE NAME` and a NUL for each name; a range stands behind the number.
pub fn encode_list<'a>(entries: impl IntoIterator<Item = &'a UnitName>) -> Vec<u8> {
    let mut list = Vec::new();
    for UnitName { number, size, name, range } in entries {
        let range = range.as_ref().map(Range::encode).unwrap_or_default();
        list.extend_from_slice(format!("{number}{range} {size} ").as_bytes());
        list.extend_from_slice(name);
        list.push(0);
    }
    list
}

/// Reads the list of a unit, which must be the one that was planned.
///
/// # Errors
/// When it cannot be read, or is another.
pub fn list(plan: &Document, unit: u64) -> Result<Vec<UnitName>, Error> {
    let path = plan.list(unit);
    document::check_file(&path)?;
    let bytes = pfh_source::Document::read(&path, pfh_source::Document::LONGEST).map_err(unread(&path))?;
    let planned = unit.checked_sub(1).and_then(|at| plan.lists.get(usize::try_from(at).ok()?));
    if planned.is_none_or(|planned| *planned != sha256(&bytes)) {
        return Err(damaged(&path, "is not the list that was planned"));
    }
    let entry = |text: &[u8]| {
        let mut parts = text.splitn(3, |byte| *byte == b' ');
        let place = str::from_utf8(parts.next()?).ok()?;
        let (number, range) = match place.split_once(':') {
            Some((number, range)) => (number, Some(Range::decode(range)?)),
            None => (place, None),
        };
        let number = number.parse().ok()?;
        let size = str::from_utf8(parts.next()?).ok()?.parse().ok()?;
        Some(UnitName { number, size, name: parts.next()?.to_vec(), range })
    };
    let names = bytes.split_inclusive(|byte| *byte == 0).map(|text| entry(text.strip_suffix(&[0])?));
    names.collect::<Option<_>>().ok_or_else(|| damaged(&path, "is not the list that was planned"))
}
