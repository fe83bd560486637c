//! From a collection to its pairs.

use crate::collection::{Collection, Digests, Features};
use crate::join;
use crate::pair::{Failure, Hot, Pair, PairOrder, Search, SearchStats, Watcher};
use crate::sorter::Sorter;
use crate::turned;
use pfh_digest::Algorithm;
use pfh_similarity::index::{self, Clusters, Filters, Hit, Pairs, Ranges, Report, Share, Visitor};
use pfh_similarity::mrsh_v2::Base;
use pfh_similarity::{Evidence, MethodName, Score};
use std::io;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

impl Search {
    /// Hands out every pair. Those of a collection with features share at least one feature, and
    /// say how many.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn run(
        &self,
        collection: &mut Collection,
        watch: Watcher<'_>,
        emit: &mut dyn FnMut(Pair) -> io::Result<()>,
    ) -> Result<SearchStats, Failure> {
        let features = collection.take_features();
        self.run_with(collection, features, watch, emit)
    }

    /// The same, with the features that were taken out of the collection.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn run_with(
        &self,
        collection: &Collection,
        features: Option<Features>,
        watch: Watcher<'_>,
        emit: &mut dyn FnMut(Pair) -> io::Result<()>,
    ) -> Result<SearchStats, Failure> {
        if let Some(Features(features)) = features {
            return join::run(self, collection, features, Share::WHOLE, watch, emit);
        }
        self.run_share(collection, Share::WHOLE, watch, emit)
    }

    /// Hands out the pairs of a share of the search, with or without features in the collection.
    /// All shares together hand out each pair once, so that several processes compare one
    /// collection.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn run_share(
        &self,
        collection: &Collection,
        share: Share,
        watch: Watcher<'_>,
        emit: &mut dyn FnMut(Pair) -> io::Result<()>,
    ) -> Result<SearchStats, Failure> {
        if let Digests::Shingles(digests) = &collection.digests {
            return join::run_windows(self, (collection, digests), share, watch, emit);
        }
        let mut gathered =
            GatheredPairs { sorter: Mutex::new(Sorter::new(self.memory / 2)), order: self.order, error: None, watch };
        let report = match self.visit(collection, share, &mut gathered) {
            ControlFlow::Continue(report) => report,
            ControlFlow::Break(()) => return Err(gathered.error.map_or(Failure::Interrupted, Failure::Spill)),
        };
        let sorter = gathered.sorter.into_inner().unwrap_or_else(PoisonError::into_inner);
        let spilled = sorter.spilled();
        let mut found = SearchStats {
            compared: report.compared,
            passes: report.passes,
            spilled,
            hottest: report.hottest.iter().map(hot).collect(),
            ..SearchStats::default()
        };
        for packed in sorter.sorted().map_err(Failure::Spill)? {
            let pair = unpack(packed.map_err(Failure::Spill)?, self.order, self.threshold);
            let degenerate = collection.degenerate(pair.a).max(collection.degenerate(pair.b));
            emit(Pair { degenerate, ..pair }).map_err(Failure::Output)?;
            found.pairs += 1;
        }
        Ok(found)
    }

    /// The groups that the pairs link together, where they can be found without all of the pairs
    /// (ssdeep); `None` elsewhere. Pairs are not counted then.
    ///
    /// # Errors
    /// See [`Failure`].
    pub fn groups(
        &self,
        collection: &Collection,
        watch: Watcher<'_>,
    ) -> Option<Result<(SearchStats, Clusters), Failure>> {
        let (Digests::Ssdeep(digests), Score::Similarity(least)) = (&collection.digests, self.threshold) else {
            return None;
        };
        let pairs = collection.split.map_or(Pairs::All, Pairs::Across);
        Some(match index::ssdeep_groups(digests, pairs, least, self.memory, &mut ReportRelay(watch)) {
            ControlFlow::Break(()) => Err(Failure::Interrupted),
            ControlFlow::Continue((report, clusters)) => {
                let hottest = report.hottest.iter().map(hot).collect();
                let Report { compared, passes, .. } = report;
                Ok((SearchStats { compared, passes, hottest, ..SearchStats::default() }, clusters))
            }
        })
    }

    fn visit(&self, collection: &Collection, share: Share, visitor: &mut GatheredPairs<'_>) -> ControlFlow<(), Report> {
        let pairs = collection.split.map_or(Pairs::All, Pairs::Across);
        let least = match self.threshold {
            Score::Similarity(least) => least,
            Score::Distance(_) => 0,
        };
        let most = match self.threshold {
            Score::Distance(most) => most,
            // Of another kind: nothing reaches it.
            Score::Similarity(_) if collection.has_distances() => return ControlFlow::Continue(Report::default()),
            Score::Similarity(_) => 0,
        };
        match &collection.digests {
            Digests::Ssdeep(digests) => index::ssdeep_share(digests, pairs, least, self.memory, share, visitor),
            Digests::Sdhash(digests) => {
                let names: Option<Vec<&[u8]>> =
                    self.names.then(|| collection.names.iter().map(|name| &name[..]).collect());
                let filters = Filters::sdhash(digests, names.as_deref(), pairs, least);
                self.share_out(|share, local| filters.search(share, local), share, visitor)
            }
            Digests::MrshV2(method, digests) => {
                let filters = Filters::mrsh_v2(method, digests, Base::Smaller, pairs, least);
                self.share_out(|share, local| filters.search(share, local), share, visitor)
            }
            Digests::Tlsh(digests) => {
                let ranges = Ranges::new(digests, pairs, most);
                self.share_out(|share, local| ranges.search(share, local), share, visitor)
            }
            Digests::Pdq(digests) if collection.turning => turned::share(digests, pairs, most, share, visitor),
            Digests::Pdq(digests) => index::bits_share(digests, pairs, most, share, visitor),
            Digests::Phash(digests) => index::bits_share(digests, pairs, most, share, visitor),
            Digests::Crops(digests) => index::crops_share(digests, pairs, least, share, visitor),
            // As with all methods, inputs with nothing in common make no pair.
            Digests::Foreign(digests) => index::each_share(digests.len() as u32, pairs, share, visitor, |a, b| {
                let score = digests[a as usize].compare(&digests[b as usize])?.score;
                (score != Score::Similarity(0) && score.reaches(self.threshold)).then_some(score)
            }),
            // Features decide.
            Digests::Shingles(_) | Digests::Outlines(_) => ControlFlow::Continue(Report::default()),
            Digests::Exact(_) if share.part > 0 => ControlFlow::Continue(Report::default()),
            Digests::Exact(digests) => equal(digests, pairs, visitor),
        }
    }

    /// Searches in several threads; the first one is this one and tells the progress.
    fn share_out(
        &self,
        search: impl Fn(Share, &mut Local<'_, '_>) -> ControlFlow<(), Report> + Sync,
        whole: Share,
        visitor: &mut GatheredPairs<'_>,
    ) -> ControlFlow<(), Report> {
        let of = self.threads.clamp(1, 256) as u32;
        let stop = AtomicBool::new(false);
        let (sorter, order) = (&visitor.sorter, self.order);
        let watch = &mut visitor.watch;
        let (reports, error) = std::thread::scope(|scope| {
            let work = |part: u32, watch: Option<&mut Watcher<'_>>| {
                pfh_source::fail_point(if part == 0 { "search" } else { "search-beside" });
                let mut local = Local { found: Vec::new(), sorter, order, stop: &stop, watch, error: None };
                let share = Share { part: whole.part * of + part, of: whole.of * of };
                let report = search(share, &mut local);
                local.hand_over();
                if report.is_break() {
                    stop.store(true, Ordering::SeqCst);
                }
                (report, local.error)
            };
            // The part of a thread that cannot be started is searched here, after this one's own
            // part.
            let (mut others, mut left) = (Vec::new(), Vec::new());
            for part in 1..of {
                let named = std::thread::Builder::new().name("pfh-search".into());
                match named.spawn_scoped(scope, move || work(part, None)) {
                    Ok(other) => others.push(other),
                    Err(_) => left.push(part),
                }
            }
            let mut ended = vec![work(0, Some(watch))];
            ended.extend(left.into_iter().map(|part| work(part, None)));
            // A thread that panicked: the panic goes on here.
            ended.extend(others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic))));
            let mut error = None;
            let reports: Vec<_> = ended
                .into_iter()
                .map(|(report, failed)| {
                    error = error.take().or(failed);
                    report
                })
                .collect();
            (reports, error)
        });
        visitor.error = error;
        let mut whole = Report::default();
        for report in reports {
            whole.compared += report?.compared;
        }
        if visitor.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(whole) }
    }

    /// Chunks or features that two inputs must share where those decide and no other number is
    /// asked for: as many as unrelated files have in common once in 10,000 pairs, or less.
    pub fn default_shared(algorithm: Algorithm) -> u64 {
        MethodName::of(algorithm).map_or(10, |method| method.profile().shared)
    }

    /// The kind of score that an algorithm's digests have, with the threshold that is used unless
    /// another is asked for; `reference`: the one that the reference tool uses.
    pub fn default_threshold(algorithm: Algorithm, reference: bool) -> Score {
        match MethodName::of(algorithm).map(MethodName::profile) {
            Some(profile) if reference => profile.reference,
            Some(profile) => profile.threshold,
            None => Score::Similarity(100),
        }
    }
}

