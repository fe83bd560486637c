//! A hash function as its standard builds it from a compression function: initial state, padding,
//! output. And its streaming state, whose blocks any kernel can take, one message's or many
//! messages' at once.

use pfh_kernel::{Compression, Word, blake2};

use crate::value::INLINE;
use crate::{Digest, State, Value};

/// Words that change before the last block of a [counted](Padding::Counted) message: the last of
/// the state.
pub(crate) const END: usize = blake2::END;

/// How a message is brought to whole blocks.
#[derive(Clone, Copy, Debug)]
enum Padding<W, const N: usize> {
    /// A 1 bit, zeros, the length in bits in the last eighth of the block, least significant byte
    /// first (RFC 1321, section 3.1).
    LittleEndian,
    /// The same, most significant byte first (FIPS 180-4, section 5.1).
    BigEndian,
    /// A domain byte, which holds the first 1 bit of pad10*1, zeros, and the last 1 bit (FIPS 202,
    /// section B.2; RFC 9861).
    Sponge(u8),
    /// Zeros; the state has the number of bytes and a mark of the last block, which is full or
    /// empty if the message is so (RFC 7693, section 3.3).
    Counted {
        /// The state before the first block, by the length of the digest.
        initial: fn(usize) -> [W; N],
        /// The last words of the state before the last block, by the length of the message.
        end: fn(u128) -> [W; END],
    },
}

/// A hash function over blocks: `N` words of state, blocks of `B` bytes.
#[derive(Debug)]
pub struct Function<W: 'static, const N: usize, const B: usize> {
    compression: &'static Compression<W>,
    initial: [W; N],
    padding: Padding<W, N>,
}

impl<W: Word, const N: usize, const B: usize> Function<W, N, B> {
    /// Words and lengths least significant byte first, blocks of `B` bytes: the MD4 family outside
    /// NIST.
    pub const fn little_endian(compression: &'static Compression<W>, initial: [W; N]) -> Self {
        Function { compression, initial, padding: Padding::LittleEndian }
    }

    /// Words and lengths most significant byte first, blocks of `B` bytes: SHA-1 and SHA-2.
    pub const fn big_endian(compression: &'static Compression<W>, initial: [W; N]) -> Self {
        Function { compression, initial, padding: Padding::BigEndian }
    }

