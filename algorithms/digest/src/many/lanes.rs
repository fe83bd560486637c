//! The scheduler: keeps the lanes of a kernel filled with messages of unequal lengths (the method
//! of Gueron and Krasnov, "Simultaneous hashing of multiple messages", 2012, algorithm 1, without
//! its serial end).
//!
//! Every lane holds a message. A step compresses as many blocks of all of them as the shortest has
//! left; finished messages are evicted and the queue refills their lanes at once. When the queue
//! has run dry, a kernel is chosen again for the remaining messages, down to the one for a single
//! message.

use pfh_kernel::{Kernel, Layout, MAX_LANES, Word};

use crate::function::END;

/// A message in a lane.
pub(super) struct Slot<'a, W, const N: usize, const B: usize> {
    /// The queue's number for it.
    pub(super) id: usize,
    /// Before the first block and after the last; in between the kernel has it.
    pub(super) state: [W; N],
    /// Whole blocks of the caller's bytes, still to come.
    pub(super) body: &'a [u8],
    /// Up to two blocks that come before or after the body: a buffer that has become full, or the
    /// message's end with its padding.
    pub(super) own: [[u8; B]; 2],
    /// Bytes of `own` that are done.
    own_start: usize,
    /// Bytes of `own` in use.
    own_end: usize,
    /// Whether the next block is one of `own`.
    own_next: bool,
    /// The last words of the state when `own` comes, where they change then.
    end: Option<[W; END]>,
}

impl<'a, W: Word, const N: usize, const B: usize> Slot<'a, W, N, B> {
    fn empty() -> Self {
        let state = [W::default(); N];
        Slot { id: 0, state, body: &[], own: [[0; B]; 2], own_start: 0, own_end: 0, own_next: false, end: None }
    }

    /// Sets the next bytes: the first `own` bytes of `self.own` and then `body`.
    pub(super) fn own_first(&mut self, own: usize, body: &'a [u8]) {
        (self.body, self.own_start, self.own_end, self.own_next) = (body, 0, own, own > 0);
        self.end = None;
    }

    /// Sets the next bytes: `body` and then the first `own` bytes of `self.own`, before which the
    /// last words of the state become `end`.
    pub(super) fn body_first(&mut self, body: &'a [u8], own: usize, end: Option<[W; END]>) {
        (self.body, self.own_start, self.own_end, self.own_next) = (body, 0, own, body.is_empty());
        self.end = end;
        if let Some(end) = self.due() {
            self.state[N - END..].copy_from_slice(&end);
        }
    }

    /// The last words of the state, if they change now.
    fn due(&mut self) -> Option<[W; END]> {
        if self.own_next { self.end.take() } else { None }
    }

    /// Consecutive blocks that come next.
    fn next(&self) -> &[u8] {
        if self.own_next { &self.own.as_flattened()[self.own_start..self.own_end] } else { self.body }
    }

    /// Notes that `bytes` of [`Self::next`] are done.
    fn advance(&mut self, bytes: usize) {
        if self.own_next {
            self.own_start += bytes;
            self.own_next = self.own_start < self.own_end;
        } else {
            self.body = &self.body[bytes..];
            self.own_next = self.body.is_empty();
        }
    }

    fn left(&self) -> usize {
        self.body.len() + self.own_end - self.own_start
    }
}

/// Where messages come from and where their states go.
pub(super) trait Queue<'a, W, const N: usize, const B: usize> {
    /// Puts the next message that has blocks to compress into `slot`; false if there is none left.
    fn submit(&mut self, slot: &mut Slot<'a, W, N, B>) -> bool;
    /// Takes the state of the message `id`, whose blocks have all been compressed, word by word.
    fn evict(&mut self, id: usize, state: impl Fn(usize) -> W);
    /// At least the number of messages that [`Self::submit`] will still give; 0 only if there are
    /// none.
    fn waiting(&self) -> usize;
}

/// Compresses everything in the queue. `choose` names the kernel that is best for a number of
/// messages.
pub(super) fn run<'a, W: Word, const N: usize, const B: usize>(
    choose: &impl Fn(usize) -> &'static Kernel<W>,
    queue: &mut impl Queue<'a, W, N, B>,
) {
    let mut slots: Vec<Slot<'a, W, N, B>> = Vec::with_capacity(MAX_LANES.min(queue.waiting()));
    let mut words: Vec<W> = Vec::new();
    while slots.len() + queue.waiting() > 0 {
        let kernel = choose(slots.len() + queue.waiting());
        while slots.len() < kernel.lanes() {
            // Made in its final place: with its two blocks a slot is too long to be moved without
            // need.
            slots.push(Slot::empty());
            if !slots.last_mut().is_some_and(|slot| queue.submit(slot)) {
                slots.pop();
                break;
            }
        }
        // The queue may have had less than it promised.
        if slots.is_empty() {
            return;
        }
        let kernel = if queue.waiting() == 0 { choose(slots.len()) } else { kernel };
        // If they are more than the lanes, the longest begin.
        if slots.len() > kernel.lanes() {
            slots.sort_unstable_by_key(|slot| std::cmp::Reverse(slot.left()));
        }
        Lanes::new(kernel, &mut words).run(choose, &mut slots, queue);
    }
}