/// Pairs of equal digests; they score 100.
fn equal(digests: &[pfh_digest::Digest], pairs: Pairs, visitor: &mut impl Visitor) -> ControlFlow<(), Report> {
    let mut places: Vec<u32> = (0..digests.len() as u32).collect();
    places.sort_by(|&a, &b| digests[a as usize].cmp(&digests[b as usize]).then(a.cmp(&b)));
    let mut report = Report::default();
    for group in places.chunk_by(|&a, &b| digests[a as usize] == digests[b as usize]) {
        for (i, &a) in group.iter().enumerate() {
            visitor.progress(report.compared, 0)?;
            for &b in group[i + 1..].iter().filter(|&&b| pairs.include(a, b)) {
                report.compared += 1;
                visitor.hit(Hit { a, b, score: Score::Similarity(100) })?;
            }
        }
    }
    ControlFlow::Continue(report)
}

/// Keeps the pairs until they can be sorted.
struct GatheredPairs<'a> {
    sorter: Mutex<Sorter<u128>>,
    order: PairOrder,
    error: Option<io::Error>,
    watch: Watcher<'a>,
}

/// Pairs that a thread hands over at a time.
const BATCH: usize = 4096;

/// The findings of one of several threads.
struct Local<'a, 'w> {
    found: Vec<u128>,
    sorter: &'a Mutex<Sorter<u128>>,
    order: PairOrder,
    stop: &'a AtomicBool,
    watch: Option<&'a mut Watcher<'w>>,
    error: Option<io::Error>,
}

