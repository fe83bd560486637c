//! The statements of an image on itself.

use super::Problem;
use super::claim::{Claim, Of};
use super::findings::Findings;
use crate::job::Error;
use crate::verdict::{Comparison, Coverage, Evidence, Subject};
use pfh_container::disk;
use pfh_digest::Digest;
use pfh_engine::Control;
use pfh_source::image::Image;
use pfh_source::terminal::shown;
use std::path::Path;

/// The digests of its content that an image states.
pub(super) fn claims(image: &Image, path: &Path, findings: &mut Findings) -> Vec<Claim> {
    let by = format!("{} itself", shown(path));
    if let Some(disk) = image.disk() {
        disk.notes().into_iter().for_each(|note| findings.note(note));
        let claim = |digest| Claim { digest, of: Of::Content, by: by.clone() };
        return disk.digests().into_iter().map(claim).collect();
    }
    let Some(index) = image.ewf() else { return Vec::new() };
    let runs: Vec<String> = index.errors.0.iter().map(|(first, count)| format!("{first} + {count}")).collect();
    if !runs.is_empty() {
        findings.note(format!("sectors that were unreadable when it was acquired: {}", runs.join(", ")));
    }
    if index.behind > 0 {
        let (name, bytes) = (shown(path), index.behind);
        findings.open(format!("{name}: {bytes} bytes behind the last section were not read: no format explains them"));
    }
    let (md5, sha1) = (&index.digests.md5, &index.digests.sha1);
    let stored = [("md5", md5.as_ref().map(|md5| &md5[..])), ("sha1", sha1.as_ref().map(|sha1| &sha1[..]))];
    let claim = |(algorithm, bytes): (&str, Option<&[u8]>)| {
        let digest = Digest::from_bytes(crate::REGISTRY.find(algorithm).ok()?, bytes?).ok()?;
        Some(Claim { digest, of: Of::Content, by: by.clone() })
    };
    stored.into_iter().filter_map(claim).collect()
}

/// Compares the statements of a disk image on its own parts: chunks, tables, sections.
pub(super) fn parts(image: &Image, path: &Path, findings: &mut Findings, control: &Control<'_>) -> Result<(), Error> {
    let Some(disk) = image.disk() else { return Ok(()) };
    let checks = disk.check(&mut || !control.is_cancelled());
    if control.is_cancelled() {
        return Err(Error::cancelled(Problem::Cancelled));
    }
    let by = format!("{} itself", shown(path));
    for check in checks {
        let one = Comparison::new(Subject::Image, check.what.clone(), by.clone(), Evidence::Checksums);
        let one = one.over(Coverage::whole(image.size()));
        match check.wrong {
            None => findings.equal(one),
            Some(failure @ (disk::Failure::Refused(_) | disk::Failure::Io(_))) => {
                findings.open(format!("{}: {failure}", check.what));
            }
            Some(failure) => findings.differs(one, format!("{}: {failure}: DIFFERENT", check.what)),
        }
    }
    Ok(())
}
