//! The search from place to place, in several chains at a time.
//!
//! Where a neighbourhood is searched again, all that follows depends on the ranks from there on
//! alone: the search is a chain of such places. Each link waits for the one before, so a part of
//! the list is given to several chains that start at different places, as if each were searched
//! again. Chains that start apart soon meet, as all of them stop at the same low ranks. The counts
//! of a chain from before the true one met it are then taken back.
//!
//! A link does not branch on its findings, which the CPU could not predict: the lowest place of
//! every neighbourhood is known before, by minima of 4, 16 and 64 ranks together with their places.

use super::search::{NEIGHBOURS, Search};
use std::hint::select_unpredictable;
use std::mem::MaybeUninit;

/// The key of no place; ranks are below 1,024.
pub const NONE: u16 = 0xffc0;
/// Places that the chains share at a time, at most and at least.
const MOST: usize = 6144;
const LEAST: usize = 512;
/// Chains: more of them leave too few registers for each.
const CHAINS: usize = 3;
/// Places behind a part that the chains and the tables reach.
const BEHIND: usize = 4 * NEIGHBOURS;

/// The vector operations of a form.
pub trait Vectors {
    /// Ranks that [`Vectors::first`] and [`Vectors::zeros`] look at; 63 at most.
    const AHEAD: usize;

    /// For each place up to `count`, which is a multiple of 64: the lowest rank less 1, times 64,
    /// of the neighbourhood that begins there, and its place there. Equal ranks in a row count as
    /// one, at the last that is in the neighbourhood; a rank of 0 is none.
    ///
    /// # Safety
    /// The CPU has the form's instructions; `ranks` can be read for `count` + 192 places, and
    /// `keys` can be written for as many.
    unsafe fn keys(ranks: *const u16, count: usize, keys: *mut u16);

    /// The first of [`Vectors::AHEAD`] ranks that is not above `least`, else their number.
    ///
    /// # Safety
    /// The CPU has the form's instructions; as many ranks can be read.
    unsafe fn first(ranks: *const u16, least: u16) -> usize;

    /// How many of the first [`Vectors::AHEAD`] ranks are 0 up to one that is not.
    ///
    /// # Safety
    /// The CPU has the form's instructions; as many ranks can be read.
    unsafe fn zeros(ranks: *const u16) -> usize;
}

/// Where a chain stands. The last neighbourhood has yet to be counted for the lowest place.
#[derive(Clone, Copy)]
struct Place {
    /// The next neighbourhood.
    next: usize,
    /// The lowest place, never before the last neighbourhood, and its rank.
    at: usize,
    least: u16,
}

/// A part of the list, from its first place on.
struct Part {
    ranks: *const u16,
    scores: *mut u8,
    keys: *const u16,
}

impl Part {
    /// One link: as long as the lowest stays, and then a neighbourhood in which another is. `by` is
    /// the count of each.
    ///
    /// # Safety
    /// The CPU has the instructions of `V`; the place lies in the part.
    #[inline(always)]
    unsafe fn link<V: Vectors>(&self, place: &mut Place, by: u8) {
        let Place { next, at, least } = *place;
        // SAFETY: a part has `BEHIND` places behind it, and nothing here reaches further than two
        // neighbourhoods and `V::AHEAD` from a place in it.
        unsafe {
            let first = V::first(self.ranks.add(next + NEIGHBOURS), least);
            // A place that was left counts as left all the same.
            let most = at.max(next) - next;
            let stays = first.min(most);
            let score = self.scores.add(at);
            if stays == V::AHEAD && most > V::AHEAD {
                *score = (*score).wrapping_add(by.wrapping_mul(V::AHEAD as u8));
                place.next = next + V::AHEAD;
                return;
            }
            *score = (*score).wrapping_add(by.wrapping_mul(stays as u8 + 1));
            let next = next + stays;
            let is_equal = (first < most) & (*self.ranks.add(next + NEIGHBOURS) == least);
            if (*self.ranks.add(next) == 0) & !is_equal {
                // There is none, and nothing to be counted.
                let next = next + V::zeros(self.ranks.add(next));
                *place = Place { next, at: next - 1, least: 0 };
                let score = self.scores.add(next - 1);
                *score = (*score).wrapping_sub(by);
                return;
            }
            let key = *self.keys.add(next);
            *place = Place {
                next: next + 1,
                at: next + select_unpredictable(is_equal, NEIGHBOURS, usize::from(key & 63)),
                least: select_unpredictable(is_equal, least, (key >> 6) + 1),
            };
        }
    }