    /// The function over which kernels are chosen.
    pub fn compression(&self) -> &'static Compression<W> {
        self.compression
    }

    /// The state before the first block of a message whose digest has `length` bytes.
    pub(crate) fn initial(&self, length: usize) -> [W; N] {
        match self.padding {
            Padding::Counted { initial, .. } => initial(length),
            _ => self.initial,
        }
    }

    /// Whether another length of the digest is another function.
    pub(crate) fn is_sized(&self) -> bool {
        matches!(self.padding, Padding::Counted { .. })
    }

    /// The last words of the state before the last block of a message of `length` bytes, where they
    /// are not those that the blocks before have left.
    pub(crate) fn end(&self, length: u128) -> Option<[W; END]> {
        match self.padding {
            Padding::Counted { end, .. } => Some(end(length)),
            _ => None,
        }
    }

    /// How many of `length` bytes are whole blocks that are not the last one: where the padding
    /// adds nothing to a full block, this may be the last.
    pub(crate) fn body(&self, length: usize) -> usize {
        let length = if self.is_sized() { length.saturating_sub(1) } else { length };
        length - length % B
    }

    /// Compresses whole blocks of one message.
    pub(crate) fn compress(&self, state: &mut [W; N], blocks: &[u8]) {
        if !blocks.is_empty() {
            self.compression.one().compress(state, &[blocks], blocks.len() / B, B);
        }
    }

    /// Writes the last blocks of a message of `length` bytes, whose end `rest` does not fill a
    /// block, and returns their length.
    pub(crate) fn pad(&self, rest: &[u8], length: u128, last: &mut [[u8; B]; 2]) -> usize {
        *last = [[0; B]; 2];
        let last = last.as_flattened_mut();
        let field = match self.padding {
            Padding::Counted { .. } => {
                last[..rest.len()].copy_from_slice(rest);
                return B;
            }
            Padding::Sponge(_) => 0,
            _ => B / 8,
        };
        let end = if rest.len() + 1 + field > B { 2 * B } else { B };
        last[..rest.len()].copy_from_slice(rest);
        // The standards count modulo the field: 2^64 bits, or 2^128.
        let bits = length.wrapping_mul(8);
        match self.padding {
            Padding::LittleEndian => {
                last[rest.len()] = 0x80;
                last[end - field..end].copy_from_slice(&bits.to_le_bytes()[..field]);
            }
            Padding::BigEndian => {
                last[rest.len()] = 0x80;
                last[end - field..end].copy_from_slice(&bits.to_be_bytes()[16 - field..]);
            }
            Padding::Sponge(domain) => {
                last[rest.len()] = domain;
                last[end - 1] ^= 0x80;
            }
            Padding::Counted { .. } => {}
        }
        end
    }

    /// Writes one word of output.
    #[inline]
    fn put(&self, to: &mut [u8], word: W) {
        match self.padding {
            Padding::BigEndian => to.copy_from_slice(word.to_be_bytes().as_ref()),
            _ => to.copy_from_slice(word.to_le_bytes().as_ref()),
        }
    }

    /// Writes the output of the state after the last block, word by word, into a
    /// [blank](Digest::blank) digest. Small messages come in millions: each word goes to its place
    /// in the results at once and is not moved again, since a wide load of bytes that narrow stores
    /// have just written waits for them all.
    #[inline]
    pub(crate) fn finish(&self, state: impl Fn(usize) -> W, digest: &mut Digest) {
        let length = digest.algorithm().length();
        let most = if matches!(self.padding, Padding::Sponge(_)) { B } else { N * size_of::<W>() };
        match digest.place() {
            Some(place) if length <= most.min(INLINE) => {
                let places = place.chunks_exact_mut(size_of::<W>()).take(N).enumerate();
                match self.padding {
                    Padding::BigEndian => {
                        places.for_each(|(i, to)| to.copy_from_slice(state(i).to_be_bytes().as_ref()));
                    }
                    _ => {
                        places.for_each(|(i, to)| to.copy_from_slice(state(i).to_le_bytes().as_ref()));
                    }
                }
            }
            _ => *digest = Digest::new(digest.algorithm(), self.output(std::array::from_fn(state), length)),
        }
    }

    /// The first `length` bytes of output of the state after the last block.
    pub(crate) fn output(&self, mut state: [W; N], length: usize) -> Value {
        let word = size_of::<W>();
        // The most that one state gives: a sponge its rate, the others all they have.
        let most = if matches!(self.padding, Padding::Sponge(_)) { B } else { N * word };
        Value::filled(length, |value| {
            for (part, bytes) in value.chunks_mut(most).enumerate() {
                if part > 0 {
                    self.compression.one().permute(&mut state, 1);
                }
                let whole = bytes.len() / word;
                let (words, rest) = bytes.split_at_mut(whole * word);
                for (to, from) in words.chunks_exact_mut(word).zip(&state) {
                    self.put(to, *from);
                }
                // A length that ends within a word.
                if let (false, Some(from)) = (rest.is_empty(), state.get(whole)) {
                    let mut last = [0; 8];
                    self.put(&mut last[..word], *from);
                    rest.copy_from_slice(&last[..rest.len()]);
                }
            }
        })
    }
}

impl<const B: usize> Function<u64, 25, B> {
    /// A sponge with a rate of `B` bytes: a multiple of 8, from 32 to 192. `domain` holds the
    /// suffix of the message and the first bit of the padding: 0x06 for SHA-3, 0x1f for SHAKE.
    pub const fn sponge(compression: &'static Compression<u64>, domain: u8) -> Self {
        Function { compression, initial: [0; 25], padding: Padding::Sponge(domain) }
    }
}

impl<W: Word, const B: usize> Function<W, { blake2::WORDS }, B> {
    /// BLAKE2: a state that counts, set for the length of the digest and before the last block.
    pub const fn counted(
        compression: &'static Compression<W>,
        none: W,
        initial: fn(usize) -> [W; blake2::WORDS],
        end: fn(u128) -> [W; END],
    ) -> Self {
        Function { compression, initial: [none; blake2::WORDS], padding: Padding::Counted { initial, end } }
    }
}

/// One message under a function: the state, and the bytes that do not fill a block yet.
#[derive(Clone)]
pub(crate) struct Blocks<W: 'static, const N: usize, const B: usize> {
    pub(crate) function: &'static Function<W, N, B>,
    pub(crate) state: [W; N],
    buffer: [u8; B],
    filled: usize,
    /// Bytes so far. No message reaches 2^128.
    length: u128,
}

impl<W: Word, const N: usize, const B: usize> Blocks<W, N, B> {
    /// The empty message under a function with one length of digest.
    pub(crate) fn new(function: &'static Function<W, N, B>) -> Self {
        Blocks::sized(function, N * size_of::<W>())
    }

    /// The empty message, whose digest will have `length` bytes.
    pub(crate) fn sized(function: &'static Function<W, N, B>, length: usize) -> Self {
        Blocks { function, state: function.initial(length), buffer: [0; B], filled: 0, length: 0 }
    }

