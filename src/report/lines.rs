//! Results in JSON lines: each line is of one of the types that the program prints, and says so.

use super::found::PageFindings;
use super::members::{Object, digests, name, number, text};
use super::{acquired, matched, verdicts};
use pfh_report::case::{Copies, Folders, Group, ManifestCounts, OpenJob, Row, Rows, Standing, Tone};
use pfh_source::terminal::many;
use std::collections::BTreeMap;
use std::io::{self, BufRead, Read};

/// The longest line that is looked at: a group of a hundred thousand names.
const LONGEST: u64 = 64 << 20;

/// The subject of lines. Each ends with a summary of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Manifest,
    Matches,
    Check,
    Audit,
    Difference,
    Duplicates,
    Bag,
    Sectors,
    Update,
}

impl Subject {
    fn name(self) -> &'static str {
        match self {
            Subject::Manifest => "manifest",
            Subject::Matches => "verdicts of known sets",
            Subject::Check => "check",
            Subject::Audit => "audit of a tree",
            Subject::Difference => "difference",
            Subject::Duplicates => "duplicates",
            Subject::Bag => "validation of a bag",
            Subject::Sectors => "sectors of known files",
            Subject::Update => "update of a manifest",
        }
    }

    /// By the members that its summary alone has.
    fn of_summary(object: &Object) -> Option<Subject> {
        let by = [
            ("flagged_fragments", Subject::Sectors),
            ("trusted", Subject::Update),
            ("examined", Subject::Audit),
            ("reclaimable", Subject::Duplicates),
            ("tag_files", Subject::Bag),
            ("known-bad", Subject::Matches),
            ("moved", Subject::Difference),
            ("verified", Subject::Check),
            ("files", Subject::Manifest),
        ];
        by.into_iter().find(|(key, _)| object.contains_key(*key)).map(|(_, subject)| subject)
    }
}

/// Lines that have no place on the page but among the files that were read: by members that they
/// alone have, with their kind.
const BESIDE: &[(&[&str], &str)] = &[
    (&["aliases", "standing"], "algorithms"),
    (&["isa", "table_picoseconds"], "kernels"),
    (&["read_bytes", "hash_s"], "timings of a run"),
    (&["compared_pairs_per_s"], "timings of a comparison"),
    (&["bound_by"], "timings of an acquisition"),
    (&["pfh_fit"], "fit of measurements"),
    (&["pfh_forecast"], "forecast of a case"),
    (&["pfh_papers"], "benchmarks of the papers"),
    (&["kernels", "settings"], "benchmark of this machine"),
    (&["units", "bytes"], "plan of a run in units"),
    (&["scene"], "audit of a storage server"),
];

/// A file of lines in the making.
struct Reading<'a> {
    found: &'a mut PageFindings,
    source: usize,
    kinds: Vec<&'static str>,
    /// The subject of the lines since the last summary.
    open: Option<Subject>,
    hashed: ManifestCounts,
    rows: Rows<Row>,
    /// Types that are not known here, with their numbers.
    unknown: BTreeMap<String, u64>,
    /// Lines that are not JSON objects.
    faults: u64,
    records: u64,
}

/// Reads a file of results into the findings.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(found: &mut PageFindings, source: usize, input: &mut impl BufRead) -> io::Result<()> {
    let hashed = ManifestCounts { source, ..ManifestCounts::default() };
    let mut reading = Reading {
        found,
        source,
        kinds: Vec::new(),
        open: None,
        hashed,
        rows: Rows::default(),
        unknown: BTreeMap::new(),
        faults: 0,
        records: 0,
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(LONGEST).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice::<Object>(&line) {
            Ok(object) => reading.line(&object),
            Err(_) => reading.faults += 1,
        }
    }
    reading.end();
    Ok(())
}

