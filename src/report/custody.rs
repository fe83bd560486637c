//! Seals and chained logs: verified again, with the two sides of each comparison.

use super::found::{OpenLog, PageFindings, tone};
use super::members::Object;
use super::{acquired, request::Request};
use crate::verdict::{Comparison, Evidence, Subject, Verdict, verdict};
use pfh_custody::chain::SoFar;
use pfh_custody::{chain, seal};
use pfh_manifest::Options;
use pfh_report::case::{Rows, Standing, Tone, VerdictEvidence};
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::counted;
use std::ffi::OsStr;
use std::io::BufRead;
use std::path::Path;

/// Enters a verdict on a seal or a log.
fn enter(found: &mut PageFindings, source: usize, what: &str, verdict: Verdict, evidence: Vec<String>) {
    let verdict = verdict.to_string();
    let tone = tone(&verdict);
    match tone {
        Tone::Good => found.holding += 1,
        Tone::Bad => found.broken.push((source, evidence.first().cloned().unwrap_or_default())),
        Tone::Open => found.torn.push((source, evidence.first().cloned().unwrap_or_default())),
    }
    found.judge(VerdictEvidence { source, what: what.to_owned(), tone, verdict, evidence, rows: Rows::default() });
}

/// The verdict on a seal, and its evidence.
fn sealed(manifest: &Path, held: Result<Option<seal::HeldSeal>, seal::FileError>) -> (Verdict, Vec<String>) {
    let records = format!("the records of {}", pfh_source::terminal::shown(manifest));
    let root = "the root that was sealed";
    let compared = format!("{records} with {root}");
    let one = Comparison::new(Subject::Seal, records, root, Evidence::Fact);
    let (comparisons, evidence) = match held {
        Ok(Some(held)) => (vec![one], vec![compared, held.to_string()]),
        Ok(None) => (Vec::new(), vec!["the seal is gone".to_owned()]),
        Err(error) if error.is_verdict() => (vec![one.unequal(Vec::new())], vec![error.to_string(), compared]),
        Err(error) => (Vec::new(), vec![error.to_string()]),
    };
    (verdict(&[Subject::Seal], &comparisons, false), evidence)
}

/// All of a manifest, read once.
fn contents(manifest: &Path) -> std::io::Result<Vec<u8>> {
    pfh_source::Document::read(manifest, u64::MAX)
}

/// Verifies a seal: its manifest lies beside it.
pub(super) fn seal(found: &mut PageFindings, source: usize, path: &Path, request: &Request) {
    let Some(manifest) = path.as_os_str().as_bytes().strip_suffix(b".seal") else {
        let why = "a seal whose manifest is not named by it: it is called MANIFEST.seal";
        found.case.sources[source].standing = Standing::Unknown(why.to_owned());
        return;
    };
    let manifest = Path::new(OsStr::from_bytes(manifest));
    found.case.sources[source].records = 1;
    let (verdict, evidence) = match contents(manifest) {
        Ok(bytes) => {
            let (options, key) = (Options::default(), request.key.as_deref());
            sealed(manifest, seal::verify(manifest, &bytes, &options, crate::REGISTRY, key))
        }
        Err(error) => {
            let name = pfh_source::terminal::shown(manifest);
            (verdict(&[Subject::Seal], &[], false), vec![format!("{name}: {error}")])
        }
    };
    let what = if verdict == Verdict::NothingToCompareWith { "seal" } else { "seal, verified again" };
    enter(found, source, what, verdict, evidence);
}

