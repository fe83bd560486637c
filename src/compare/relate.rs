//! All methods at once: a row for each pair that one of them finds, with the results of all of
//! them.

use super::documents::{Documents, Place};
use super::event::{AUTO, Event, Events, Group, InputRelation, Relating, Relation, RelationSummary};
use super::find::{Counts, Tell, Watching, earlier};
use super::gather::Inputs;
use super::grouping::{Before, Grouping};
use super::request::Request;
use crate::job;
use pfh_container::named;
use pfh_digest::Algorithm;
use pfh_engine::Control;
use pfh_pairs::{By, Collection, Failure, Finding, Kin, PairScores, Relations, Search, SearchStats, Templates};
use pfh_similarity::chance::Kind;
use pfh_similarity::shingles::LEAST_SHARED;
use pfh_similarity::{Chance, Degenerate, Evidence, MethodName, Score};
use std::cell::RefCell;

/// The collection with a digest of each input: its places are the inputs' numbers.
const WHOLE: usize = 0;
/// From this share of a program's windows on, or from this many bytes on, two programs are related
/// by their bytes: all programs that one compiler links begin and end alike.
const LINKED: (Score, u64) = (Score::Similarity(50), 16 << 10);
/// The distance of TLSH up to which two programs are alike: beyond it are programs of one compiler.
const COMPILED: Score = Score::Distance(40);
/// From this share of its windows on an input is said to be in another one.
const HELD: u8 = 80;

