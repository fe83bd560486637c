//! The manifests of a bag are made again, of the files that are there now.

use super::create::{Tags, checked, finish, guard, manifest};
use super::event::{Event, Events, Finding, Severity};
use super::files::{self, BagFile, Files};
use super::info;
use super::manifests::{self, Manifests, written};
use super::name::encoded;
use super::problem::Problem;
use super::request::Request;
use super::summary::Summary;
use super::text::Encoding;
use super::validate::{known, names, opened};
use crate::job::Error;
use crate::outputs::Existing;
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_ledger::Comparison;
use std::collections::BTreeSet;

/// Makes the manifests of a bag those of its files, of the same algorithms and those that are
/// named: files that came or went are taken as they are. Files yet to fetch stay listed.
/// The bag becomes one of version 1.0.
///
/// # Errors
/// When the bag cannot be read in full, a file has another content than the manifests say (unless
/// the request replaces), or a file cannot be read or written. Then nothing is written.
pub fn update(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let refused = |why: String| Error::request(Problem::NoBag { path: request.bag.clone(), why });
    request.check()?;
    let mut findings = Vec::new();
    let bag = opened(request, &mut findings)?;
    if let Some(finding) = findings.iter().find(|finding| finding.severity > Severity::Warning) {
        let path = pfh_source::terminal::render(&finding.path);
        return Err(refused(format!("{path} {}", finding.what)));
    }
    let Some((declared, manifests)) = bag else { return Err(refused("it is not a bag".into())) };
    if declared.encoding != Some(Encoding::Utf8) {
        return Err(refused("its tag files are not in UTF-8".into()));
    }
    let mut algorithms = known(&manifests.payload);
    let more: Vec<Algorithm> = request.named()?;
    algorithms.extend(more.into_iter().filter(|algorithm| !known(&manifests.payload).contains(algorithm)));
    guard(request, &algorithms, Existing::Welcome)?;
    let payload = files::payload(request, &algorithms, control)?;
    let mut summary = Summary { algorithms: algorithms.clone(), ..Summary::new(&request.bag) };
    checked(&payload, &mut summary, &request.plan.levels, events)?;
    let waiting = compared(request, &manifests, &payload, &mut summary, events)?;
    if waiting.iter().any(|_| algorithms.len() > manifests.payload.len()) {
        return Err(refused("files that are yet to be fetched have no digests of the new algorithms".into()));
    }
    let mut tags = Tags::new();
    for algorithm in &algorithms {
        let mut lines = manifest(&payload, *algorithm);
        let old = manifests.payload.iter().find(|manifest| manifest.algorithm == Some(*algorithm));
        for name in &waiting {
            let listing = old.and_then(|manifest| manifest.entries.get(name));
            for digest in listing.iter().flat_map(|listing| &listing.digests) {
                lines.extend_from_slice(&[digest.to_string().as_bytes(), b"  ", &encoded(name), b"\n"].concat());
            }
        }
        tags.insert(format!("manifest-{}.txt", written(*algorithm)).into_bytes(), lines);
    }
    let bytes = manifests::tag_file(&request.bag, info::NAME).unwrap_or_default();
    let mut lines = info::read(&bytes);
    info::set(&mut lines, info::DATE, request.day());
    info::set(&mut lines, info::OXUM, format!("{}.{}", summary.bytes, summary.files));
    info::add(&mut lines, &request.info)?;
    tags.insert(info::NAME.to_vec(), info::written(&lines));
    finish(request, tags, &algorithms, &mut summary, events, control)?;
    Ok(summary)
}

/// Reports files that came and went, and refuses those that changed. Gives the names that are yet
/// to be fetched.
fn compared(
    request: &Request,
    manifests: &Manifests,
    payload: &Files,
    summary: &mut Summary,
    events: &mut Events<'_>,
) -> Result<Vec<Vec<u8>>, Error> {
    let listed: BTreeSet<&Vec<u8>> = names(&manifests.payload).collect();
    let (mut waiting, mut changed) = (Vec::new(), 0);
    for name in &listed {
        let Some(seen) = payload.get(*name).filter(|seen| matches!(seen, BagFile::File(..))) else {
            if manifests.fetch.contains_key(*name) {
                waiting.push((*name).clone());
            } else {
                events(Event::Updated(name, false)).map_err(Error::Sink)?;
            }
            continue;
        };
        let differs = manifests.payload.iter().find(|manifest| {
            let listing = manifest.algorithm.and_then(|_| manifest.entries.get(*name));
            let both = listing.zip(seen.facts());
            both.is_some_and(|(listing, facts)| listing.compare_with(&facts) != Comparison::Same)
        });
        if let Some(manifest) = differs {
            changed += 1;
            let file = String::from_utf8_lossy(&manifest.file);
            let severity = if request.replace { Severity::Warning } else { Severity::Error };
            let finding = Finding::new(severity, name, format!("its content is not that of {file}"));
            summary.found(&finding, &request.plan.levels, events)?;
        }
    }
    if changed > 0 && !request.replace {
        return Err(Error::negative(Problem::Changed(changed)));
    }
    for name in payload.keys().filter(|name| !listed.contains(name)) {
        events(Event::Updated(name, true)).map_err(Error::Sink)?;
    }
    Ok(waiting)
}
