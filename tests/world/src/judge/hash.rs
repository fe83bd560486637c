//! The judge of hashing.

use crate::account::{Account, Claims, Word};
use crate::laws::{Court, Law};
use crate::past::Past;
use crate::room::TREE;
use crate::step::{Manner, Step};
use pfh::DEFAULT_MEMORY;
use std::collections::BTreeSet;

/// Asks the records of a run, and its summary.
pub fn judge(account: &Account, past: &Past, (step, claims): (&Step, &Claims), court: &mut Court) {
    let mut bytes = 0;
    for row in &claims.rows {
        let disturbed = is_disturbed(account, past, &row.name);
        match &row.word {
            Word::Digest(digest, size) => {
                bytes += size;
                let mut stood = past.stood(&row.name).into_iter();
                let is_real = stood.any(|content| content.digest == *digest && content.bytes.len() as u64 == *size);
                court.demand(Law::Stood, is_real, || format!("{} has {digest} of {size} bytes", row.name));
            }
            Word::Failed(why) => {
                court.demand(Law::Once, disturbed, || format!("{} was let alone, and failed: {why}", row.name));
            }
            Word::Skipped => {
                let is_other = past.others().was(&row.name);
                court.demand(Law::Once, disturbed || is_other, || format!("{} is a file, and skipped", row.name));
            }
            other => court.demand(Law::Once, disturbed, || format!("{} is {other:?}", row.name)),
        }
    }
    let Some(summary) = claims.summary() else {
        let is_excused = !account.is_quiet() || account.jobs.len() > 1;
        court.demand(Law::Next, is_excused, || format!("nothing happened, and it ended with {:?}", claims.end));
        return;
    };
    let most = most_memory(step.manner);
    let peak = summary.counts["peak"];
    court.demand(Law::Bounded, peak <= most, || format!("{peak} bytes in flight, and {most} are allowed"));
    let is_whole = summary.counts["interrupted"] == 0;
    for name in past.constant(TREE) {
        let rows = claims.of(name).count();
        let most = 1 + past.touches(name);
        let least = usize::from(is_whole && past.touches(name) == 0 && !has_lost(account, name));
        court.demand(Law::Once, (least..=most).contains(&rows), || format!("{name} has {rows} results"));
    }
    for name in past.idle(TREE) {
        let rows = claims.of(name).count();
        let least = usize::from(is_whole && !has_lost(account, name));
        court.demand(Law::Once, (least..=1).contains(&rows), || format!("{name} has {rows} results"));
    }
    let words = |of: fn(&Word) -> bool| claims.rows.iter().filter(|row| of(&row.word)).count() as u64;
    for (count, rows) in [
        ("hashed", words(|word| matches!(word, Word::Digest(..)))),
        ("failed", words(|word| matches!(word, Word::Failed(_)))),
        ("skipped", words(|word| *word == Word::Skipped)),
        ("bytes", bytes),
    ] {
        let claimed = summary.counts[count];
        court.demand(Law::Counted, claimed == rows, || format!("{count}: {claimed}, and {rows} by the records"));
    }
    // A listing that failed hides the names below it: that is a failure itself.
    let hidden: BTreeSet<&str> = past.constant(TREE).into_iter().filter(|name| claims.of(name).count() == 0).collect();
    let is_open = hidden.iter().any(|name| past.touches(name) == 0) && is_whole;
    let is_said = summary.counts["failed"] > 0;
    court.demand(Law::Counted, !is_open || is_said, || format!("{hidden:?} are missing, and nothing failed"));
}

/// The bytes that may be in flight: the table, and for each thread that reads a sixteenth of it or
/// a page.
fn most_memory(manner: Manner) -> u64 {
    let table = if manner.memory == 0 { DEFAULT_MEMORY } else { manner.memory << 10 };
    (table + (manner.threads + manner.readers) * (table / 16).max(4096)) as u64
}

/// Whether somebody changed something about a file, or a call on it or above it failed.
pub fn is_disturbed(account: &Account, past: &Past, name: &str) -> bool {
    past.touches(name) > 0 || account.has_failed(name) || has_lost(account, name)
}

/// Whether a directory above a file could not be listed, or the file itself not be looked at.
fn has_lost(account: &Account, name: &str) -> bool {
    account.failures().any(|place| name.starts_with(place))
}
