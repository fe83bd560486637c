//! Compression functions and their kernels, and how a caller runs one.

use crate::isa::Isa;
use std::sync::OnceLock;

/// The word of a state: `u32` or `u64`.
pub trait Word: Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + 'static + sealed::Sealed {
    /// Its bytes.
    type Bytes: AsRef<[u8]>;
    /// Its bytes, least significant first.
    fn to_le_bytes(self) -> Self::Bytes;
    /// Its bytes, most significant first.
    fn to_be_bytes(self) -> Self::Bytes;
}

macro_rules! word {
    ($($word:ident)*) => {$(
        impl Word for $word {
            type Bytes = [u8; size_of::<$word>()];
            #[inline]
            fn to_le_bytes(self) -> Self::Bytes {
                self.to_le_bytes()
            }
            #[inline]
            fn to_be_bytes(self) -> Self::Bytes {
                self.to_be_bytes()
            }
        }
    )*};
}
word!(u32 u64);

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
}

/// How a kernel wants the states of its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Word by word: word `w` of lane `l` stands at `w * lanes + l`.
    Words,
    /// Message by message: word `w` of lane `l` stands at `l * words + w`.
    Messages,
}

/// The most lanes that any kernel has.
pub const MAX_LANES: usize = 64;

/// The entry point of a kernel: state, messages, blocks, block length.
pub(crate) type Function<W> = unsafe fn(*mut W, *const &[u8], usize, usize);

/// One compression function on one instruction set, for a fixed number of messages.
#[derive(Debug)]
pub struct Kernel<W> {
    pub(crate) name: &'static str,
    pub(crate) isa: Isa,
    pub(crate) lanes: usize,
    pub(crate) layout: Layout,
    pub(crate) cost: u32,
    pub(crate) words: usize,
    pub(crate) block_length: usize,
    pub(crate) function: Function<W>,
}

impl<W: Word> Kernel<W> {
    /// Its name for people: the instruction set and the lanes.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The instruction set that it needs.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Messages that it advances at once.
    pub fn lanes(&self) -> usize {
        self.lanes
    }

    /// Where it expects the words of each message's state.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The cost of one block of every lane in picoseconds by the table, which is of one CPU per
    /// architecture (`docs/kernels.md`). The costs that decided the choice on this machine are in
    /// [`Compression::rows`].
    pub fn cost(&self) -> u32 {
        self.cost
    }

    /// Words in the states of all lanes.
    pub fn state_length(&self) -> usize {
        self.words * self.lanes
    }

    /// Where word `word` of lane `lane` stands in the state.
    #[inline]
    pub fn position(&self, word: usize, lane: usize) -> usize {
        match self.layout {
            Layout::Words => word * self.lanes + lane,
            Layout::Messages => lane * self.words + word,
        }
    }

    /// Compresses the first `blocks` blocks of each message into its state.
    ///
    /// `state` holds the states of all lanes as [`Self::position`] says. `messages` has a slice for
    /// each lane; it may be longer than the blocks, and two lanes may name the same bytes.
    /// `block_length` is in bytes: that of the function, or, for a sponge, its rate.
    ///
    /// # Panics
    /// If `state` or `messages` has not the length that the kernel needs, a message is shorter than
    /// the blocks, or `block_length` is not one of the function's.
    #[inline]
    pub fn compress(&self, state: &mut [W], messages: &[&[u8]], blocks: usize, block_length: usize) {
        assert_eq!(state.len(), self.state_length(), "words of state");
        assert_eq!(messages.len(), self.lanes, "one message for each lane");
        let fits = if self.block_length == 0 {
            block_length.is_multiple_of(8) && (32..=192).contains(&block_length)
        } else {
            block_length == self.block_length
        };
        assert!(fits, "block length {block_length}");
        let length = blocks.checked_mul(block_length).expect("length of the blocks");
        let shortest = messages.iter().fold(usize::MAX, |shortest, message| shortest.min(message.len()));
        assert!(length <= shortest, "a message is shorter than the blocks");
        // SAFETY: state and messages have the lengths that the function demands, as asserted above,
        // and the instruction set is there: `Compression` hands out no kernel that the CPU cannot
        // run.
        unsafe { (self.function)(state.as_mut_ptr(), messages.as_ptr(), blocks, block_length) }
    }

