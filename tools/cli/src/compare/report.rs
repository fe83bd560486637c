//! From collections to the output.

use super::{Compare, Sort, gather};
use crate::exit::{self, Exit};
use crate::gauge::Gauge;
use crate::shown;
use crate::signals::Signals;
use pfh::format::pairs::{self, Form, page};
use pfh::similarity::index::Clusters;
use pfh::similarity::{Degenerate, Score};
use pfh::sink::Output;
use pfh::sink::compare::{By, Collection, Failure, Found, Hot, Pair, Ranking, Search, Watch};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

/// Something that so many digests have in common is told of.
const HOT: u64 = 1000;
/// Something that so many digests have in common is told of before they are compared.
const VERY_HOT: u64 = 5_000;

/// Pairs that are written between two looks at the signals.
const STEP: u64 = 1 << 12;

/// What is to be written, and where.
pub struct Report<'a> {
    pub compare: &'a Compare,
    pub form: Form,
    pub output: Output,
}

impl Report<'_> {
    /// Searches the collections one after the other and writes what is found; the number of pairs.
    pub fn write(mut self, sets: &mut super::Sets, search: &dyn Fn(&Collection) -> Search) -> Result<u64, Exit> {
        let signals = Signals::catch().map_err(|error| {
            exit::say(format!("signals cannot be caught: {error}"));
            Exit::Aborted
        })?;
        let asked = signals.flag();
        let mut page = self.compare.html.is_some().then(page::Page::new);
        let mut total = 0;
        if self.compare.cluster {
            pairs::cluster_head(self.form, self.output.room());
        } else {
            pairs::head(self.form, self.output.room());
        }
        for collection in &mut sets.collections {
            gather::tell_without(collection);
            let search = search(collection);
            let gauge = Gauge::open(!self.compare.run.no_progress, "comparing");
            let whole = self.compare.cluster && page.is_none();
            let mut watch =
                Watching { gauge, asked: &asked, algorithm: collection.algorithm().name(), whole, said: false };
            // The number of groups, or of pairs listed where not all are.
            let (mut best, mut groups) = (None, 0);
            let found = self.one(collection, &search, &mut watch, page.as_mut(), &mut best, &mut groups);
            let said = watch.said;
            drop(watch);
            let found = match found {
                Ok(found) => found,
                Err(Failure::Interrupted) => {
                    let _ = io::Write::flush(&mut self.output);
                    exit::say("interrupted: the pairs are not complete");
                    return Err(Exit::Signal(signals.number()));
                }
                Err(Failure::Output(error)) => return Err(exit::of_output(&error)),
                Err(error) => {
                    exit::say(error);
                    return Err(Exit::Aborted);
                }
            };
            tell(collection, &found, said, self.compare.run.stats.is_some());
            sum_up(collection, &found, self.compare.cluster.then_some(groups), best);
            if self.compare.top.is_some_and(|_| (groups as u64) < found.pairs) {
                exit::say(format!("{}: the {groups} best are listed", collection.algorithm().name()));
            }
            total += found.pairs;
        }
        self.output.commit().map_err(|error| exit::of_output(&error))?;
        if let (Some(page), Some(path)) = (page, &self.compare.html) {
            let written = Output::file(path).and_then(|mut file| {
                page.render(file.room());
                file.commit()
            });
            if let Err(error) = written {
                exit::say(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())));
                return Err(Exit::Aborted);
            }
        }
        Ok(total)
    }

    /// Writes the pairs or the groups of one collection.
    fn one(
        &mut self,
        collection: &mut Collection,
        search: &Search,
        watch: &mut Watching<'_>,
        mut page: Option<&mut page::Page>,
        best: &mut Option<Score>,
        many: &mut usize,
    ) -> Result<Found, Failure> {
        let (form, output, as_groups) = (self.form, &mut self.output, self.compare.cluster);
        if as_groups
            && page.is_none()
            && let Some(found) = search.groups(collection, watch)
        {
            let (found, groups) = found?;
            *many = write_groups(form, output, collection, &groups.groups())?;
            return Ok(found);
        }
        let mut groups = (as_groups || page.is_some()).then(|| Clusters::new(collection.len() as u32));
        let names = collection.names();
        let algorithm = collection.algorithm();
        if let Some(page) = &mut page {
            page.begin(algorithm.name(), search.threshold, names.len() as u64);
        }
        let parity = self.compare.parity;
        let shows = self.compare.saturated || self.compare.parity || self.compare.evidence;
        let mut ranking = self.compare.is_ranked().then(|| {
            let by = if self.compare.sort == Some(Sort::Path) { By::Path } else { By::Score };
            Ranking::new(by, self.compare.top, search.order, &names, search.memory)
        });
        let mut write = |pair: Pair| {
            let (a, b) = (&names[pair.a as usize][..], &names[pair.b as usize][..]);
            let Pair { score, evidence, degenerate, .. } = pair;
            // With --parity the text is the tool's own, which has no marks.
            let degenerate = degenerate.filter(|_| !parity || form != Form::Text);
            let pair = pairs::Pair { a, b, algorithm: algorithm.name(), score, evidence, degenerate };
            pairs::pair(form, output.room(), &pair);
            output.advance()
        };
        let mut saturated = 0;
        let mut spill = None;
        let mut take = |pair: Pair| {
            if pair.degenerate == Some(Degenerate::Saturated) {
                saturated += 1;
                if !shows {
                    return Ok(());
                }
            }
            if best.is_none_or(|best| pair.score.reaches(best)) {
                *best = Some(pair.score);
            }
            if let Some(groups) = &mut groups {
                groups.join(pair.a, pair.b);
            }
            if let Some(page) = &mut page {
                page.pair(pair.a, pair.b, pair.score, pair.evidence, pair.degenerate);
            }
            match &mut ranking {
                _ if as_groups => Ok(()),
                None => write(pair),
                Some(ranking) => ranking.push(&pair).map_err(|error| {
                    let kind = error.kind();
                    spill = Some(error);
                    kind.into()
                }),
            }
        };
        let found = search.run(collection, watch, &mut take);
        let mut found = match (found, spill) {
            (Err(_), Some(error)) => return Err(Failure::Spill(error)),
            (found, _) => found?,
        };
        if let Some(ranking) = ranking {
            let mut done = 0;
            let listed = ranking.hand_out(&mut |pair| {
                done += 1;
                if done % STEP == 0 && watch.progress(done, found.pairs).is_break() {
                    return Err(Failure::Interrupted);
                }
                write(pair).map_err(Failure::Output)
            })?;
            *many = listed as usize;
        }
        if saturated > 0 {
            let what = if shows { "are among the pairs" } else { "are left out (--saturated shows them)" };
            watch.gauge.say(&format!(
                "{}: {saturated} pairs with a digest that is saturated, which matches random data and so anything, {what}",
                algorithm.name()
            ));
            found.pairs -= if shows { 0 } else { saturated };
        }
        let groups = groups.map(Clusters::groups).unwrap_or_default();
        if as_groups {
            *many = write_groups(form, output, collection, &groups)?;
        }
        if let Some(page) = page {
            page.end(&groups, |place| &names[place as usize]);
        }
        Ok(found)
    }
}

