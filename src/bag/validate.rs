//! Whether a bag is complete and valid (RFC 8493, section 3).

use super::declaration::{self, Declaration};
use super::event::{Events, Finding, Severity};
use super::files::{self, BagFile, Files};
use super::info;
use super::manifests::{self, Manifest, Manifests};
use super::request::Request;
use super::summary::Summary;
use crate::job::Error;
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_ledger::{Comparison, Likeness, pair_up};
use std::collections::BTreeSet;

/// Compares each file of a bag with each of its manifests. Nothing is written or fetched.
///
/// # Errors
/// When the bag is not a folder, the caller ended the job, or an event was refused. A fault
/// with the bag is an event, and no error.
pub fn validate(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let mut summary = Summary::new(&request.bag);
    let mut findings = Vec::new();
    if let Some((declared, manifests)) = opened(request, &mut findings)? {
        summary.version = Some(declared.version);
        let payload = files::payload(request, &known(&manifests.payload), control)?;
        let mut compared = Validation { declared, summary: &mut summary, findings: &mut findings };
        compared.payload(&manifests, &payload);
        compared.oxum(request, &manifests, &payload);
        let listed: BTreeSet<Vec<u8>> = names(&manifests.tags).cloned().collect();
        let tags = files::tags(request, listed.into_iter().collect(), &known(&manifests.tags), control)?;
        compared.tags(&manifests.tags, &tags);
        summary.algorithms = known(&manifests.payload);
        let more = known(&manifests.tags);
        summary.algorithms.extend(more.iter().filter(|algorithm| !known(&manifests.payload).contains(algorithm)));
    }
    for finding in &findings {
        summary.found(finding, &request.plan.levels, events)?;
    }
    Ok(summary)
}

/// The declaration of a folder as a bag; `None` if it is not a bag.
pub fn opened(request: &Request, findings: &mut Vec<Finding>) -> Result<Option<(Declaration, Manifests)>, Error> {
    let names = files::names(&request.bag)?;
    if !names.iter().any(|name| name == declaration::NAME) {
        findings.push(Finding::error(declaration::NAME, "is missing: this is not a bag"));
        return Ok(None);
    }
    let bytes = match manifests::tag_file(&request.bag, declaration::NAME) {
        Ok(bytes) => bytes,
        Err(problem) => {
            findings.push(Finding::new(Severity::Incomplete, declaration::NAME, problem.to_string()));
            return Ok(None);
        }
    };
    let Some(declared) = Declaration::read(&bytes, findings) else { return Ok(None) };
    let manifests = manifests::read(&request.bag, &names, declared, findings);
    if manifests.payload.is_empty() {
        findings
            .push(Finding::error(b"manifest-sha512.txt", "is missing, and so is any other manifest of the payload"));
    }
    if !names.iter().any(|name| name == files::DATA) {
        findings.push(Finding::error(files::DATA, "is missing: there is no payload"));
    } else if request.bag.join("data").is_symlink() {
        findings.push(Finding::error(files::DATA, "is a symbolic link: its target is not in the bag"));
        return Ok(None);
    }
    Ok(Some((declared, manifests)))
}

/// The algorithms that are known here.
pub fn known(manifests: &[Manifest]) -> Vec<Algorithm> {
    manifests.iter().filter_map(|manifest| manifest.algorithm).collect()
}

/// All names that some manifest lists.
pub fn names(manifests: &[Manifest]) -> impl Iterator<Item = &Vec<u8>> {
    manifests.iter().flat_map(|manifest| manifest.entries.keys())
}

/// Listed names that are missing, with the file that is there in their place under another spelling
/// of the name.
fn renamed<'a>(listed: &[&'a Vec<u8>], found: &'a Files) -> Vec<(&'a Vec<u8>, &'a Vec<u8>, Likeness)> {
    let is_file = |name: &[u8]| matches!(found.get(name), Some(BagFile::File(..)));
    let missing = listed.iter().enumerate().filter(|(_, name)| !is_file(name));
    let missing: Vec<(usize, &[u8])> = missing.map(|(at, name)| (at, &name[..])).collect();
    let there: Vec<&Vec<u8>> =
        found.keys().filter(|name| is_file(name) && listed.binary_search(name).is_err()).collect();
    let pairs = pair_up(&missing, there.iter().enumerate().map(|(at, name)| (at, &name[..])));
    pairs.into_iter().map(|(stray, at, likeness)| (listed[at], there[stray], likeness)).collect()
}

struct Validation<'a> {
    declared: Declaration,
    summary: &'a mut Summary,
    findings: &'a mut Vec<Finding>,
}