/// Verifies a chained log, and takes the acquisitions from one that holds.
///
/// # Errors
/// When it cannot be read.
pub(super) fn log(
    found: &mut PageFindings,
    source: usize,
    path: &Path,
    input: impl BufRead,
    request: &Request,
) -> std::io::Result<()> {
    let sound = match chain::so_far(input) {
        Ok(SoFar::Ended(sound)) => sound,
        Err(chain::ChainFault::Io(error)) => return Err(error),
        Ok(SoFar::Open(records)) => {
            let chain = format!("the chain of {} holds", counted(records.len() as u64, "record"));
            let evidence = vec![chain::ChainFault::NoEnd.to_string(), chain];
            enter(found, source, "chain of a log", verdict(&[Subject::Log], &[], true), evidence);
            found.case.sources[source].records = records.len() as u64;
            acquired::logged(found, source, path, &records);
            enter_open(found, source, path, records);
            return Ok(());
        }
        Err(broken) => {
            let what = "nothing of this log is shown below: its statements cannot be relied on".to_owned();
            let of_chain = verdict(&[Subject::Log], &[chain_of(path).unequal(Vec::new())], false);
            enter(found, source, "chain of a log, verified again", of_chain, vec![broken.to_string(), what]);
            return Ok(());
        }
    };
    let records: Vec<Object> = sound.records.clone();
    found.case.sources[source].records = records.len() as u64;
    let (verdict, evidence) = verified(path, &sound, request);
    enter(found, source, "chain of a log, verified again", verdict, evidence);
    acquired::logged(found, source, path, &records);
    if sound.behind > 0 {
        enter_open(found, source, path, records);
    }
    Ok(())
}

/// Enters the job of a log that goes on, or was cut off.
fn enter_open(found: &mut PageFindings, source: usize, path: &Path, records: Vec<Object>) {
    if let Some(first) = records.into_iter().next() {
        found.open_logs.push(OpenLog { source, path: path.to_owned(), first });
    }
}

/// The chain of a log, compared with its records.
fn chain_of(path: &Path) -> Comparison {
    Comparison::new(Subject::Log, "the chain of records", pfh_source::terminal::shown(path), Evidence::Fact)
}

/// The verdict on a log, its signature and the log for people beside it.
#[cfg(feature = "image")]
fn verified(path: &Path, _: &chain::Sound, request: &Request) -> (Verdict, Vec<String>) {
    let asked = crate::verify::Request { key: request.key.clone(), ..crate::verify::Request::log(path) };
    match crate::verify::run(&asked, &mut |_| Ok(()), &pfh_engine::Control::new()) {
        Ok(summary) => {
            let findings = summary.findings.iter().map(ToString::to_string);
            (summary.verdict(), [summary.sentence()].into_iter().chain(findings).collect())
        }
        Err(error) => (verdict(&[Subject::Log], &[], true), vec![error.to_string()]),
    }
}

/// The verdict on a log in a build that knows no signatures: a key that was asked for is not passed
/// over.
#[cfg(not(feature = "image"))]
fn verified(path: &Path, sound: &chain::Sound, request: &Request) -> (Verdict, Vec<String>) {
    let records = counted(sound.records.len() as u64, "record");
    let chain = format!("the chain of {records} holds: {}", sound.chain.value());
    let mut wanted = vec![About::Log];
    wanted.extend(request.key.as_ref().map(|_| Subject::Signer));
    let evidence = match (&request.key, sound.signature) {
        (Some(_), _) => vec!["this build verifies no signatures of logs".to_owned(), chain],
        (None, Some(_)) => vec![chain, "signed; the signature was not verified".to_owned()],
        (None, None) => vec![chain, "not signed: anyone who can write the log can make a new chain".to_owned()],
    };
    (verdict(&wanted, &[chain_of(path)], false), evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A seal has the verdict that follows from its comparison: equal, unequal, or none.
    #[test]
    fn verdicts_on_seals_follow_from_comparisons() {
        let room = std::env::temp_dir().join(format!("pfh-report-seal-{}", std::process::id()));
        std::fs::create_dir_all(&room).expect("a directory");
        let manifest = room.join("list.sha256");
        let options = Options::default();
        let of = || {
            let bytes = std::fs::read(&manifest).expect("a manifest");
            sealed(&manifest, seal::verify(&manifest, &bytes, &options, crate::REGISTRY, None)).0
        };
        let write = |digit: &str| std::fs::write(&manifest, format!("{}  file\n", digit.repeat(64))).expect("written");
        write("0");
        assert_eq!(of(), Verdict::NothingToCompareWith, "without a seal");
        let bytes = std::fs::read(&manifest).expect("a manifest");
        let seen = seal::Seal::of(&bytes[..], &options, crate::REGISTRY);
        seal::write(&manifest, seen, None, None).expect("a seal");
        assert_eq!(of(), Verdict::Verified);
        write("1");
        assert_eq!(of(), Verdict::Differs);
        assert!(contents(&room.join("gone")).is_err());
        std::fs::remove_dir_all(&room).expect("removed");
    }
}
