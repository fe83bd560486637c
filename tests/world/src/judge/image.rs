//! The judge of images.

use super::check::is_alone;
use crate::account::{Account, Claims, End};
use crate::jobs::IMAGE;
use crate::laws::{Court, Law};
use crate::past::{Past, sha256};
use crate::room::MEDIUM;
use pfh::Verdict;

/// Asks an acquisition for its digest and its image.
pub fn acquired(account: &Account, past: &Past, claims: &Claims, court: &mut Court) {
    let image = account.after.get(IMAGE);
    let is_first = !account.before.keys().any(|name| name.starts_with("images/"));
    let End::Done(summary) = &claims.end else {
        let is_excused = !is_alone(account) || !is_first || past.content(MEDIUM).is_none();
        court.demand(Law::Next, is_excused, || format!("nothing happened, and it ended with {:?}", claims.end));
        return;
    };
    let is_complete = summary.counts["complete"] == 1;
    if let (Some(digest), true) = (&summary.digest, summary.counts["lost"] == 0) {
        let is_image = image.is_some_and(|bytes| sha256(bytes) == *digest);
        court.demand(Law::Stood, is_image, || format!("{digest} is not that of the image"));
        let is_real = !is_complete || past.has_stood(MEDIUM, digest);
        court.demand(Law::Stood, is_real, || format!("{digest} never stood on the medium"));
    }
    let is_read = is_complete || account.failures().next().is_some() || past.touches(MEDIUM) > 0;
    court.demand(Law::Once, is_read || !is_first, || "the medium was let alone, and is not complete".to_owned());
}

/// Asks a verification whether image and log agree.
pub fn verified(account: &Account, claims: &Claims, court: &mut Court) {
    let Some(verdict) = claims.summary().and_then(|summary| summary.verdict) else { return };
    let (image, log) = (account.before.get(IMAGE), account.before.get("images/disk.img.log.jsonl"));
    let digest = image.map(|bytes| sha256(bytes)).unwrap_or_default();
    let text = log.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
    let is_logged = !digest.is_empty() && text.contains(&digest);
    let holds = match verdict {
        Verdict::Verified => is_logged,
        Verdict::Differs => !is_logged,
        _ => true,
    };
    court.demand(Law::Compared, holds, || {
        format!("{verdict:?}, and the log {} the image's digest", if is_logged { "has" } else { "lacks" })
    });
}