/// Searches all collections and hands out the rows, the closest first.
pub fn search(
    (request, before): (&Request, Option<&Before>),
    collections: &mut [Collection],
    (inputs, documents): (&Inputs, &mut Documents),
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<Counts, job::Error> {
    let earlier = earlier(before, AUTO, &collections[WHOLE], events)?;
    let files = collections[WHOLE].len() as u64;
    let algorithms = collections.iter().map(Collection::algorithm).collect();
    let relating = Relating { files, algorithms };
    events(Event::Relating(&relating)).map_err(job::Error::Sink)?;
    let events = RefCell::new(events);
    let tell = |event: Event<'_>| (*events.borrow_mut())(event);
    let mut relations = Relations::new(request.memory / 2);
    let (mut counts, mut common, mut templates) = (Counts::default(), Vec::new(), None);
    let contents = documents.collection.take_features();
    for (number, collection) in collections.iter_mut().enumerate() {
        let features = collection.take_features();
        collection.keep_apart(|place| documents.place(inputs.of(number, place)) == Place::Member);
        let collection = &*collection;
        if collection.without() > 0 {
            tell(Event::Without(collection.algorithm(), collection.without())).map_err(job::Error::Sink)?;
        }
        if collection.unread() > 0 && MethodName::of(collection.algorithm()) == Some(MethodName::Pdq) {
            tell(Event::OtherPictures(collection.unread())).map_err(job::Error::Sink)?;
        }
        let mut watching = Watching::new(control, &tell, collection.algorithm());
        let among = (inputs, &*documents);
        let found = find(request, (number, collection), features, among, &mut relations, &mut watching);
        if let Some(error) = watching.refused.take() {
            return Err(job::Error::Sink(error));
        }
        let (found, saturated) = found?;
        if saturated > 0 {
            let (algorithm, listed) = (collection.algorithm(), request.saturated);
            tell(Event::Saturated { algorithm, pairs: saturated, listed }).map_err(job::Error::Sink)?;
        }
        counts.scored += found.compared;
        if is_shingles(collection) {
            templates = Some((number, found.templates));
        }
        if found.common > 0 {
            common.push((collection.algorithm(), found.common));
        }
    }
    let mut watching = Watching::new(control, &tell, documents.collection.algorithm());
    let found = find_documents(request, documents, contents, &mut relations, &mut watching);
    if let Some(error) = watching.refused.take() {
        return Err(job::Error::Sink(error));
    }
    counts.scored += found?.compared;
    let documents = &*documents;
    let mut rows = Rows { request, collections, inputs, documents, tell: &tell, groups: None, listed: 0 };
    let grouping = || Grouping::new(request, &rows.collections[WHOLE], &earlier);
    rows.groups = (request.cluster || request.page.is_some()).then(grouping);
    let least = request.thresholds.of(documents.collection.algorithm());
    let mut explained = Explainer { request, collections, inputs, templates, least };
    counts.pairs = rows.hand_out(relations, &mut |both| !explained.is(both), control)?;
    let groups = rows.groups.take().map(Grouping::groups).unwrap_or_default();
    let collection = &collections[WHOLE];
    let mut listed = rows.listed;
    if request.cluster {
        listed = groups.len() as u64;
        for group in &groups {
            tell(Event::Group(&Group::of(None, group, collection))).map_err(job::Error::Sink)?;
        }
    }
    let (pairs, groups) = (counts.pairs, &groups);
    let members = documents.members();
    let closed = if request.input.is_inside() { 0 } else { closed(collection, documents) };
    let opened = if request.input.is_inside() { 0 } else { documents.count() };
    let common = &common;
    let ended =
        RelationSummary { relating: &relating, pairs, listed, members, opened, closed, common, groups, collection };
    tell(Event::AllRelated(&ended)).map_err(job::Error::Sink)?;
    Ok(counts)
}

/// How many names promise a document or an archive that was not opened. In their outer forms
/// templates are alike, and equal contents are not.
fn closed(collection: &Collection, documents: &Documents) -> u64 {
    let is_closed = |name: &[u8]| named::by_name(name).is_some() || named::is_document(name);
    let left = |place: &u32| is_closed(collection.name(*place)) && documents.place(*place) == Place::Outside;
    (0..collection.len() as u32).filter(left).count() as u64
}

/// Takes the pairs that one method finds; also says how many pairs have a saturated digest and are
/// not equal.
fn find(
    request: &Request,
    (number, collection): (usize, &Collection),
    features: Option<pfh_pairs::Features>,
    (inputs, documents): (&Inputs, &Documents),
    relations: &mut Relations,
    watching: &mut Watching<'_>,
) -> Result<(SearchStats, u64), job::Error> {
    let method = MethodName::of(collection.algorithm());
    let least = request.thresholds.of(collection.algorithm());
    // Shared parts are reported of all pairs that another method finds.
    let threshold =
        if method.is_some_and(|method| method.profile().is_features) { Score::Similarity(1) } else { least };
    let search = Search { threshold, memory: request.memory / 4, ..request.search(collection) };
    let is_given = request.thresholds.is_given(collection.algorithm());
    let mut saturated = 0;
    let found = search.run_with(collection, features, watching, &mut |pair| {
        let [a, b] = [pair.a, pair.b].map(|place| inputs.of(number, place));
        // Two segments of one input, or members that their documents are compared by.
        let [in_a, in_b] = [a, b].map(|input| documents.place(input));
        if a == b || (in_a, in_b) == (Place::Member, Place::Member) {
            return Ok(());
        }
        // Compressed bytes say little of documents, where those inside can be compared.
        let by_content = number != WHOLE && documents.hide([a, b]);
        if pair.degenerate == Some(Degenerate::Saturated) && !collection.equal(pair.a, pair.b) {
            saturated += 1;
            if !request.saturated {
                return Ok(());
            }
        }
        let by_compiler = !is_given
            && match method {
                Some(MethodName::Shingles) => {
                    !pair.score.reaches(LINKED.0) && pair.evidence.shared_bytes.is_none_or(|bytes| bytes < LINKED.1)
                }
                Some(MethodName::Tlsh) => !pair.score.reaches(COMPILED),
                _ => false,
            }
            && [a, b].iter().all(|input| inputs.has(MethodName::Strings, *input));
        // Bytes of pictures are compressed: equal ones that say more than tables do are among the
        // shared windows.
        let by_tables = !is_given
            && matches!(method, Some(MethodName::Ssdeep | MethodName::Sdhash | MethodName::MrshV2 | MethodName::Tlsh))
            && [a, b].iter().all(|input| inputs.has(MethodName::Pdq, *input));
        let alike = pair.score.reaches(least) && !by_content && !by_compiler && !by_tables;
        // Shared strings and words do not count as shared bytes.
        let kin = method.and_then(kin).map(|kin| (kin, pair.score.number() as u8));
        let mut evidence = if kin.is_some() { Evidence::default() } else { pair.evidence };
        if by_content {
            evidence.weighted = None;
        }
        let whole = !is_given
            && matches!(method, Some(MethodName::Ssdeep | MethodName::Sdhash | MethodName::MrshV2 | MethodName::Tlsh));
        relations.push(&Finding { inputs: [a, b], alike, whole, evidence, kin, degenerate: pair.degenerate })
    });
    Ok((found?, saturated))
}

/// Takes the parts that documents share by their members together.
fn find_documents(
    request: &Request,
    documents: &Documents,
    contents: Option<pfh_pairs::Features>,
    relations: &mut Relations,
    watching: &mut Watching<'_>,
) -> Result<SearchStats, Failure> {
    let collection = &documents.collection;
    let least = |packages| request.thresholds.of_documents(collection.algorithm(), packages);
    let least = [least(false), least(true)];
    let search = Search { threshold: Score::Similarity(1), memory: request.memory / 4, ..request.search(collection) };
    search.run_with(collection, contents, watching, &mut |pair| {
        let inputs = [pair.a, pair.b].map(|place| documents.input(place));
        let packages = [pair.a, pair.b].iter().all(|place| named::is_package(collection.name(*place)));
        let (alike, evidence) = (pair.score.reaches(least[usize::from(packages)]), pair.evidence);
        relations.push(&Finding { inputs, alike, whole: false, evidence, kin: None, degenerate: None })
    })
}

fn is_shingles(collection: &Collection) -> bool {
    MethodName::of(collection.algorithm()) == Some(MethodName::Shingles)
}

/// Which of the methods for one kind of file it is.
fn kin(method: MethodName) -> Option<Kin> {
    match method {
        MethodName::Strings => Some(Kin::Strings),
        MethodName::Text => Some(Kin::Text),
        MethodName::Cells => Some(Kin::Cells),
        _ => None,
    }
}

/// Explains why two files are alike by their digests that have little in common.
struct Explainer<'a> {
    request: &'a Request,
    collections: &'a [Collection],
    inputs: &'a Inputs,
    /// The number of the collection of shingles, and which hold windows of templates.
    templates: Option<(usize, Templates)>,
    /// The share of windows from which on two are related.
    least: Score,
}

