//! From a collection to the pairs or groups that are its results.

use super::event::{Event, Events, Group, Pair, SearchSummary, Searching};
use super::grouping::{Before, Earlier, Grouping, InputGroup};
use super::linkage::Linkage;
use super::request::Request;
use crate::job;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Phase, Progress};
use pfh_pairs::{By, Certain, Collection, Failure, FeatureFile, Hot, Ranking, Search, SearchStats, Watch};
use pfh_similarity::{Chance, Degenerate, MethodName, Score};
use std::cell::RefCell;
use std::io;
use std::ops::ControlFlow;

/// Something that this many digests have in common is reported before they are compared.
const VERY_HOT: u64 = 5_000;

/// Pairs that are handed out between two looks at the control.
const STEP: u64 = 1 << 12;

/// The pairs that were found, and those of them that were scored.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub pairs: u64,
    pub scored: u64,
}

/// Searches a collection and hands out the results.
pub fn search(
    (request, before): (&Request, Option<&Before>),
    (collection, beside): (&mut Collection, Option<FeatureFile>),
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Counts, job::Error> {
    let earlier = earlier(before, collection.algorithm().name(), collection, events)?;
    let (algorithm, without) = (collection.algorithm(), collection.without());
    if without > 0 {
        events(Event::Without(algorithm, without)).map_err(job::Error::Sink)?;
    }
    if collection.unread() > 0 {
        events(Event::OtherPictures(collection.unread())).map_err(job::Error::Sink)?;
    }
    let search = request.search(collection);
    let searching = Searching { algorithm, digests: collection.len() as u64, threshold: search.threshold };
    events(Event::Searching(&searching)).map_err(job::Error::Sink)?;
    let events = RefCell::new(events);
    let tell = |event: Event<'_>| (*events.borrow_mut())(event);
    let whole = request.cluster && request.linkage == Linkage::Single && request.page.is_none();
    let mut watching = Watching { whole, ..Watching::new(control, &tell, algorithm) };
    let features = collection.take_features();
    let collection = &*collection;
    let found = match whole.then(|| search.groups(collection, &mut watching)).flatten() {
        Some(found) => found.map(|(stats, groups)| {
            let groups = (1..).zip(groups.groups()).map(InputGroup::from).collect();
            CollectionResult { stats, groups, listed: 0, best: None }
        }),
        None => {
            let grouping =
                (request.cluster || request.page.is_some()).then(|| Grouping::new(request, collection, &earlier));
            one((request, grouping), &search, (collection, features, beside), &mut watching)
        }
    };
    let (costly, refused) = (watching.costly, watching.refused.take());
    if let Some(error) = refused {
        return Err(job::Error::Sink(error));
    }
    let mut found = found?;
    if request.cluster {
        for group in &found.groups {
            tell(Event::Group(&Group::of(Some(algorithm), group, collection))).map_err(job::Error::Sink)?;
        }
        found.listed = found.groups.len() as u64;
    }
    let CollectionResult { stats, groups, listed, best } = &found;
    let (digests, best, listed) = (searching.digests, *best, *listed);
    let searched = SearchSummary { algorithm, digests, found: stats, listed, best, costly, groups, collection };
    tell(Event::Searched(&searched)).map_err(job::Error::Sink)?;
    Ok(Counts { pairs: stats.pairs, scored: stats.compared })
}

/// The results in one collection.
struct CollectionResult {
    stats: SearchStats,
    groups: Vec<InputGroup>,
    /// Pairs that were ranked.
    listed: u64,
    best: Option<Score>,
}

/// The groups of an earlier run among the inputs.
pub(super) fn earlier(
    before: Option<&Before>,
    name: &str,
    collection: &Collection,
    events: &mut Events<'_>,
) -> Result<Earlier, job::Error> {
    let Some(before) = before else { return Ok(Earlier::default()) };
    let (groups, members) = before.of(name, collection);
    if members > 0 {
        events(Event::Missing { algorithm: name, members }).map_err(job::Error::Sink)?;
    }
    Ok(groups)
}

/// Hands out the pairs of a collection, and finds the groups that they link together.
fn one(
    (request, grouping): (&Request, Option<Grouping>),
    search: &Search,
    (collection, features, beside): (&Collection, Option<pfh_pairs::Features>, Option<FeatureFile>),
    watching: &mut Watching<'_>,
) -> Result<CollectionResult, Failure> {
    let (algorithm, tell) = (collection.algorithm(), watching.tell);
    let least = Search::default_shared(algorithm);
    let certain = beside.map(|beside| beside.certain(collection, least, watching)).transpose()?;
    let mut taking = Taking { certain, ..Taking::new((request, grouping), search, collection, tell) };
    let found = search.run_with(collection, features, watching, &mut |pair| taking.take(&pair));
    let mut stats = match (found, taking.spill.take()) {
        (Err(_), Some(error)) => return Err(Failure::Spill(error)),
        (found, _) => found?,
    };
    let pairs = stats.pairs;
    let listed = taking.hand_out(&mut |done| {
        let stops = done.is_multiple_of(STEP) && watching.progress(done, pairs).is_break();
        if stops { Err(Failure::Interrupted) } else { Ok(()) }
    })?;
    if taking.saturated > 0 {
        let listed = request.lists_saturated();
        watching.tell(Event::Saturated { algorithm, pairs: taking.saturated, listed });
        stats.pairs -= if listed { 0 } else { taking.saturated };
    }
    let groups = taking.groups.map(Grouping::groups).unwrap_or_default();
    Ok(CollectionResult { stats, groups, listed, best: taking.best })
}

/// Takes the pairs of a collection, and hands them out at once or ranks them.
struct Taking<'a> {
    request: &'a Request,
    collection: &'a Collection,
    tell: &'a Tell<'a>,
    groups: Option<Grouping>,
    ranking: Option<Ranking>,
    /// Pairs with a saturated digest that share features for certain.
    certain: Option<Certain>,
    /// Why the ranking could not take a pair.
    spill: Option<io::Error>,
    /// Pairs with a saturated digest.
    saturated: u64,
    best: Option<Score>,
}

