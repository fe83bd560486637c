//! The word operations that an instruction set supplies, and the two ways of having one lane or
//! several vectors.
//!
//! A compression function is written once against [`Vector`]. `u32` and `u64` are vectors of one
//! lane: that is the portable kernel. [`Group`] is several vectors side by side, for functions
//! whose rounds are one long chain (MD5), where a second and third chain fill the time that the
//! first one waits.
//!
//! Values of an instruction set's vector type are made only by the `unsafe` functions of the trait,
//! which demand that the CPU has the instruction set. Code that holds a value therefore holds the
//! proof, and the operations on values are safe.

/// The methods of a vector that is one register and that are one instruction each: `word as
/// argument` of the intrinsic that fills all lanes, then those that load and store, then those of
/// two registers.
macro_rules! instructions {
    ($word:ident as $argument:ty; $splat:ident, $load:ident, $store:ident; $($method:ident = $intrinsic:ident),+ $(,)?) => {
        #[inline(always)]
        unsafe fn splat(word: $word) -> Self {
            // SAFETY: the caller promises the instruction set.
            Self(unsafe { $splat(word as $argument) })
        }
        #[inline(always)]
        unsafe fn load(from: *const $word) -> Self {
            // SAFETY: the caller's promise.
            Self(unsafe { $load(from.cast()) })
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut $word) {
            // SAFETY: the caller's promise; a value proves the instruction set.
            unsafe { $store(to.cast(), self.0) }
        }
        $(
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: a value proves the instruction set.
                Self(unsafe { $intrinsic(self.0, other.0) })
            }
        )+
    };
}
pub(crate) use instructions;

/// A row of equal words, one per message.
pub(crate) trait Vector: Copy {
    /// `u32` or `u64`.
    type Word: Copy;
    /// Messages that one value advances.
    const LANES: usize;
    /// Whether any function of three words is one instruction.
    const TERNARY: bool = false;

    /// The same word in every lane.
    ///
    /// # Safety
    /// The CPU has the instruction set of this type.
    unsafe fn splat(word: Self::Word) -> Self;

    /// Reads `LANES` words, at any alignment.
    ///
    /// # Safety
    /// The CPU has the instruction set of this type and `LANES` words can be read.
    unsafe fn load(from: *const Self::Word) -> Self;

    /// Writes `LANES` words, at any alignment.
    ///
    /// # Safety
    /// `LANES` words can be written.
    unsafe fn store(self, to: *mut Self::Word);

    /// Four consecutive little-endian words of every message, from byte `offset` on: value `i`
    /// holds word `i` of all lanes.
    ///
    /// # Safety
    /// The CPU has the instruction set of this type; `LANES` slices can be read and each is at
    /// least `offset` + 4 words long.
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4];

    /// Reverses the bytes of each word.
    fn swap_bytes(self) -> Self;
    /// `self + other`, modulo the word.
    fn add(self, other: Self) -> Self;
    /// `self - other`, modulo the word.
    fn sub(self, other: Self) -> Self;
    /// `self ^ other`
    fn xor(self, other: Self) -> Self;
    /// `self & other`
    fn and(self, other: Self) -> Self;
    /// `self | other`
    fn or(self, other: Self) -> Self;
    /// `!self & other`
    fn not_and(self, other: Self) -> Self;
    /// Rotates left by `L`; `R` is the rest of the word's width, because a constant cannot be
    /// computed from a constant parameter.
    fn rotate_left<const L: i32, const R: i32>(self) -> Self;
    /// Shifts right by `N`, filling with zeros.
    fn shift_right<const N: i32>(self) -> Self;

    /// Whether rounds wait for one another rather than for free places: shorter chains are then
    /// worth more operations.
    const WAITS: bool = false;

    /// The same value, hidden from the compiler, which cannot put the terms of a sum into another
    /// order across this.
    #[inline(always)]
    fn opaque(self) -> Self {
        self
    }

    /// `self ^ b ^ c`
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        self.xor(b).xor(c)
    }
    /// Bits of `b` where `self` is set, of `c` elsewhere.
    #[inline(always)]
    fn select(self, b: Self, c: Self) -> Self {
        self.and(b.xor(c)).xor(c)
    }
    /// `(self & b) ^ (self & c) ^ (b & c)`
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        self.and(b).or(self.or(b).and(c))
    }
    /// `self ^ (!b & c)`
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        self.xor(b.not_and(c))
    }
    /// `self ^ other`, rotated left by `L`; `R` is the rest of the width.
    #[inline(always)]
    fn xor_rotated<const L: i32, const R: i32>(self, other: Self) -> Self {
        self.xor(other).rotate_left::<L, R>()
    }
    /// `self ^ other.rotate_left(1)`.
    #[inline(always)]
    fn xor_turned(self, other: Self) -> Self
    where
        Self: Vector<Word = u64>,
    {
        self.xor(other.rotate_left::<1, 63>())
    }
}

