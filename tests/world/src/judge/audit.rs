//! The judge of audits.

use super::check::{is_alone, lists};
use super::hash::is_disturbed;
use crate::account::{Account, Claims, End, Word};
use crate::laws::{Court, Law};
use crate::past::Past;
use crate::room::TREE;
use pfh::Verdict;
use pfh::job::Kind;

/// Asks the classes of an audit, and its verdict.
pub fn judge(account: &Account, past: &Past, list: &str, claims: &Claims, court: &mut Court) {
    let lists = lists(account, list);
    let mut deviations = 0;
    for row in &claims.rows {
        let Word::Class(class, from) = &row.word else { continue };
        let listed =
            |name: &str| lists.iter().filter_map(move |list| list.digests.get(name).cloned()).collect::<Vec<_>>();
        let own = listed(&row.name);
        // Listed names are followed within the tree.
        let stood = past.reached(&row.name);
        let has = |digests: &[String]| stood.iter().any(|content| digests.contains(&content.digest));
        let has_other = |own: &[String]| own.iter().any(|own| stood.iter().any(|content| content.digest != *own));
        let is_true = match *class {
            "matched" | "metadata-only" => has(&own),
            "modified" | "bit-rot" => has_other(&own),
            "moved" | "copied" => from.as_ref().is_some_and(|from| has(&listed(from))),
            // Also another content under a listed name, when the listed one has another name now.
            "new" => !stood.is_empty() && (own.len() < lists.len() || own.is_empty() || has_other(&own)),
            // Also a listed content that is nowhere, when that of another name is in its place.
            "missing" => !own.is_empty() && (past.was_absent(&row.name) || has_other(&own)),
            _ if past.others().was_above(&row.name) => true,
            _ => is_disturbed(account, past, &row.name) || lists.iter().any(|list| list.hides(&row.name)),
        };
        deviations += u64::from(!["matched", "metadata-only"].contains(class));
        court.demand(Law::Compared, is_true, || format!("{} is {class}, from {from:?}", row.name));
    }
    let summary = match &claims.end {
        End::Done(summary) => summary,
        End::Broken(kind, why) => {
            let is_excused = !is_alone(account) || lists.iter().all(|list| list.digests.is_empty());
            let holds = is_excused && *kind != Kind::Negative;
            court.demand(Law::Next, holds, || format!("it ended with {kind:?}: {why}"));
            return;
        }
        End::Panicked => return,
    };
    let verdict = summary.verdict;
    if verdict == Some(Verdict::Verified) {
        court.demand(Law::Compared, deviations == 0, || format!("verified with {deviations} deviations"));
    }
    if !is_alone(account) {
        return;
    }
    let Some(list) = lists.first() else { return };
    let mut names: Vec<&str> = past.names().filter(|name| name.starts_with(TREE)).collect();
    names.extend(list.digests.keys().map(String::as_str));
    names.sort_unstable();
    names.dedup();
    let (mut is_right, mut is_odd, mut is_open, mut leads) = (true, false, false, true);
    for name in names {
        let rows = claims.of(name).count();
        let (now, listed) = (past.content(name), list.digests.get(name));
        let is_same = now.as_ref().map(|content| &content.digest) == listed;
        if let Some(listed) = listed.filter(|_| past.others().was_above(name)) {
            is_odd = true;
            leads &= past.reached(name).iter().any(|content| content.digest == *listed);
        }
        is_open |= now.is_some() && listed.is_none() && list.passes(name);
        is_right &= is_same || (listed.is_none() && list.hides(name));
        // A listed name whose content has another name now has its class there; one that another
        // content was moved to has two.
        let least = usize::from(now.is_some() && !list.digests.is_empty());
        let is_other = past.others().was_above(name);
        let most = 1 + usize::from(listed.is_some() && (now.is_some() || is_other));
        court.demand(Law::Once, (least..=most).contains(&rows), || format!("{name} has {rows} classes"));
    }
    let truth = match is_right {
        _ if list.digests.is_empty() => return,
        false => Verdict::Differs,
        // It has no digest of what was a link or a FIFO.
        true if !list.is_complete() || is_open => Verdict::Incomplete,
        true => Verdict::Verified,
    };
    // A listed file with a FIFO in its place is unread; a link may lead to it.
    let holds = verdict == Some(truth) || is_odd && (verdict != Some(Verdict::Verified) || leads);
    court.demand(Law::Next, holds, || format!("{verdict:?}, and it is {truth:?}"));
}