impl<'a> Taking<'a> {
    fn new(
        (request, groups): (&'a Request, Option<Grouping>),
        search: &Search,
        collection: &'a Collection,
        tell: &'a Tell<'a>,
    ) -> Taking<'a> {
        let by = request.sort.unwrap_or(By::Score);
        let ranked = request.is_ranked() || request.is_linked_completely();
        let ranking = ranked.then(|| Ranking::new(by, request.top, search.order, &collection.names(), search.memory));
        Taking { request, collection, tell, groups, ranking, certain: None, spill: None, saturated: 0, best: None }
    }

    fn take(&mut self, pair: &pfh_pairs::Pair) -> io::Result<()> {
        let mut pair = *pair;
        // Equal digests are alike, saturated or not, and so are those with features in common.
        if pair.degenerate == Some(Degenerate::Saturated) && !self.collection.equal(pair.a, pair.b) {
            let certain = self.certain.as_mut().map(|certain| certain.shared(pair.a, pair.b)).transpose()?.flatten();
            self.saturated += u64::from(certain.is_none());
            if certain.is_none() && !self.request.lists_saturated() {
                return Ok(());
            }
            pair.evidence.shared_features = pair.evidence.shared_features.or(certain);
        }
        let pair = &pair;
        if self.best.is_none_or(|best| pair.score.reaches(best)) {
            self.best = Some(pair.score);
        }
        let complete = self.request.is_linked_completely();
        if let (Some(groups), false) = (&mut self.groups, complete) {
            groups.take(pair.a, pair.b, pair.score);
        }
        if self.request.page.is_some() {
            (self.tell)(Event::Found(&row(self.collection, pair)))?;
        }
        match &mut self.ranking {
            _ if self.request.cluster && !complete => Ok(()),
            None => (self.tell)(Event::Pair(&row(self.collection, pair))),
            Some(ranking) => ranking.push(pair).map_err(|error| {
                let kind = error.kind();
                self.spill = Some(error);
                kind.into()
            }),
        }
    }

    /// Hands out the ranked pairs, or makes groups of them, and gives the number of those that are
    /// results. `step` is asked before each pair with its number from 1.
    fn hand_out(&mut self, step: &mut dyn FnMut(u64) -> Result<(), Failure>) -> Result<u64, Failure> {
        let Some(ranking) = self.ranking.take() else { return Ok(0) };
        let mut done = 0;
        let listed = ranking.hand_out(&mut |pair| {
            done += 1;
            step(done)?;
            if let (Some(groups), true) = (&mut self.groups, self.request.cluster) {
                groups.take(pair.a, pair.b, pair.score);
                return Ok(());
            }
            (self.tell)(Event::Pair(&row(self.collection, &pair))).map_err(Failure::Output)
        })?;
        Ok(if self.request.cluster { 0 } else { listed })
    }
}

/// A pair with its names.
fn row<'a>(collection: &'a Collection, pair: &pfh_pairs::Pair) -> Pair<'a> {
    let smaller = collection.size(pair.a).zip(collection.size(pair.b)).map(|(a, b)| a.min(b));
    let method = MethodName::of(collection.algorithm());
    Pair {
        chance: method.and_then(|method| Chance::of(method, None, smaller, pair.score)),
        a: collection.name(pair.a),
        b: collection.name(pair.b),
        places: [pair.a, pair.b],
        algorithm: collection.algorithm(),
        asked: collection.shown_as(),
        score: pair.score,
        evidence: pair.evidence,
        degenerate: pair.degenerate,
        collection,
    }
}

pub(super) type Tell<'a> = dyn Fn(Event<'_>) -> io::Result<()> + 'a;

/// Reports how far a search is and what will take long, and ends it when the caller asks for that.
pub(super) struct Watching<'a> {
    control: &'a Control<'a>,
    tell: &'a Tell<'a>,
    algorithm: Algorithm,
    /// Whether groups are found without all of their pairs.
    whole: bool,
    costly: bool,
    /// Why an event was refused.
    pub(super) refused: Option<io::Error>,
}

impl<'a> Watching<'a> {
    pub(super) fn new(control: &'a Control<'a>, tell: &'a Tell<'a>, algorithm: Algorithm) -> Watching<'a> {
        Watching { control, tell, algorithm, whole: false, costly: false, refused: None }
    }

    fn tell(&mut self, event: Event<'_>) {
        if let Err(error) = (self.tell)(event) {
            self.refused = Some(error);
        }
    }
}

impl Watch for Watching<'_> {
    fn progress(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        let total = (all > 0).then_some(all);
        self.control.report(&Progress::Steps { phase: Phase::Comparing, done, total });
        let ends = self.control.is_cancelled() || self.refused.is_some();
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn hot(&mut self, hottest: &[Hot]) {
        if self.costly || self.whole {
            return;
        }
        if let Some(hot) = hottest.first().filter(|hot| hot.digests >= VERY_HOT) {
            self.costly = true;
            self.tell(Event::Costly(self.algorithm, hot));
        }
    }
}