impl Local<'_, '_> {
    fn hand_over(&mut self) {
        let mut sorter = self.sorter.lock().unwrap_or_else(PoisonError::into_inner);
        for packed in self.found.drain(..) {
            if let Err(error) = sorter.push(packed) {
                self.error = Some(error);
                return;
            }
        }
    }
}

impl Visitor for Local<'_, '_> {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        self.found.push(pack(hit, self.order));
        if self.found.len() >= BATCH {
            self.hand_over();
        }
        if self.error.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        match &mut self.watch {
            Some(watch) => watch.progress(done, total),
            None => ControlFlow::Continue(()),
        }
    }
}

impl Visitor for GatheredPairs<'_> {
    fn hit(&mut self, hit: Hit) -> ControlFlow<()> {
        match self.sorter.get_mut().unwrap_or_else(PoisonError::into_inner).push(pack(hit, self.order)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }

    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.watch.progress(done, total)
    }

    fn hot(&mut self, hottest: &[index::HotGram]) {
        self.watch.hot(&hottest.iter().map(hot).collect::<Vec<_>>());
    }
}

/// Passes reports on, and takes no pairs.
struct ReportRelay<'a>(Watcher<'a>);

impl Visitor for ReportRelay<'_> {
    fn hit(&mut self, _: Hit) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn progress(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self.0.progress(done, total)
    }

    fn hot(&mut self, hottest: &[index::HotGram]) {
        self.0.hot(&hottest.iter().map(hot).collect::<Vec<_>>());
    }
}

fn pack(hit: Hit, order: PairOrder) -> u128 {
    let (first, second) = if order == PairOrder::Earlier { (hit.a, hit.b) } else { (hit.b, hit.a) };
    u128::from(first) << 64 | u128::from(second) << 32 | u128::from(hit.score.number())
}

fn unpack(packed: u128, order: PairOrder, kind: Score) -> Pair {
    let (first, second, number) = ((packed >> 64) as u32, (packed >> 32) as u32, packed as u32);
    let (a, b) = if order == PairOrder::Earlier { (first, second) } else { (second, first) };
    let score = match kind {
        Score::Similarity(_) => Score::Similarity(number as u8),
        Score::Distance(_) => Score::Distance(number),
    };
    Pair { a, b, score, evidence: Evidence::default(), degenerate: None }
}

fn hot(gram: &index::HotGram) -> Hot {
    let what = format!("{}:{}", gram.block_size, String::from_utf8_lossy(&gram.letters));
    Hot { what, digests: gram.digests }
}