/// The sixteen words of a block, big-endian.
///
/// # Safety
/// As [`Vector::tile`], for sixteen words.
#[inline(always)]
pub(crate) unsafe fn block_be<V: Vector>(messages: *const &[u8], offset: usize) -> [V; 16] {
    // SAFETY: the caller's promise.
    let mut block = unsafe { block_le::<V>(messages, offset) };
    let mut i = 0;
    while i < 16 {
        block[i] = block[i].swap_bytes();
        i += 1;
    }
    block
}

/// The sixteen words of a block, little-endian.
///
/// # Safety
/// As [`Vector::tile`], for sixteen words.
#[inline(always)]
pub(crate) unsafe fn block_le<V: Vector>(messages: *const &[u8], offset: usize) -> [V; 16] {
    let tile = 4 * size_of::<V::Word>();
    // SAFETY: the caller's promise.
    unsafe {
        let [a, b, c, d] = V::tile(messages, offset);
        let [e, f, g, h] = V::tile(messages, offset + tile);
        let [i, j, k, l] = V::tile(messages, offset + 2 * tile);
        let [m, n, o, p] = V::tile(messages, offset + 3 * tile);
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }
}

/// Reads `N` state words of all lanes; word `i` of lane `l` stands at `i * LANES + l`.
///
/// # Safety
/// As [`Vector::load`], for `N * LANES` words.
#[inline(always)]
pub(crate) unsafe fn load_rows<V: Vector, const N: usize>(state: *const V::Word) -> [V; N] {
    // SAFETY: the caller's promise.
    let mut rows = [unsafe { V::load(state) }; N];
    let mut i = 1;
    while i < N {
        // SAFETY: the caller's promise.
        rows[i] = unsafe { V::load(state.add(i * V::LANES)) };
        i += 1;
    }
    rows
}

/// Writes the rows that [`load_rows`] reads.
///
/// # Safety
/// As [`Vector::store`], for `N * LANES` words.
#[inline(always)]
pub(crate) unsafe fn store_rows<V: Vector, const N: usize>(state: *mut V::Word, rows: [V; N]) {
    let mut i = 0;
    while i < N {
        // SAFETY: the caller's promise.
        unsafe { rows[i].store(state.add(i * V::LANES)) };
        i += 1;
    }
}

/// `G` vectors side by side, as one vector of `G` times the lanes.
#[derive(Clone, Copy)]
pub(crate) struct Group<V, const G: usize>([V; G]);

/// Applies an operation of the member vectors to every member. Loops, not closures: a closure would
/// not be compiled for the instruction set of the function that it is inlined into.
macro_rules! each {
    ($result:ident = $first:expr, |$i:ident| $value:expr) => {{
        let mut $result = $first;
        let mut $i = 0;
        while $i < G {
            $result[$i] = $value;
            $i += 1;
        }
        Group($result)
    }};
}

impl<V: Vector, const G: usize> Vector for Group<V, G> {
    type Word = V::Word;
    const LANES: usize = G * V::LANES;
    const TERNARY: bool = V::TERNARY;

