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
        let stood = past.stood(&row.name);
        let has = |digests: &[String]| digests.iter().any(|digest| past.has_stood(&row.name, digest));
        let is_true = match *class {
            "matched" | "metadata-only" => has(&own),
            "modified" | "bit-rot" => own.iter().any(|own| stood.iter().any(|content| content.digest != *own)),
            "moved" | "copied" => from.as_ref().is_some_and(|from| has(&listed(from))),
            "new" => own.is_empty() && !stood.is_empty(),
            "missing" => past.was_absent(&row.name) && !own.is_empty(),
            _ => is_disturbed(account, past, &row.name) || lists.iter().any(|list| list.without > 0),
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
    let mut is_right = true;
    for name in names {
        let rows = claims.of(name).count();
        let (now, listed) = (past.content(name), list.digests.get(name));
        let is_same = now.as_ref().map(|content| &content.digest) == listed;
        is_right &= is_same;
        // A listed name whose content has another name now has its class there.
        let least = usize::from(now.is_some());
        court.demand(Law::Once, (least..=1).contains(&rows), || format!("{name} has {rows} classes"));
    }
    let truth = match is_right {
        _ if list.digests.is_empty() => return,
        false => Verdict::Differs,
        true if list.without + list.odd > 0 || !list.is_ended => Verdict::Incomplete,
        true => Verdict::Verified,
    };
    court.demand(Law::Next, verdict == Some(truth), || format!("{verdict:?}, and it is {truth:?}"));
}