/// Writes groups, and gives their number.
fn write_groups(
    form: Form,
    output: &mut Output,
    collection: &Collection,
    groups: &[Vec<u32>],
) -> Result<usize, Failure> {
    for (number, group) in groups.iter().enumerate() {
        let members = group.iter().map(|&place| collection.name(place));
        pairs::cluster(form, output.room(), collection.algorithm().name(), number as u64 + 1, members);
        output.advance().map_err(Failure::Output)?;
    }
    Ok(groups.len())
}

/// Shows how far a search is, says beforehand what will take long, and ends it where a signal asks for that.
struct Watching<'a> {
    gauge: Gauge,
    asked: &'a AtomicBool,
    algorithm: &'static str,
    /// Whether groups are found without all of their pairs.
    whole: bool,
    said: bool,
}

impl Watch for Watching<'_> {
    fn progress(&mut self, done: u64, all: u64) -> ControlFlow<()> {
        self.gauge.show(done, all);
        if self.asked.load(Ordering::SeqCst) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn hot(&mut self, hottest: &[Hot]) {
        if self.said || self.whole {
            return;
        }
        if let Some(hot) = hottest.first().filter(|hot| hot.digests >= VERY_HOT) {
            self.said = true;
            let (name, digests) = (self.algorithm, hot.digests);
            let pairs = digests * (digests - 1) / 2;
            self.gauge.say(&format!(
                "{name}: {digests} digests share {}: up to {pairs} pairs of them are compared, and sorted in $TMPDIR with 16 bytes each; \
                 --cluster lists the groups without all pairs, a higher --threshold fewer pairs",
                hot.what
            ));
        }
    }
}

/// One line of what was compared with what result.
fn sum_up(collection: &Collection, found: &Found, groups: Option<usize>, best: Option<Score>) {
    let many = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let (name, digests) = (collection.algorithm().name(), many(collection.len() as u64, "digest"));
    let best = match best {
        Some(Score::Similarity(score)) => format!(", the highest score {score}"),
        Some(Score::Distance(distance)) => format!(", the least distance {distance}"),
        None => String::new(),
    };
    let result = groups.map_or_else(|| many(found.pairs, "pair"), |groups| many(groups as u64, "group"));
    exit::say(format!("{name}: {digests} compared, {result}{best}"));
}

/// Says what cost most of the time, and with `--stats` what the search did.
fn tell(collection: &Collection, found: &Found, said: bool, all: bool) {
    let name = collection.algorithm().name();
    for hot in found.hottest.iter().take(3).filter(|hot| hot.digests >= HOT && !said) {
        exit::say(format!("{name}: {} digests share {}; none was left out for it", hot.digests, hot.what));
    }
    if all {
        exit::say(format!(
            "{name}: {} digests, {} pairs, {} compared, {} passes, {} runs in a temporary file",
            collection.len(),
            found.pairs,
            found.compared,
            found.passes,
            found.spilled
        ));
    }
}