impl Validation<'_> {
    fn say(&mut self, severity: Severity, path: &[u8], what: impl Into<String>) {
        self.findings.push(Finding::new(severity, path, what));
    }

    /// A file that is there, with each manifest that lists it. Gives whether all agree.
    fn agrees(&mut self, manifests: &[Manifest], name: &[u8], seen: &BagFile) -> bool {
        let mut compared = 0;
        let Some(facts) = seen.facts() else { return false };
        for manifest in manifests {
            let (Some(algorithm), Some(listing)) = (manifest.algorithm, manifest.entries.get(name)) else { continue };
            if listing.compare_with(&facts) == Comparison::Same {
                compared += 1;
            } else {
                let file = String::from_utf8_lossy(&manifest.file).into_owned();
                self.say(Severity::Error, name, format!("its {algorithm} is not that of {file}"));
                return false;
            }
        }
        compared > 0
    }

    fn payload(&mut self, manifests: &Manifests, found: &Files) {
        let listed: BTreeSet<&Vec<u8>> = names(&manifests.payload).collect();
        let sorted: Vec<&Vec<u8>> = listed.iter().copied().collect();
        let renamed = renamed(&sorted, found);
        for (name, seen) in found {
            match seen {
                BagFile::File(size, _) if listed.contains(name) => {
                    if self.declared.is_final() {
                        self.in_all(manifests, name);
                    }
                    if self.agrees(&manifests.payload, name, seen) {
                        self.summary.files += 1;
                        self.summary.bytes += size;
                    }
                }
                BagFile::File(..) if renamed.iter().any(|(_, there, _)| *there == name) => {}
                BagFile::File(..) => self.say(Severity::Error, name, "is in no manifest"),
                BagFile::Other(what) => {
                    self.say(Severity::Incomplete, name, format!("is a {what}, which was not read"))
                }
                BagFile::Failed(why) => self.say(Severity::Incomplete, name, why.clone()),
                BagFile::Missing => {}
            }
        }
        let is_there = |name: &[u8]| found.get(name).is_some_and(|seen| !matches!(seen, BagFile::Missing));
        for name in listed.iter().filter(|name| !is_there(name)) {
            match manifests.fetch.get(*name) {
                Some(url) => {
                    self.summary.fetch += 1;
                    let url = pfh_source::terminal::render(url);
                    self.say(Severity::Incomplete, name, format!("is yet to be fetched from {url}"));
                }
                None => match renamed.iter().find(|(stated, ..)| stated == name) {
                    Some((_, there, likeness)) => {
                        let there = pfh_source::terminal::render(there);
                        let what = format!("was not compared: {there} is there, which differs by {likeness}");
                        self.say(Severity::Incomplete, name, what);
                    }
                    None => self.say(Severity::Error, name, "is missing"),
                },
            }
        }
        for name in manifests.fetch.keys().filter(|name| !listed.contains(name)) {
            self.say(Severity::Error, name, "is to be fetched, and in no manifest");
        }
    }

    /// Each manifest lists each file (RFC 8493, section 3).
    fn in_all(&mut self, manifests: &Manifests, name: &[u8]) {
        let lacks = manifests.payload.iter().filter(|manifest| !manifest.entries.contains_key(name));
        let lacks: Vec<String> = lacks.map(|manifest| String::from_utf8_lossy(&manifest.file).into_owned()).collect();
        if !lacks.is_empty() {
            self.say(Severity::Error, name, format!("is not in {}", lacks.join(", ")));
        }
    }

    fn tags(&mut self, manifests: &[Manifest], found: &Files) {
        for (name, seen) in found {
            match seen {
                BagFile::File(..) => self.summary.tags += u64::from(self.agrees(manifests, name, seen)),
                BagFile::Missing => self.say(Severity::Error, name, "is missing"),
                BagFile::Other(what) => {
                    self.say(Severity::Incomplete, name, format!("is a {what}, which was not read"))
                }
                BagFile::Failed(why) => self.say(Severity::Incomplete, name, why.clone()),
            }
        }
    }

    /// Bytes and files as `Payload-Oxum` has them, unless some are yet to come.
    fn oxum(&mut self, request: &Request, manifests: &Manifests, found: &Files) {
        let old = self.declared.version < (0, 96);
        let file = if old { b"package-info.txt" } else { info::NAME };
        if !request.bag.join(std::ffi::OsStr::new(&*String::from_utf8_lossy(file))).exists() {
            return;
        }
        let Some(text) = manifests::text(&request.bag, file, self.declared, self.findings) else { return };
        let stated = match info::oxum(&info::read(&text)) {
            None => return,
            Some(Err(value)) => {
                return self.say(Severity::Error, file, format!("{}: {value} is not BYTES.FILES", info::OXUM));
            }
            Some(Ok(stated)) => stated,
        };
        let sizes =
            found.values().filter_map(|seen| if let BagFile::File(size, _) = seen { Some(*size) } else { None });
        let there = sizes.fold((0, 0), |(bytes, files), size| (bytes + size, files + 1));
        let to_come = manifests.fetch.keys().any(|name| !matches!(found.get(name), Some(BagFile::File(..))));
        if there != stated && !to_come {
            let what =
                format!("{}: {}.{} are stated, {}.{} are there", info::OXUM, stated.0, stated.1, there.0, there.1);
            self.say(Severity::Error, file, what);
        }
    }
}