impl Explainer<'_> {
    /// Whether they have in common what many files hold, or what programs write into every file; or
    /// no bytes at all, where digests of parts alone are alike: those of plain files have many of
    /// their bits set.
    fn is(&mut self, both: &PairScores) -> bool {
        if self.request.saturated && both.degenerate == Some(Degenerate::Saturated) {
            return false;
        }
        let least = self.least;
        let reach = |shares: [u8; 2]| shares.iter().any(|share| Score::Similarity(*share).reaches(least));
        if reach(both.weighted) {
            return false;
        }
        let Some((number, templates)) = &mut self.templates else { return false };
        let [Some(a), Some(b)] = both.inputs.map(|input| self.inputs.place(*number, input)) else { return false };
        reach(both.contained) || templates.common(a, b) >= LEAST_SHARED || !self.by_whole(both)
    }

    /// Whether digests of their whole contents are alike.
    fn by_whole(&self, both: &PairScores) -> bool {
        let is_alike = |(number, collection): (usize, &Collection)| {
            let is_whole =
                matches!(MethodName::of(collection.algorithm()), Some(MethodName::Ssdeep | MethodName::Tlsh));
            let places = both.inputs.map(|input| self.inputs.place(number, input));
            let [Some(a), Some(b)] = places else { return false };
            let least = self.request.thresholds.of(collection.algorithm());
            is_whole && collection.score(a, b).is_some_and(|score| score.reaches(least))
        };
        self.collections.iter().enumerate().any(is_alike)
    }
}

struct Rows<'a> {
    request: &'a Request,
    collections: &'a [Collection],
    inputs: &'a Inputs,
    documents: &'a Documents,
    tell: &'a Tell<'a>,
    groups: Option<Grouping>,
    listed: u64,
}

impl Rows<'_> {
    fn hand_out(
        &mut self,
        relations: Relations,
        stands: &mut dyn FnMut(&PairScores) -> bool,
        control: &Control<'_>,
    ) -> Result<u64, job::Error> {
        let (request, collections, among) = (self.request, self.collections, (self.inputs, self.documents));
        let mut rank = |both: &PairScores| {
            let row = related(request, collections, among, both);
            (row.relation as u16) << 7 | u16::from(100 - row.score.min(100))
        };
        // A page and groups are of all pairs, however few are listed.
        let all = self.groups.is_some();
        let top = if all { None } else { self.request.top };
        let mut ordered = Vec::new();
        let by_path = self.request.sort == Some(By::Path);
        let pairs = relations.hand_out(&mut rank, stands, top, &mut |both| {
            if control.is_cancelled() {
                return Err(Failure::Interrupted);
            }
            // The best ones are listed, in whichever order.
            let listed = !self.request.cluster && self.request.top.is_none_or(|top| self.listed < top);
            self.listed += u64::from(listed);
            if by_path {
                ordered.push((both, listed));
                return Ok(());
            }
            self.row(&both, listed)
        })?;
        if by_path {
            let name = |number: u32| collections[WHOLE].name(number);
            ordered.sort_by(|(x, _), (y, _)| x.inputs.map(name).cmp(&y.inputs.map(name)));
            ordered.iter().try_for_each(|(both, listed)| self.row(both, *listed))?;
        }
        Ok(pairs)
    }

    fn row(&mut self, both: &PairScores, listed: bool) -> Result<(), Failure> {
        let mut row = related(self.request, self.collections, (self.inputs, self.documents), both);
        if let Some(groups) = &mut self.groups {
            groups.take(both.inputs[0], both.inputs[1], Score::Similarity(row.score));
        }
        row.listed = listed;
        (self.tell)(Event::Related(&row)).map_err(Failure::Output)
    }
}

