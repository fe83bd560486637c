//! The judge of checking.

use super::hash::is_disturbed;
use crate::account::{Account, Claims, End, Word};
use crate::laws::{Court, Law};
use crate::list::List;
use crate::past::Past;
use pfh::Verdict;
use pfh::job::Kind;

/// The lists that a job may have read: that from before the step and, beside a writer, that after
/// it.
pub fn lists(account: &Account, list: &str) -> Vec<List> {
    let mut found = Vec::new();
    let is_written = account.jobs.iter().any(|(step, _)| step.job.writes() && step.job.list() == Some(list));
    for files in [&account.before, &account.unkilled] {
        found.extend(files.get(list).map(|bytes| List::read(bytes)));
        if !is_written {
            break;
        }
    }
    found
}

/// Whether nobody but this job was at work.
pub fn is_alone(account: &Account) -> bool {
    account.is_quiet() && account.jobs.len() == 1
}

/// Asks the results of a check, and its verdict.
pub fn judge(account: &Account, past: &Past, list: &str, claims: &Claims, court: &mut Court) {
    let lists = lists(account, list);
    for row in &claims.rows {
        let listed: Vec<&String> = lists.iter().filter_map(|list| list.digests.get(&row.name)).collect();
        // A list is of names: links are followed.
        let stood = past.reached(&row.name);
        let has = |listed: &String| stood.iter().any(|content| content.digest == *listed);
        let is_true = match row.word {
            Word::Right => listed.iter().any(|listed| has(listed)),
            Word::Wrong => listed.iter().any(|listed| stood.iter().any(|content| content.digest != **listed)),
            Word::Missing => past.was_absent(&row.name),
            _ => is_disturbed(account, past, &row.name) || past.others().was_above(&row.name),
        };
        court.demand(Law::Compared, is_true, || format!("{} is {:?}", row.name, row.word));
    }
    match &claims.end {
        End::Done(summary) => {
            let right = claims.rows.iter().filter(|row| row.word == Word::Right).count();
            let wrong = claims.rows.iter().any(|row| matches!(row.word, Word::Wrong | Word::Missing));
            let (verified, expected) = (summary.counts["verified"], summary.counts["expected"]);
            let counted = verified == right as u64 && claims.rows.len() as u64 == expected;
            court.demand(Law::Counted, counted, || {
                format!("{verified} of {expected}, and {right} of {} rows", claims.rows.len())
            });
            let is_all = lists.iter().any(|list| list.digests.len() == right && list.is_complete());
            let verdict = summary.verdict;
            let holds = match verdict {
                Some(Verdict::Verified) => is_all && right > 0 && right == claims.rows.len(),
                Some(Verdict::Differs) => wrong,
                _ => !wrong,
            };
            court
                .demand(Law::Compared, holds, || format!("{verdict:?} of {right} right in {} rows", claims.rows.len()));
            let is_other = |name: &String| past.others().was_above(name);
            let has_others = lists.iter().any(|list| list.digests.keys().any(is_other));
            if is_alone(account) && has_others {
                let differs = |(name, digest): (&String, &String)| {
                    past.reached(name).iter().any(|content| content.digest != *digest)
                };
                let is_nowhere = |(name, _): (&String, &String)| past.reached(name).is_empty();
                let all = || lists.iter().flat_map(|list| &list.digests);
                // A FIFO is unread, and a link that leads nowhere is missing.
                let holds = match verdict {
                    Some(Verdict::Verified) => !all().any(differs) && !all().any(is_nowhere),
                    Some(Verdict::Differs) => all().any(differs) || all().any(is_nowhere),
                    _ => !all().any(differs),
                };
                court.demand(Law::Next, holds, || format!("{verdict:?}, with links or FIFOs among the files"));
            } else if is_alone(account) {
                let truth = truth(past, &lists[..]);
                court.demand(Law::Next, verdict == Some(truth), || format!("{verdict:?}, and it is {truth:?}"));
            }
            for list in lists.iter().take(usize::from(lists.len() == 1)) {
                for name in list.digests.keys() {
                    let rows = claims.of(name).count();
                    court.demand(Law::Once, rows == 1, || format!("{name} has {rows} results"));
                }
            }
        }
        End::Broken(kind, why) => {
            let nothing = lists.iter().all(|list| list.digests.is_empty());
            let is_excused = !is_alone(account) || nothing;
            let accuses = *kind == Kind::Negative;
            court.demand(Law::Next, is_excused && !accuses, || format!("it ended with {kind:?}: {why}"));
        }
        End::Panicked => {}
    }
}

/// The verdict of a list and files that nobody changes.
fn truth(past: &Past, lists: &[List]) -> Verdict {
    let Some(list) = lists.first().filter(|list| !list.digests.is_empty()) else {
        return Verdict::NothingToCompareWith;
    };
    let is_right =
        |(name, digest): (&String, &String)| past.content(name).is_some_and(|content| content.digest == *digest);
    match list.digests.iter().all(is_right) {
        false => Verdict::Differs,
        true if !list.is_complete() => Verdict::Incomplete,
        true => Verdict::Verified,
    }
}
