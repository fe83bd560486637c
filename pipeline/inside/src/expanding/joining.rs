//! Going into media that waited for each other.

use super::Expanding;
use crate::clock::Clock;
use crate::medium::Watch;
use crate::name;
use crate::waits::{Lone, Waiting, parts};
use pfh_source::Inside;
use std::sync::Arc;

impl Expanding {
    /// Goes into media that waited for each other; whether there were any.
    pub(super) fn join(&mut self) -> bool {
        let Some((media, found)) = self.waits.next() else { return false };
        self.clock = Clock::new(self.options.time);
        let sizes = media.iter().map(|medium| medium.medium.size()).fold(0, u64::saturating_add);
        self.allowance = self.options.limits.most(sizes);
        let pieces: Vec<Lone> = media.iter().flat_map(|medium| medium.pieces.iter().cloned()).collect();
        let mut media = media.into_iter();
        let Some(first) = media.next() else { return false };
        let others: Vec<Waiting> = media.collect();
        let (prefix, about, watch) = if others.is_empty() {
            (first.prefix, first.about, first.watch)
        } else {
            let all = || std::iter::once(&first).chain(&others);
            let printed = name::escape(&name::joined(&all().map(|medium| medium.name.clone()).collect::<Vec<_>>()));
            let about = Inside { container: printed.clone(), ..Inside::default() };
            (name::prefix(&printed), about, Arc::new(Watch::All(all().map(|medium| medium.watch.clone()).collect())))
        };
        self.sweep(&watch);
        // A partition of one medium is not one of all media together.
        let own = if others.is_empty() { &pieces[..] } else { &[] };
        let parts = parts(found, own);
        self.enter_parts(parts.into_iter(), first.medium, prefix, about, &watch, 1);
        true
    }
}
