//! Several ascending runs as one: the last step where more was sorted than the memory holds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// The items of ascending runs in ascending order; equal items in the order of their runs. A run
/// that gives an error is left out from there on: its last item comes, then the error, then the
/// rest of the others.
pub struct Merge<T, R, E> {
    runs: Vec<R>,
    /// The least item of each run, with the run's place.
    heads: BinaryHeap<Reverse<(T, usize)>>,
    failed: Option<E>,
}

impl<T: Ord, E, R: Iterator<Item = Result<T, E>>> Merge<T, R, E> {
    /// Begins with the first item of each run. Errors come from [`next`](Iterator::next).
    pub fn new(runs: Vec<R>) -> Self {
        let mut merge = Merge { heads: BinaryHeap::with_capacity(runs.len()), runs, failed: None };
        for at in 0..merge.runs.len() {
            if let Some(item) = merge.pull(at) {
                merge.heads.push(Reverse((item, at)));
            }
        }
        merge
    }

    /// The item that comes next, unless an error does.
    pub fn peek(&self) -> Option<&T> {
        self.heads.peek().map(|Reverse((item, _))| item)
    }

    /// The first error so far that nobody has seen; it does not come again.
    pub fn take_error(&mut self) -> Option<E> {
        self.failed.take()
    }

    fn pull(&mut self, at: usize) -> Option<T> {
        match self.runs[at].next()? {
            Ok(item) => Some(item),
            Err(error) => {
                self.failed.get_or_insert(error);
                None
            }
        }
    }
}

impl<T: Ord, E, R: Iterator<Item = Result<T, E>>> Iterator for Merge<T, R, E> {
    type Item = Result<T, E>;

    fn next(&mut self) -> Option<Result<T, E>> {
        if let Some(error) = self.failed.take() {
            return Some(Err(error));
        }
        let at = self.heads.peek()?.0.1;
        let next = self.pull(at);
        let mut head = self.heads.peek_mut()?;
        // Replaced in place: one pass down the heap instead of two.
        let item = match next {
            Some(next) => std::mem::replace(&mut head.0.0, next),
            None => PeekMut::pop(head).0.0,
        };
        Some(Ok(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_any_length_come_in_order_and_an_error_costs_its_run_alone() {
        fn run<'a>(
            items: &'a [Result<u32, &'static str>],
        ) -> impl Iterator<Item = Result<u32, &'static str>> + use<'a> {
            items.iter().copied()
        }
        let runs = vec![run(&[Ok(1), Ok(4), Err("gone")]), run(&[]), run(&[Ok(1), Ok(2), Ok(9)])];
        let merged: Vec<_> = Merge::new(runs).collect();
        assert_eq!(merged, [Ok(1), Ok(1), Ok(2), Ok(4), Err("gone"), Ok(9)]);
        let mut failed = Merge::new(vec![run(&[Err("first")]), run(&[Ok(3)])]);
        assert_eq!((failed.peek().copied(), failed.take_error()), (Some(3), Some("first")));
        assert_eq!((failed.next(), failed.next()), (Some(Ok(3)), None));
    }
}