    #[inline(always)]
    unsafe fn splat(word: V::Word) -> Self {
        // SAFETY: the caller's promise.
        Group([unsafe { V::splat(word) }; G])
    }
    #[inline(always)]
    unsafe fn load(from: *const V::Word) -> Self {
        // SAFETY: the caller's promise.
        Group(unsafe { load_rows(from) })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut V::Word) {
        // SAFETY: the caller's promise.
        unsafe { store_rows(to, self.0) }
    }
    #[inline(always)]
    unsafe fn tile(messages: *const &[u8], offset: usize) -> [Self; 4] {
        // SAFETY: the caller's promise, for this and every further member.
        let [a, b, c, d] = unsafe { V::tile(messages, offset) };
        let mut tile = [Group([a; G]), Group([b; G]), Group([c; G]), Group([d; G])];
        let mut i = 1;
        while i < G {
            // SAFETY: as above.
            let [a, b, c, d] = unsafe { V::tile(messages.add(i * V::LANES), offset) };
            tile[0].0[i] = a;
            tile[1].0[i] = b;
            tile[2].0[i] = c;
            tile[3].0[i] = d;
            i += 1;
        }
        tile
    }
    #[inline(always)]
    fn swap_bytes(self) -> Self {
        each!(r = self.0, |i| r[i].swap_bytes())
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].add(other.0[i]))
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].sub(other.0[i]))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].xor(other.0[i]))
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].and(other.0[i]))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].or(other.0[i]))
    }
    #[inline(always)]
    fn not_and(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].not_and(other.0[i]))
    }
    #[inline(always)]
    fn rotate_left<const L: i32, const R: i32>(self) -> Self {
        each!(r = self.0, |i| r[i].rotate_left::<L, R>())
    }
    #[inline(always)]
    fn shift_right<const N: i32>(self) -> Self {
        each!(r = self.0, |i| r[i].shift_right::<N>())
    }
    #[inline(always)]
    fn xor3(self, b: Self, c: Self) -> Self {
        each!(r = self.0, |i| r[i].xor3(b.0[i], c.0[i]))
    }
    #[inline(always)]
    fn select(self, b: Self, c: Self) -> Self {
        each!(r = self.0, |i| r[i].select(b.0[i], c.0[i]))
    }
    #[inline(always)]
    fn majority(self, b: Self, c: Self) -> Self {
        each!(r = self.0, |i| r[i].majority(b.0[i], c.0[i]))
    }
    #[inline(always)]
    fn chi(self, b: Self, c: Self) -> Self {
        each!(r = self.0, |i| r[i].chi(b.0[i], c.0[i]))
    }
    #[inline(always)]
    fn xor_rotated<const L: i32, const R: i32>(self, other: Self) -> Self {
        each!(r = self.0, |i| r[i].xor_rotated::<L, R>(other.0[i]))
    }
}

/// Plain integers: one lane, on any machine.
macro_rules! integer {
    ($($word:ident)*) => {$(
        impl Vector for $word {
            type Word = $word;
            const LANES: usize = 1;

            #[inline(always)]
            unsafe fn splat(word: $word) -> $word {
                word
            }
            #[inline(always)]
            unsafe fn load(from: *const $word) -> $word {
                // SAFETY: the caller's promise.
                unsafe { from.read_unaligned() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $word) {
                // SAFETY: the caller's promise.
                unsafe { to.write_unaligned(self) }
            }
            #[inline(always)]
            unsafe fn tile(messages: *const &[u8], offset: usize) -> [$word; 4] {
                // SAFETY: the caller promises a slice with four words at `offset`.
                let [a, b, c, d] = unsafe { (*messages).as_ptr().add(offset).cast::<[$word; 4]>().read_unaligned() };
                [a.to_le(), b.to_le(), c.to_le(), d.to_le()]
            }
            #[inline(always)]
            fn swap_bytes(self) -> $word {
                self.swap_bytes()
            }
            #[inline(always)]
            fn add(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn sub(self, other: $word) -> $word {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn xor(self, other: $word) -> $word {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: $word) -> $word {
                self & other
            }
            #[inline(always)]
            fn or(self, other: $word) -> $word {
                self | other
            }
            #[inline(always)]
            fn not_and(self, other: $word) -> $word {
                !self & other
            }
            #[inline(always)]
            fn rotate_left<const L: i32, const R: i32>(self) -> $word {
                self.rotate_left(L as u32)
            }
            #[inline(always)]
            fn shift_right<const N: i32>(self) -> $word {
                self >> N
            }
        }
    )*};
}
integer!(u32 u64);