/// A kernel at work. Lane `l` holds the message of slot `l`; slots beyond the lanes wait for one to
/// become free.
struct Lanes<'s, W: 'static> {
    kernel: &'static Kernel<W>,
    states: &'s mut [W],
    /// From one word of a state to the next, and from one lane's to the next lane's.
    strides: (usize, usize),
    busy: [bool; MAX_LANES],
    count: usize,
}

impl<'s, W: Word> Lanes<'s, W> {
    fn new(kernel: &'static Kernel<W>, words: &'s mut Vec<W>) -> Self {
        // Rows of states that straddle cache lines would cost two accesses each.
        const LINE: usize = 64;
        let slack = LINE / size_of::<W>();
        words.resize(kernel.state_length() + slack, W::default());
        let start = words.as_ptr().align_offset(LINE).min(slack);
        let strides = match kernel.layout() {
            Layout::Words => (kernel.lanes(), 1),
            Layout::Messages => (1, kernel.state_length() / kernel.lanes()),
        };
        let states = &mut words[start..][..kernel.state_length()];
        Lanes { kernel, states, strides, busy: [false; MAX_LANES], count: 0 }
    }

    fn load<const N: usize>(&mut self, lane: usize, state: &[W; N]) {
        for (word, value) in state.iter().enumerate() {
            self.states[word * self.strides.0 + lane * self.strides.1] = *value;
        }
    }

    /// One word of a lane's state.
    #[inline(always)]
    fn word(&self, lane: usize, word: usize) -> W {
        self.states[word * self.strides.0 + lane * self.strides.1]
    }

    /// Runs until another kernel is the better one for the messages that are left, which then stand
    /// in `slots`.
    fn run<'a, const N: usize, const B: usize>(
        mut self,
        choose: &impl Fn(usize) -> &'static Kernel<W>,
        slots: &mut Vec<Slot<'a, W, N, B>>,
        queue: &mut impl Queue<'a, W, N, B>,
    ) {
        self.count = self.kernel.lanes().min(slots.len());
        for (lane, slot) in slots[..self.count].iter().enumerate() {
            self.load(lane, &slot.state);
            self.busy[lane] = true;
        }
        while self.count > 0 {
            let bytes = self.step(slots);
            if !self.refill(bytes, slots, queue) {
                continue;
            }
            if self.count > 0 && !std::ptr::eq(choose(self.count), self.kernel) {
                break;
            }
        }
        // None waits behind the lanes now: it would have taken the lane that became free.
        let mut lane = 0;
        slots.retain_mut(|slot| {
            let busy = self.busy[lane];
            if busy {
                slot.state = std::array::from_fn(|word| self.word(lane, word));
            }
            lane += 1;
            busy
        });
    }

    /// Compresses as much of every lane as the shortest has, and returns the length of that.
    fn step<const N: usize, const B: usize>(&mut self, slots: &[Slot<'_, W, N, B>]) -> usize {
        let lanes = self.kernel.lanes();
        let mut messages: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        let (mut bytes, mut any) = (usize::MAX, 0);
        for (lane, slot) in slots.iter().take(lanes).enumerate() {
            if self.busy[lane] {
                messages[lane] = slot.next();
                bytes = bytes.min(messages[lane].len());
                any = lane;
            }
        }
        if self.count < lanes {
            // A lane without a message repeats another's: it must read something, and its result is
            // never looked at.
            for lane in 0..lanes {
                if !self.busy[lane] {
                    messages[lane] = messages[any];
                }
            }
        }
        self.kernel.compress(self.states, &messages[..lanes], bytes / B, B);
        bytes
    }

    /// Evicts the messages that are finished and gives their lanes to those that wait. True if a
    /// lane stays empty.
    fn refill<'a, const N: usize, const B: usize>(
        &mut self,
        bytes: usize,
        slots: &mut Vec<Slot<'a, W, N, B>>,
        queue: &mut impl Queue<'a, W, N, B>,
    ) -> bool {
        let mut emptied = false;
        for lane in 0..self.kernel.lanes().min(slots.len()) {
            if !self.busy[lane] {
                continue;
            }
            let slot = &mut slots[lane];
            slot.advance(bytes);
            if slot.left() > 0 {
                for (word, value) in (N - END..).zip(slot.due().into_iter().flatten()) {
                    self.states[word * self.strides.0 + lane * self.strides.1] = value;
                }
                continue;
            }
            queue.evict(slot.id, |word| self.word(lane, word));
            if slots.len() > self.kernel.lanes() {
                slots.swap_remove(lane);
            } else if !queue.submit(&mut slots[lane]) {
                self.busy[lane] = false;
                self.count -= 1;
                emptied = true;
                continue;
            }
            self.load(lane, &slots[lane].state);
        }
        emptied
    }
}
