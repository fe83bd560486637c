//! From collections to the output.

use super::{Compare, gather};
use crate::exit::{self, Exit};
use crate::gauge::Gauge;
use crate::shown;
use crate::signals::Signals;
use pfh::format::pairs::{self, Form, page};
use pfh::similarity::index::Clusters;
use pfh::sink::Output;
use pfh::sink::compare::{Collection, Failure, Found, Pair, Search};
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Something that so many digests have in common is told of.
const HOT: u64 = 1000;

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
            let mut watch = |done: u64, all: u64| {
                gauge.show(done, all);
                if asked.load(Ordering::SeqCst) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            };
            let found = self.one(collection, &search, &mut watch, page.as_mut());
            drop(gauge);
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
            tell(collection, &found, self.compare.run.stats.is_some());
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
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
        mut page: Option<&mut page::Page>,
    ) -> Result<Found, Failure> {
        let (form, output, as_groups) = (self.form, &mut self.output, self.compare.cluster);
        let mut groups = (as_groups || page.is_some()).then(|| Clusters::new(collection.len() as u32));
        let names = collection.names();
        let algorithm = collection.algorithm();
        if let Some(page) = &mut page {
            page.begin(algorithm.name(), search.threshold, names.len() as u64);
        }
        let mut take = |pair: Pair| {
            if let Some(groups) = &mut groups {
                groups.join(pair.a, pair.b);
            }
            if let Some(page) = &mut page {
                page.pair(pair.a, pair.b, pair.score, pair.evidence);
            }
            if !as_groups {
                let (a, b) = (&names[pair.a as usize][..], &names[pair.b as usize][..]);
                let Pair { score, evidence, degenerate, .. } = pair;
                let pair = pairs::Pair { a, b, algorithm: algorithm.name(), score, evidence, degenerate };
                pairs::pair(form, output.room(), &pair);
            }
            output.advance()
        };
        let found = search.run(collection, watch, &mut take)?;
        let groups = groups.map(Clusters::groups).unwrap_or_default();
        if as_groups {
            for (number, group) in groups.iter().enumerate() {
                let members = group.iter().map(|&place| &names[place as usize][..]);
                pairs::cluster(form, output.room(), algorithm.name(), number as u64 + 1, members);
                output.advance().map_err(Failure::Output)?;
            }
        }
        if let Some(page) = page {
            page.end(&groups, |place| &names[place as usize]);
        }
        Ok(found)
    }
}

/// Says what cost most of the time, and with `--stats` what the search did.
fn tell(collection: &Collection, found: &Found, all: bool) {
    let name = collection.algorithm().name();
    for hot in found.hottest.iter().take(3).filter(|hot| hot.digests >= HOT) {
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