    /// Bytes of the message so far.
    pub(crate) fn length(&self) -> u128 {
        self.length
    }

    /// Bytes that wait in the buffer for their block to fill.
    pub(crate) fn buffered(&self) -> usize {
        self.filled
    }

    /// Takes in `bytes`, except for the compressing: the blocks that have become whole are the
    /// buffer's, which is copied to `first` (true if there is one), and those of the slice
    /// returned. The caller must compress them in this order.
    pub(crate) fn take<'a>(&mut self, mut bytes: &'a [u8], first: &mut [u8; B]) -> (bool, &'a [u8]) {
        self.length += bytes.len() as u128;
        let mut has_first = false;
        if self.filled > 0 {
            let some = bytes.len().min(B - self.filled);
            self.buffer[self.filled..][..some].copy_from_slice(&bytes[..some]);
            self.filled += some;
            bytes = &bytes[some..];
            if self.filled == B && !(bytes.is_empty() && self.function.is_sized()) {
                *first = self.buffer;
                self.filled = 0;
                has_first = true;
            }
        }
        let (blocks, rest) = bytes.split_at(self.function.body(bytes.len()));
        if !rest.is_empty() {
            // Either the buffer was empty or it has just been emptied: otherwise all bytes went
            // into it.
            self.buffer[..rest.len()].copy_from_slice(rest);
            self.filled = rest.len();
        }
        (has_first, blocks)
    }

    /// Writes the last blocks and returns their length.
    pub(crate) fn pad(&self, last: &mut [[u8; B]; 2]) -> usize {
        self.function.pad(&self.buffer[..self.filled], self.length, last)
    }

    /// The state before the blocks of [`pad`](Blocks::pad).
    pub(crate) fn ending(&self) -> [W; N] {
        let mut state = self.state;
        if let Some(end) = self.function.end(self.length) {
            state[N - END..].copy_from_slice(&end);
        }
        state
    }
}

impl<W: Word, const N: usize, const B: usize> State for Blocks<W, N, B> {
    fn update(&mut self, bytes: &[u8]) {
        let mut first = [0; B];
        let (has_first, blocks) = self.take(bytes, &mut first);
        if has_first {
            self.function.compress(&mut self.state, &first);
        }
        self.function.compress(&mut self.state, blocks);
    }

    fn finalize(mut self: Box<Self>, length: usize) -> Value {
        let mut last = [[0; B]; 2];
        let end = self.pad(&mut last);
        self.state = self.ending();
        self.function.compress(&mut self.state, &last.as_flattened()[..end]);
        self.function.output(self.state, length)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::{MD5, SHA1, SHA256, SHA512};

    /// Ends a message that is made out to have `length` bytes so far, none of them in the buffer,
    /// and compares with a last block written out here: the counter must carry as far as the
    /// standard's field does, and no further.
    fn ends<W: Word, const N: usize, const B: usize>(
        function: &'static Function<W, N, B>,
        length: u128,
        big_endian: bool,
    ) {
        for rest in [0, 1, B - B / 8 - 1, B - B / 8, B - 1] {
            let rest: Vec<u8> = (0..rest as u8).collect();
            let mut state = Box::new(Blocks::new(function));
            state.length = length;
            state.update(&rest);
            let bits = (length + rest.len() as u128) * 8;
            let mut field: Vec<u8> = (0..B / 8).map(|byte| (bits >> (8 * byte)) as u8).collect();
            if big_endian {
                field.reverse();
            }
            let mut last = rest.clone();
            last.push(0x80);
            while !(last.len() + B / 8).is_multiple_of(B) {
                last.push(0);
            }
            last.extend(field);
            let mut expected = function.initial;
            function.compression.portable().compress(&mut expected, &[&last], last.len() / B, B);
            let expected = function.output(expected, N * size_of::<W>());
            assert_eq!(
                state.finalize(N * size_of::<W>()).bytes(),
                expected.bytes(),
                "{length} bytes and {}",
                rest.len()
            );
        }
    }

    #[test]
    fn counters_carry_at_every_power_that_could_be_forgotten() {
        // Bits 32 and 64 of the counter, in bytes and in bits, and bit 61 of the length in bytes.
        for power in [29u32, 32, 58, 61, 64] {
            for blocks in [-1i128, 0, 1] {
                let length = (1u128 << power).checked_add_signed(128 * blocks).unwrap();
                ends(&SHA512, length, true);
                ends(&SHA256, length, true);
                ends(&SHA1, length, true);
                ends(&MD5, length, false);
            }
        }
        ends(&SHA512, (1u128 << 125) - 256, true);
    }
}
