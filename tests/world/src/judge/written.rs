//! The judge of outputs: each is the old one or the new one, and nothing is left beside it.

use crate::account::{Account, Claims, Word};
use crate::laws::{Court, Law};
use crate::list::List;
use crate::past::Past;
use crate::script::{Act, At};
use crate::step::{Job, Step};
use pfh_source::os::seam::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Asks all files that the jobs may have written.
pub fn judge(account: &Account, past: &Past, court: &mut Court) {
    let lists: BTreeSet<&str> = account.jobs.iter().filter_map(|(step, _)| step.job.list()).collect();
    for &list in &lists {
        judge_list(account, past, list, court);
    }
    let killed = account.is_killed();
    // It could not be removed, or not be read to decide on it: the next run does.
    let is_stuck = |name: &str| {
        let is_of = |At { kind, place, .. }: &At| *kind == Kind::Remove || place == name;
        account.acts.iter().any(|(at, act)| is_of(at) && matches!(act, Act::Fail(..)))
    };
    for (name, bytes) in &account.after {
        let is_own = name.starts_with("images/") || lists.iter().any(|list| name.starts_with(*list));
        let is_same = account.before.get(name) == Some(bytes);
        let is_passing = name.contains(".pfh-") || name.ends_with(".new");
        let is_known = is_own || is_same || killed || is_passing && is_stuck(name);
        court.demand(Law::Whole, is_known, || format!("{name} was written by nobody's wish"));
        let holds = !is_passing || is_same || killed || is_stuck(name);
        court.demand(Law::Whole, holds, || format!("{name} was left behind"));
    }
    for name in account.before.keys().filter(|name| !account.after.contains_key(*name)) {
        let is_passing = name.contains(".pfh-") || name.ends_with(".new") || name.ends_with(".1.seal");
        let is_image = name.starts_with("images/");
        court.demand(Law::Whole, is_passing || is_image, || format!("{name} is gone"));
    }
}

fn judge_list(account: &Account, past: &Past, list: &str, court: &mut Court) {
    let (before, after) = (account.before.get(list), account.after.get(list));
    let writers: Vec<&(Step, Claims)> =
        account.jobs.iter().filter(|(step, _)| step.job.writes() && step.job.list() == Some(list)).collect();
    let is_done =
        |claims: &Claims| claims.summary().is_some_and(|summary| summary.counts.get("interrupted") != Some(&1));
    let done = writers.iter().any(|(_, claims)| is_done(claims));
    let is_new = after.is_some_and(|bytes| {
        writers.iter().any(|(step, claims)| is_of(bytes, before, step, claims, past, writers.len() > 1))
    });
    // An error after the output has its name leaves a whole one.
    let may_be_old = !done || account.is_killed() || writers.iter().all(|(_, claims)| !is_written(claims));
    let holds = is_new || (may_be_old && after == before);
    court.demand(Law::Whole, holds, || {
        let is = after.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        format!("{list} is neither the old one nor a new one: {is:?}")
    });
    let kept = format!("{list}.1");
    let known = [account.before.get(&kept), before, account.unkilled.get(&kept)];
    let is_kept = account.after.get(&kept).is_none_or(|bytes| known.contains(&Some(bytes)));
    court.demand(Law::Whole, is_kept, || format!("{kept} is half of one"));
}

/// Whether a job says that it wrote its list.
fn is_written(claims: &Claims) -> bool {
    claims.summary().is_some_and(|summary| summary.counts.get("written") != Some(&0))
}

/// Whether these bytes are the whole list of a job.
fn is_of(bytes: &[u8], before: Option<&Vec<u8>>, step: &Step, claims: &Claims, past: &Past, is_beside: bool) -> bool {
    let list = List::read(bytes);
    if !list.is_ended || list.odd > 0 {
        return false;
    }
    let old = before.map(|bytes| List::read(bytes)).unwrap_or_default();
    match step.job {
        Job::Hash { .. } => {
            let rows = claims.rows.iter().filter_map(|row| match &row.word {
                Word::Digest(digest, _) => Some((row.name.clone(), digest.clone())),
                _ => None,
            });
            list.digests == rows.collect::<BTreeMap<_, _>>()
        }
        // It began with the list of the other one.
        _ if is_beside => {
            let is_known = |(name, digest): (&String, &String)| {
                old.digests.get(name) == Some(digest) || past.has_stood(name, digest)
            };
            list.digests.iter().all(is_known)
        }
        _ => is_brought_up(&list, &old, claims, past),
    }
}

/// Whether a list is the old one with the changes that an update claims.
fn is_brought_up(list: &List, old: &List, claims: &Claims, past: &Past) -> bool {
    let mut names: BTreeSet<&String> = old.digests.keys().collect();
    for row in &claims.rows {
        match &row.word {
            Word::Class("gone", _) => names.remove(&row.name),
            Word::Class("moved", Some(from)) => names.remove(from),
            _ => false,
        };
    }
    // A file that was moved may have left its name to another one.
    let is_new = |word: &Word| matches!(word, Word::Class("new" | "changed" | "metadata-only" | "moved", _));
    let changed: BTreeSet<&String> = claims.rows.iter().filter(|row| is_new(&row.word)).map(|row| &row.name).collect();
    names.extend(&changed);
    let is_kept = |word: &Word| matches!(word, Word::Class("bit-rot" | "unread", _));
    names.extend(claims.rows.iter().filter(|row| is_kept(&row.word)).map(|row| &row.name));
    let is_listed = |(name, digest): (&String, &String)| {
        let is_kept = old.digests.get(name) == Some(digest);
        if changed.contains(name) { past.has_stood(name, digest) } else { is_kept }
    };
    list.digests.keys().collect::<BTreeSet<_>>() == names && list.digests.iter().all(is_listed)
}
