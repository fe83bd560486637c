//! The pairs of one algorithm, as they are written.

use super::{Collection, Failure, Pair, Ranking, Request, Search, SearchStats};
use pfh_digest::Algorithm;
use pfh_report::pairs::{self, Format, page};
use pfh_similarity::index::Clusters;
use pfh_similarity::{Degenerate, Named, Score};
use pfh_source::Output;
use std::io;

/// Takes the pairs of a collection, and writes them at once or ranks them.
pub struct Listing<'a> {
    request: &'a Request,
    algorithm: Algorithm,
    collection: &'a Collection,
    output: &'a mut Output,
    page: Option<&'a mut page::Page>,
    groups: Option<Clusters>,
    ranking: Option<Ranking>,
    /// Why the ranking could not take a pair.
    spill: Option<io::Error>,
    /// Pairs with a saturated digest.
    pub saturated: u64,
    /// The best score.
    pub best: Option<Score>,
}

impl<'a> Listing<'a> {
    /// No pair yet.
    pub fn new(
        request: &'a Request,
        collection: &'a Collection,
        search: &Search,
        output: &'a mut Output,
        mut page: Option<&'a mut page::Page>,
    ) -> Self {
        let algorithm = collection.algorithm();
        if let Some(page) = &mut page {
            let scale = page::Scale {
                distance: matches!(search.threshold, Score::Distance(_)),
                threshold: Some(search.threshold),
                digests: Some(collection.len() as u64),
            };
            page.begin(algorithm.name(), scale);
        }
        let groups = (request.cluster || page.is_some()).then(|| Clusters::new(collection.len() as u32));
        let by = request.sort.unwrap_or(super::By::Score);
        let ranking = request
            .is_ranked()
            .then(|| Ranking::new(by, request.top, search.order, &collection.names(), search.memory));
        Listing { request, algorithm, collection, output, page, groups, ranking, spill: None, saturated: 0, best: None }
    }

    /// Takes a pair.
    pub fn take(&mut self, pair: Pair) -> io::Result<()> {
        if pair.degenerate == Some(Degenerate::Saturated) {
            self.saturated += 1;
            if !self.request.lists_saturated() {
                return Ok(());
            }
        }
        if self.best.is_none_or(|best| pair.score.reaches(best)) {
            self.best = Some(pair.score);
        }
        if let Some(groups) = &mut self.groups {
            groups.join(pair.a, pair.b);
        }
        if let Some(page) = &mut self.page {
            page.pair(pair.a, pair.b, pair.score, pair.evidence, pair.degenerate);
        }
        match &mut self.ranking {
            _ if self.request.cluster => Ok(()),
            None => self.write(pair),
            Some(ranking) => ranking.push(&pair).map_err(|error| {
                let kind = error.kind();
                self.spill = Some(error);
                kind.into()
            }),
        }
    }

    fn write(&mut self, pair: Pair) -> io::Result<()> {
        let (a, b) = (self.collection.name(pair.a), self.collection.name(pair.b));
        let texts = match self.request.form {
            Format::Values => [pair.a, pair.b].map(|place| self.collection.text(place)),
            _ => Default::default(),
        };
        let Pair { score, evidence, degenerate, .. } = pair;
        let form = self.request.form;
        // With parity the text is the tool's own, which has no marks.
        let degenerate = degenerate.filter(|_| !self.request.parity || form != Format::Text);
        let mut algorithm = self.algorithm;
        let mut score = score;
        if form == Format::Text && self.collection.shown_as() != algorithm {
            // One text has one form; TLSH counts what differs.
            algorithm = self.collection.shown_as();
            if Named::of(algorithm) == Some(Named::Tlsh) {
                score = Score::Distance(0);
            }
        }
        let pair = pairs::Pair { a, b, algorithm, score, evidence, degenerate, values: [&texts[0], &texts[1]] };
        pairs::pair(form, self.output.room(), &pair);
        self.output.advance()
    }

    /// What the search came to; a failure of the ranking in place of that of whoever took the pair.
    pub fn outcome(&mut self, found: Result<SearchStats, Failure>) -> Result<SearchStats, Failure> {
        match (found, self.spill.take()) {
            (Err(_), Some(error)) => Err(Failure::Spill(error)),
            (found, _) => found,
        }
    }

    /// Writes the ranked pairs, and gives their number. `step` is asked before each pair with the
    /// number of those before it.
    pub fn write_ranked(&mut self, step: &mut dyn FnMut(u64) -> Result<(), Failure>) -> Result<u64, Failure> {
        let Some(ranking) = self.ranking.take() else { return Ok(0) };
        let mut done = 0;
        ranking.hand_out(&mut |pair| {
            done += 1;
            step(done)?;
            self.write(pair).map_err(Failure::Output)
        })
    }

    /// Writes the groups if they are asked for, ends the page, and gives the number of groups
    /// written.
    pub fn end(self) -> Result<u64, Failure> {
        let groups = self.groups.map(Clusters::groups).unwrap_or_default();
        let mut written = 0;
        if self.request.cluster {
            written = write_groups(self.request.form, self.output, self.collection, &groups)?;
        }
        if let Some(page) = self.page {
            let collection = self.collection;
            page.end(&groups, |place| page::Member { name: collection.name(place), size: collection.size(place) });
        }
        Ok(written)
    }
}

/// Writes groups, and gives their number.
pub fn write_groups(
    form: Format,
    output: &mut Output,
    collection: &Collection,
    groups: &[Vec<u32>],
) -> Result<u64, Failure> {
    for (number, group) in groups.iter().enumerate() {
        let members = group.iter().map(|&place| collection.name(place));
        pairs::cluster(form, output.room(), collection.algorithm().name(), number as u64 + 1, members);
        output.advance().map_err(Failure::Output)?;
    }
    Ok(groups.len() as u64)
}