/// The results of all methods for two inputs.
fn related<'a>(
    request: &Request,
    collections: &'a [Collection],
    (inputs, documents): (&Inputs, &Documents),
    both: &PairScores,
) -> InputRelation<'a> {
    let [a, b] = both.inputs;
    let whole = &collections[WHOLE];
    // Digests of two outer forms say nothing of the contents that were compared.
    let by_content = !whole.equal(a, b) && documents.hide(both.inputs);
    let mut row = InputRelation {
        a: whole.name(a),
        b: whole.name(b),
        places: both.inputs,
        relation: Relation::Alike,
        score: 0,
        shared_bytes: None,
        contained: None,
        scores: Vec::with_capacity(collections.len()),
        chance: None,
        degenerate: both.degenerate,
        listed: true,
    };
    // Headers and tables that two pictures share say less than their contents.
    let mut by_pdq = false;
    let (mut best, mut by_kind) = (0, both.kin.into_iter().max().unwrap_or(0));
    for (number, collection) in collections.iter().enumerate().skip(WHOLE + 1) {
        let places = both.inputs.map(|input| inputs.place(number, input));
        let [Some(a), Some(b)] = places else { continue };
        let method = MethodName::of(collection.algorithm());
        if collection.is_packed(a) || collection.is_packed(b) {
            row.degenerate = row.degenerate.or(Some(Degenerate::Packed));
        }
        let by_kin = method.and_then(kin).map(|kin| Score::Similarity(both.kin[kin as usize]));
        match by_kin.or_else(|| collection.score(a, b)) {
            Some(_) if by_content => {}
            Some(score) => {
                row.scores.push((collection.algorithm(), score));
                let least = request.thresholds.of(collection.algorithm());
                let points = match score {
                    // A number of places: from six on no strangers' pictures have as many.
                    // Of whole pictures PDQ says more.
                    Score::Similarity(_) if method == Some(MethodName::Crops) && (by_pdq || !score.reaches(least)) => 0,
                    Score::Similarity(places) if method == Some(MethodName::Crops) => 100 - 100 / (places / 2).max(1),
                    Score::Similarity(score) => score,
                    // Fits: at most 99.
                    Score::Distance(distance) => 100u32.saturating_sub(distance.max(1)) as u8,
                };
                best = best.max(points);
                by_pdq |= method == Some(MethodName::Pdq) && score.reaches(least);
                if matches!(method, Some(MethodName::Pdq | MethodName::Crops)) && score.reaches(least) {
                    by_kind = by_kind.max(points);
                }
            }
            None => (row.shared_bytes, row.contained) = (Some(both.shared_bytes), Some(both.contained)),
        }
    }
    let [a_in_b, b_in_a] = both.weighted;
    // Where all chosen windows are shared, others differ.
    let share = a_in_b.max(b_in_a).min(99);
    (row.relation, row.score) = if whole.equal(a, b) {
        (Relation::Equal, 100)
    } else if a_in_b.min(b_in_a) >= HELD {
        (Relation::NearlyEqual, share)
    } else if share >= HELD {
        (if a_in_b > b_in_a { Relation::AInB } else { Relation::BInA }, share)
    } else if share > 0 && share >= by_kind {
        (Relation::Shares, share)
    } else {
        (Relation::Alike, best.min(99))
    };
    if row.relation == Relation::Alike {
        row.chance = chance(collections, inputs, both, &row.scores);
    }
    row
}

/// How often unrelated files are so much alike by any of the methods.
fn chance(
    collections: &[Collection],
    inputs: &Inputs,
    both: &PairScores,
    scores: &[(Algorithm, Score)],
) -> Option<Chance> {
    let kinds = both.inputs.map(|input| match () {
        () if inputs.has(MethodName::Strings, input) => Kind::Program,
        () if inputs.has(MethodName::Text, input) => Kind::Text,
        () if inputs.has(MethodName::Pdq, input) => Kind::Picture,
        () => Kind::Other,
    });
    let [a, b] = both.inputs.map(|input| collections[WHOLE].size(input));
    let smaller = a.zip(b).map(|(a, b)| a.min(b));
    let chances = scores
        .iter()
        .filter_map(|(algorithm, score)| Chance::of(MethodName::of(*algorithm)?, Some(kinds), smaller, *score));
    let chances: Vec<Chance> = chances.collect();
    let rarest = chances.iter().max_by_key(|chance| (chance.once_in, chance.is_bound))?;
    Some(rarest.of_several(chances.len() as u64))
}