    /// The place of a search that begins at `next`, where nothing was counted before.
    ///
    /// # Safety
    /// As [`Part::link`].
    #[inline(always)]
    unsafe fn start<V: Vectors>(&self, next: usize, by: u8) -> Place {
        let mut place = Place { next, at: next, least: 0 };
        // SAFETY: the caller's promise.
        unsafe {
            // The link counts this one place.
            let score = self.scores.add(next);
            *score = (*score).wrapping_sub(by);
            self.link::<V>(&mut place, by);
        }
        place
    }
}

/// Goes on as far as the chains can, which is never beyond `end`: some hundred places are left.
///
/// # Safety
/// The CPU has the instructions of `V`; the scores reach as far behind `end` as [`Search::run`]
/// asks.
#[inline(always)]
pub unsafe fn run<V: Vectors>(search: &mut Search, ranks: &[u16], scores: &mut [u8], end: usize) {
    let mut keys = [const { MaybeUninit::<u16>::uninit() }; MOST + BEHIND];
    while search.next < end {
        let from = search.next;
        // A chain may end two neighbourhoods behind its part.
        let room = end.saturating_sub(from + 2 * NEIGHBOURS).min(ranks.len().saturating_sub(from + BEHIND)).min(MOST);
        // A search that went over other lists before may stand anywhere.
        if room < LEAST || search.at >= from + NEIGHBOURS {
            return;
        }
        let each = room / CHAINS / 64 * 64;
        let keys = keys.as_mut_ptr().cast();
        // SAFETY: the ranks reach `BEHIND` places, four neighbourhoods, beyond the chains, and so
        // does the table.
        unsafe { V::keys(ranks.as_ptr().add(from), each * CHAINS + NEIGHBOURS, keys) };
        // SAFETY: within the lists.
        let (ranks, scores) = unsafe { (ranks.as_ptr().add(from), scores.as_mut_ptr().add(from)) };
        let part = Part { ranks, scores, keys };
        // SAFETY: a link begins only within the part of its chain, and ends less than two
        // neighbourhoods behind it, which is before `end`; the scores reach a neighbourhood more.
        let place = unsafe {
            let at = search.at.saturating_sub(from);
            *scores.add(at) = (*scores.add(at)).wrapping_sub(1);
            let first = Place { next: 0, at, least: search.least };
            let starts = [first, part.start::<V>(each, 1), part.start::<V>(2 * each, 1)];
            let mut places = starts;
            while (0..CHAINS).all(|chain| places[chain].next < (chain + 1) * each) {
                for place in &mut places {
                    part.link::<V>(place, 1);
                }
            }
            for (chain, place) in places.iter_mut().enumerate() {
                while place.next < (chain + 1) * each {
                    part.link::<V>(place, 1);
                }
            }
            let mut own = places[0];
            for chain in 1..CHAINS {
                own = part.meet::<V>(own, starts[chain], places[chain], (chain + 1) * each);
            }
            *scores.add(own.at) = (*scores.add(own.at)).wrapping_add(1);
            own
        };
        *search = Search { next: from + place.next, at: from + place.at, least: place.least };
    }
}

impl Part {
    /// Goes on with the true chain until it meets another one that went on from `other` to `last`,
    /// at `end`; the counts of that one before are taken back.
    ///
    /// # Safety
    /// As [`Part::link`]; both places lie in the part.
    #[inline(always)]
    unsafe fn meet<V: Vectors>(&self, mut own: Place, mut other: Place, last: Place, end: usize) -> Place {
        const BACK: u8 = 1u8.wrapping_neg();
        if other.least == 0 {
            // The count of its next link was taken off before.
            // SAFETY: the place lies in the part.
            unsafe { *self.scores.add(other.at) = (*self.scores.add(other.at)).wrapping_add(1) };
        }
        while (own.next, own.at) != (other.next, other.at) {
            if own.next >= end && other.next >= end {
                return own;
            }
            let (place, by) = if own.next <= other.next { (&mut own, 1) } else { (&mut other, BACK) };
            // SAFETY: the place is before the end.
            unsafe { self.link::<V>(place, by) };
        }
        last
    }
}