impl Reading<'_> {
    fn is(&mut self, kind: &'static str) {
        self.records += 1;
        self.has(kind);
    }

    fn has(&mut self, kind: &'static str) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    fn about(&mut self, subject: Subject) {
        self.open = Some(subject);
        self.is(subject.name());
    }

    fn line(&mut self, object: &Object) {
        let source = self.source;
        match text(object, "type") {
            "base" => {}
            "file" => self.file(object),
            "error" | "skipped" => self.unhashed(object),
            "match" => {
                self.about(Subject::Matches);
                matched::file(self.found, source, object);
            }
            "fragment" => {
                self.about(Subject::Sectors);
                matched::fragment(self.found, source, object);
            }
            "lookup" => {
                self.is("digests looked up");
                matched::digest(self.found, source, object);
            }
            "check" => {
                self.about(Subject::Check);
                verdicts::checked(object).into_iter().for_each(|row| self.rows.push(row));
            }
            "audit" if object.contains_key("class") => {
                self.about(Subject::Audit);
                verdicts::changed(object).into_iter().for_each(|row| self.rows.push(row));
            }
            "diff" if object.contains_key("class") => {
                self.about(Subject::Difference);
                verdicts::changed(object).into_iter().for_each(|row| self.rows.push(row));
            }
            "finding" => {
                self.about(Subject::Bag);
                self.rows.push(verdicts::finding(object));
            }
            "group" => {
                self.about(Subject::Duplicates);
                self.found.case.results.copies.push(copies(object));
            }
            "folders" => {
                self.about(Subject::Duplicates);
                let (files, bytes) = (number(object, "files"), number(object, "bytes"));
                let folders = Folders { files, bytes, names: names(object, "folders") };
                self.found.case.results.folders.push(folders);
            }
            "pair" => {
                self.is("pairs of similar files");
                if !self.found.similar.take(object) {
                    self.faults += 1;
                }
            }
            "related" => {
                self.is("related files");
                if !self.found.similar.take_related(object) {
                    self.faults += 1;
                }
            }
            "shared" => self.about(Subject::Duplicates),
            "disk" => self.is("disks"),
            "test" => self.is("tests of a machine"),
            "snapshot" => self.is("names in containers"),
            "run" => self.is("places of a member"),
            "update" => self.about(Subject::Update),
            "added" | "changed" | "removed" | "built" | "updated" | "appended" | "exported" | "imported" | "done" => {
                self.is("hash trees");
            }
            "cluster" => {
                self.is("groups of similar files");
                let group = Group { algorithm: text(object, "algorithm").to_owned(), names: names(object, "members") };
                self.found.case.results.groups.push(group);
            }
            "summary" => self.summary(object),
            _ => self.other(object),
        }
    }

    fn file(&mut self, object: &Object) {
        // Lines that `pfh list` prints have no digests.
        if !object.contains_key("digests") {
            return self.is("names in containers");
        }
        self.about(Subject::Manifest);
        self.hashed.files += 1;
        self.hashed.bytes = Some(self.hashed.bytes.unwrap_or_default() + number(object, "size"));
        for (algorithm, _) in digests(object) {
            if !self.hashed.algorithms.contains(&algorithm) {
                self.hashed.algorithms.push(algorithm);
            }
        }
    }

    fn unhashed(&mut self, object: &Object) {
        self.about(Subject::Manifest);
        if text(object, "type") == "skipped" {
            self.hashed.skipped += 1;
            return;
        }
        self.hashed.errors += 1;
        let what = format!("no digest: {}: {}", text(object, "stage"), text(object, "cause"));
        self.found.open(self.source, &name(object, "path"), what);
    }

    fn summary(&mut self, object: &Object) {
        let Some(subject) = Subject::of_summary(object) else {
            *self.unknown.entry("summary".to_owned()).or_default() += 1;
            return;
        };
        // The last line counts the records in front of it. Without any it is the result itself.
        match self.open {
            Some(_) => self.has(subject.name()),
            None => self.is(subject.name()),
        }
        if self.open.is_some_and(|open| open != subject) {
            self.torn();
        }
        self.open = None;
        let rows = std::mem::take(&mut self.rows);
        match subject {
            Subject::Manifest => self.manifest(object),
            Subject::Matches => matched::counts(self.found, object),
            Subject::Duplicates => {
                self.found.case.results.reclaimable += number(object, "reclaimable");
                let errors = number(object, "errors");
                if errors > 0 {
                    let files = many(errors, "file could not be read, and is", "files could not be read, and are");
                    let what = format!("duplicates: {files} in no group");
                    self.found.open(self.source, b"", what);
                }
            }
            Subject::Sectors => {
                let left = ["unread", "errors", "gaps"].map(|key| number(object, key)).iter().sum::<u64>();
                if left > 0 {
                    let places = many(left, "place could not be read, and was", "places could not be read, and were");
                    let what = format!("sectors: {places} not looked up");
                    self.found.open(self.source, b"", what);
                }
            }
            Subject::Check => verdicts::check(self.found, self.source, object, rows),
            Subject::Audit => verdicts::audit(self.found, self.source, object, rows),
            Subject::Difference => verdicts::difference(self.found, self.source, object, rows),
            // A bag that was made was compared with nothing.
            Subject::Bag if object.contains_key("verdict") => verdicts::bag(self.found, self.source, object, rows),
            Subject::Bag | Subject::Update => {}
        }
    }

    /// The end of a manifest: its counts must be those of the lines that were read.
    fn manifest(&mut self, object: &Object) {
        let fresh = ManifestCounts { source: self.source, ..ManifestCounts::default() };
        let hashed = std::mem::replace(&mut self.hashed, fresh);
        let counts = [
            ("files", hashed.files),
            ("bytes", hashed.bytes.unwrap_or_default()),
            ("errors", hashed.errors),
            ("skipped", hashed.skipped),
        ];
        for (key, read) in counts.into_iter().filter(|(key, _)| object.contains_key(*key)) {
            let stated = number(object, key);
            if stated != read {
                let what = format!("the manifest's end counts {stated} {key}, and {read} were read: it is not whole");
                self.found.wrong(self.source, b"", what.clone());
                self.found.torn.push((self.source, what));
            }
        }
        self.found.case.results.hashed.push(hashed);
    }

    /// A line without a summary that would name its kind.
    fn other(&mut self, object: &Object) {
        let (found, source) = (&mut *self.found, self.source);
        if object.contains_key("compared") && object.contains_key("findings") {
            verdicts::image(found, source, object);
            self.is("verification of an image");
        } else if object.contains_key("targets") && object.contains_key("digests") {
            acquired::stated(found, source, object);
            self.is("acquisition");
        } else if let Some((_, kind)) = BESIDE.iter().find(|(keys, _)| keys.iter().all(|key| object.contains_key(*key)))
        {
            self.is(kind);
        } else if object.contains_key("verdict") {
            verdicts::other(found, source, object);
            self.is("verdict");
        } else if object.contains_key("sets") && object.contains_key("hold_the_empty_file") {
            matched::sets(found, object);
            self.is("contents of known sets");
        } else if text(object, "type") == "root" {
            self.is("root of a file");
        } else {
            let kind = text(object, "type");
            let kind = if kind.is_empty() { "no type" } else { kind };
            *self.unknown.entry(kind.to_owned()).or_default() += 1;
        }
    }

    /// Lines without the summary that ends them.
    fn torn(&mut self) {
        if let Some(subject) = self.open.take() {
            let what = format!("{} without its last line: it was interrupted, or cut off", subject.name());
            self.found.torn(self.source, what);
            self.found.case.unfinished.push(OpenJob {
                source: self.source,
                what: subject.name().to_owned(),
                tone: Tone::Open,
                state: "being written, or cut off".to_owned(),
                share: None,
                facts: vec![format!("records so far: {}", self.records)],
            });
            if subject == Subject::Manifest {
                let fresh = ManifestCounts { source: self.source, ..ManifestCounts::default() };
                self.found.case.results.hashed.push(std::mem::replace(&mut self.hashed, fresh));
            } else if matches!(subject, Subject::Check | Subject::Audit | Subject::Difference | Subject::Bag) {
                let rows = std::mem::take(&mut self.rows);
                verdicts::without_end(self.found, self.source, subject.name(), rows);
            }
        }
    }

    fn end(mut self) {
        self.torn();
        for (kind, count) in std::mem::take(&mut self.unknown) {
            let lines = many(count, "line that is", "lines that are");
            let what = format!("{lines} not understood: {}", pfh_source::terminal::render(kind.as_bytes()));
            self.found.torn(self.source, what);
        }
        if self.faults > 0 {
            self.found.torn(self.source, many(self.faults, "line is not a JSON object", "lines are not JSON objects"));
        }
        let source = &mut self.found.case.sources[self.source];
        source.records = self.records;
        source.kind = self.kinds.join(", ");
        if self.kinds.is_empty() {
            source.standing = Standing::Unknown("no line of it is a result that is known here".to_owned());
        }
    }
}

/// The names of an array of objects that have a path.
fn names(object: &Object, key: &str) -> Vec<Vec<u8>> {
    let objects = super::members::list(object, key).filter_map(|member| member.as_object());
    objects.map(|member| name(member, "path")).collect()
}

fn copies(object: &Object) -> Copies {
    let mut names = Vec::new();
    for copy in super::members::list(object, "copies").filter_map(|copy| copy.as_object()) {
        names.push(name(copy, "path"));
        let links = super::members::list(copy, "links").filter_map(|link| link.as_object());
        names.extend(links.map(|link| name(link, "path")));
    }
    Copies {
        size: number(object, "size"),
        reclaimable: number(object, "reclaimable"),
        digest: format!("{}:{}", text(object, "algorithm"), text(object, "digest")),
        names,
    }
}
