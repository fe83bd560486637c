//! From collections to the output.

use super::listing::{Listing, write_groups};
use super::{Collection, Error, Event, Failure, Hot, Request, SearchStats, Searched, Sink, Watch};
use pfh_digest::Algorithm;
use pfh_engine::{Control, Phase, Progress};
use pfh_report::pairs::{self, page};
use pfh_similarity::Score;
use pfh_source::Output;
use std::io;
use std::ops::ControlFlow;

/// Something that this many digests have in common is reported before they are compared.
const VERY_HOT: u64 = 5_000;

/// Pairs that are written between two looks at the control.
const STEP: u64 = 1 << 12;

/// What is to be written, and where.
pub struct Report<'a> {
    pub request: &'a Request,
    pub output: Output,
}

/// What was written of one collection.
struct Written {
    found: SearchStats,
    best: Option<Score>,
    /// Groups, or pairs if not all are listed.
    written: u64,
}

impl Report<'_> {
    /// Searches the collections one after the other and writes what is found; gives the number of
    /// pairs, and of those that were scored.
    pub fn write(
        mut self,
        collections: &mut [Collection],
        sink: &mut Sink<'_>,
        control: &Control<'_>,
    ) -> Result<(u64, u64), Error> {
        let request = self.request;
        let mut page = request.page.is_some().then(page::Page::new);
        let (mut total, mut scored) = (0, 0);
        if request.cluster {
            pairs::cluster_head(request.form, self.output.room());
        } else {
            pairs::head(request.form, self.output.room());
        }
        for collection in collections {
            let algorithm = collection.algorithm();
            if collection.without() > 0 {
                sink(Event::Without(algorithm, collection.without())).map_err(Error::Sink)?;
            }
            let whole = request.cluster && page.is_none();
            let mut watching = Watching { control, sink, algorithm, whole, costly: false, refused: None };
            let written = self.one(collection, &mut watching, page.as_mut());
            let (costly, refused) = (watching.costly, watching.refused.take());
            if let Some(error) = refused {
                return Err(Error::Sink(error));
            }
            let Written { found, best, written } = written.inspect_err(|_| {
                // What is complete goes out; the failure itself is what counts.
                let _ = io::Write::flush(&mut self.output);
            })?;
            let digests = collection.len() as u64;
            let searched = Searched { algorithm, digests, found: &found, written, best, costly };
            sink(Event::Searched(&searched)).map_err(Error::Sink)?;
            total += found.pairs;
            scored += found.compared;
        }
        self.output.commit().map_err(Error::Sink)?;
        write_page(request, page)?;
        Ok((total, scored))
    }

    /// Writes the pairs or the groups of one collection.
    fn one(
        &mut self,
        collection: &mut Collection,
        watching: &mut Watching<'_>,
        page: Option<&mut page::Page>,
    ) -> Result<Written, Failure> {
        let request = self.request;
        let search = request.search(collection);
        if request.cluster
            && page.is_none()
            && let Some(found) = search.groups(collection, watching)
        {
            let (found, groups) = found?;
            let written = write_groups(request.form, &mut self.output, collection, &groups.groups())?;
            return Ok(Written { found, best: None, written });
        }
        let features = collection.features.take();
        let collection = &*collection;
        let mut listing = Listing::new(request, collection, &search, &mut self.output, page);
        let found = search.run_with(collection, features, watching, &mut |pair| listing.take(pair));
        let mut found = listing.outcome(found)?;
        let pairs = found.pairs;
        let ranked = listing.write_ranked(&mut |done| {
            let stops = done.is_multiple_of(STEP) && watching.progress(done, pairs).is_break();
            if stops { Err(Failure::Interrupted) } else { Ok(()) }
        })?;
        let (saturated, best) = (listing.saturated, listing.best);
        if saturated > 0 {
            let listed = request.lists_saturated();
            watching.tell(Event::Saturated { algorithm: collection.algorithm(), pairs: saturated, listed });
            found.pairs -= if listed { 0 } else { saturated };
        }
        let groups = listing.end()?;
        Ok(Written { found, best, written: if request.cluster { groups } else { ranked } })
    }
}

fn write_page(request: &Request, page: Option<page::Page>) -> Result<(), Error> {
    let (Some(page), Some(path)) = (page, &request.page) else { return Ok(()) };
    let written = Output::file(path).and_then(|mut file| {
        page.render(file.room());
        file.commit()
    });
    written.map_err(|error| Error::Page { path: path.clone(), error })
}

/// Reports how far a search is and what will take long, and ends it when the caller asks for that.
pub struct Watching<'a> {
    pub control: &'a Control<'a>,
    pub sink: &'a mut Sink<'a>,
    pub algorithm: Algorithm,
    /// Whether groups are found without all of their pairs.
    pub whole: bool,
    pub costly: bool,
    /// Why the sink refused an event.
    pub refused: Option<io::Error>,
}

impl Watching<'_> {
    /// Gives an event to the sink.
    pub fn tell(&mut self, event: Event<'_>) {
        if let Err(error) = (self.sink)(event) {
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
