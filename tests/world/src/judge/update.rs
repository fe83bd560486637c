//! The judge of updates.

use super::check::{is_alone, lists};
use super::hash::is_disturbed;
use crate::account::{Account, Claims, End, Row, Word};
use crate::laws::{Court, Law};
use crate::list::List;
use crate::past::Past;
use crate::room::TREE;
use pfh::Verdict;
use pfh::job::Kind;

/// Asks the classes of an update, its counts, and the list that it left.
pub fn judge(account: &Account, past: &Past, list: &str, claims: &Claims, court: &mut Court) {
    let lists = lists(account, list);
    for row in &claims.rows {
        let Word::Class(class, _) = &row.word else { continue };
        let own: Vec<&String> = lists.iter().filter_map(|list| list.digests.get(&row.name)).collect();
        let stood = past.stood(&row.name);
        let is_true = match *class {
            "new" | "moved" => !stood.is_empty(),
            "changed" | "bit-rot" => own.iter().any(|own| stood.iter().any(|content| content.digest != **own)),
            "metadata-only" => own.iter().any(|own| past.has_stood(&row.name, own)),
            "gone" => past.was_absent(&row.name),
            _ => is_disturbed(account, past, &row.name) || past.others().was_above(&row.name),
        };
        court.demand(Law::Compared, is_true, || format!("{} is {class}", row.name));
    }
    let summary = match &claims.end {
        End::Done(summary) => summary,
        End::Broken(kind, why) => {
            let is_there = lists.iter().any(|list| !list.digests.is_empty());
            let has_files = past.names().any(|name| lists.iter().any(|list| list.digests.contains_key(name)));
            let is_excused = !is_alone(account) || !is_there || !has_files;
            let holds = is_excused && *kind != Kind::Negative;
            court.demand(Law::Next, holds, || format!("it ended with {kind:?}: {why}"));
            return;
        }
        End::Panicked => return,
    };
    for class in ["new", "moved", "changed", "metadata-only", "gone", "bit-rot", "unread"] {
        let is_class = |word: &Word| matches!(word, Word::Class(found, _) if *found == class);
        // Also what could not be read and is not listed: a directory, say.
        let is_unlisted = |name: &str| !claims.of(name).any(|word| matches!(word, Word::Class("unread", _)));
        let is_counted = |row: &&Row| match row.word {
            Word::Unread => class == "unread" && is_unlisted(&row.name),
            ref word => is_class(word),
        };
        let rows = claims.rows.iter().filter(is_counted).count() as u64;
        let claimed = summary.counts[class];
        court.demand(Law::Counted, rows == claimed, || format!("{class}: {claimed}, and {rows} by the events"));
    }
    let Some(after) = account.unkilled.get(list).map(|bytes| List::read(bytes)) else { return };
    if summary.verdict == Some(Verdict::Verified) && account.jobs.len() == 1 {
        let all = after.digests.iter().all(|(name, digest)| past.has_stood(name, digest) || past.touches(name) > 0);
        court.demand(Law::Compared, all, || "up to date, and the list has digests that never stood".to_owned());
    }
    if is_alone(account) {
        for name in past.names().filter(|name| name.starts_with(TREE)) {
            let now = past.content(name).map(|content| content.digest.clone());
            let is_rot = claims.of(name).any(|word| matches!(word, Word::Class("bit-rot", _)));
            let is_listed = after.digests.get(name) == now.as_ref();
            court.demand(Law::Next, is_listed != is_rot, || format!("{name} is listed as it is not"));
        }
        let is_gone = |name: &&String| past.content(name).is_none() && !past.others().was_above(name);
        let gone = after.digests.keys().find(is_gone);
        court.demand(Law::Next, gone.is_none(), || format!("{gone:?} is still listed"));
    }
}