    /// Permutes the states of all lanes `times` times, absorbing nothing: a sponge's squeezing
    /// phase.
    ///
    /// # Panics
    /// If the function is not a sponge's or `state` has not the length that the kernel needs.
    pub fn permute(&self, state: &mut [W], times: usize) {
        assert_eq!(self.block_length, 0, "only a sponge permutes without a block");
        assert_eq!(state.len(), self.state_length(), "words of state");
        // SAFETY: as in `compress`; with a rate of 0 no message is read.
        unsafe { (self.function)(state.as_mut_ptr(), std::ptr::null(), times, 0) }
    }
}

/// A known answer (the standard's example): one block that takes one state to another.
#[derive(Debug)]
pub(crate) struct KnownAnswer<W: 'static> {
    /// The state before.
    pub(crate) before: &'static [W],
    /// Bytes of the block that are not zero, with their places.
    pub(crate) block: &'static [(usize, u8)],
    /// Length of the block.
    pub(crate) block_length: usize,
    /// The first words of the state after.
    pub(crate) after: &'static [W],
}

/// A compression function, with its kernels.
#[derive(Debug)]
pub struct Compression<W: 'static> {
    pub(crate) name: &'static str,
    pub(crate) words: usize,
    pub(crate) block_length: usize,
    pub(crate) kernels: &'static [Kernel<W>],
    pub(crate) known: KnownAnswer<W>,
    pub(crate) chosen: OnceLock<KernelChoice<W>>,
}

/// The kernels of a table that this machine uses.
#[derive(Debug)]
pub(crate) struct KernelChoice<W: 'static> {
    /// The cheapest per message first.
    pub(crate) usable: Vec<&'static Kernel<W>>,
    /// The cost of a block of all lanes, in picoseconds, in the order of `usable`.
    pub(crate) costs: Vec<u64>,
    pub(crate) refused: Vec<&'static Kernel<W>>,
    /// At `n`: the best kernel for `n + 1` messages.
    pub(crate) many: Vec<&'static Kernel<W>>,
    /// At `n`: the time for a block of each of `n` messages, in picoseconds.
    pub(crate) picoseconds: Vec<u64>,
}

/// A kernel, its costs and its use on this machine.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub kernel: &'static str,
    /// The instruction set that it needs.
    pub isa: Isa,
    /// Messages that it advances at once.
    pub lanes: usize,
    /// The cost of a block of all lanes by the table, in picoseconds.
    pub table: u64,
    /// The same as this process measured it; none for a kernel that it may not use.
    pub measured: Option<u64>,
    /// Numbers of messages that begin with it, of those that the choice tells apart; a greater
    /// number is as the greatest.
    pub chosen_for: Vec<usize>,
    /// Why it is not used at all, if so.
    pub unused: Option<UnusedReason>,
}

/// Why a kernel is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnusedReason {
    /// The CPU lacks its instructions.
    Absent,
    /// `PFH_ISA` excludes it.
    Excluded,
    /// It gave a wrong answer.
    Refused,
}

impl<W: Word> Compression<W> {
    /// The function's name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Words of one message's state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Bytes of a block; 0 for a sponge, whose rate the caller chooses.
    pub fn block_length(&self) -> usize {
        self.block_length
    }

    /// The kernels that this CPU can run, also those that `PFH_ISA` excludes.
    pub fn kernels(&self) -> impl Iterator<Item = &'static Kernel<W>> {
        self.kernels.iter().filter(|kernel| kernel.isa.detected())
    }

    /// The kernel that runs anywhere.
    pub fn portable(&self) -> &'static Kernel<W> {
        self.kernels.last().expect("every table ends with the portable kernel")
    }

    /// Names and instruction sets of the kernels that are compiled in and that this CPU cannot run.
    pub fn absent(&self) -> impl Iterator<Item = (&'static str, Isa)> {
        self.kernels.iter().filter(|kernel| !kernel.isa.detected()).map(|kernel| (kernel.name, kernel.isa))
    }
}
