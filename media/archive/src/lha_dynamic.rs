//! lh1: codes that change with each symbol, as in Yoshizaki's LZHUF.

use super::high_bits::Bits;
use super::prefix::Codes;
use super::ready::{self, ReadyBytes, Steps};
use super::ring::Ring;
use std::io::{self, BufRead, Read};

/// Literals and lengths of 3 to 60.
const LEAVES: usize = 314;
/// Nodes of the tree; the last is its root.
const NODES: usize = 2 * LEAVES - 1;
/// At this count all are halved.
const MOST: u16 = 0x8000;

/// A tree whose nodes stand in the order of their counts.
struct Tree {
    counts: [u16; NODES + 1],
    /// The lower one of a node's two children, or the symbol of a leaf and [`NODES`].
    children: [usize; NODES],
    /// By node, and by symbol and [`NODES`].
    parents: [usize; NODES + LEAVES],
}

impl Tree {
    fn new() -> Box<Tree> {
        let mut tree = Box::new(Tree { counts: [0; NODES + 1], children: [0; NODES], parents: [0; NODES + LEAVES] });
        for symbol in 0..LEAVES {
            (tree.counts[symbol], tree.children[symbol]) = (1, symbol + NODES);
            tree.parents[symbol + NODES] = symbol;
        }
        for (node, child) in (LEAVES..NODES).zip((0..).step_by(2)) {
            tree.counts[node] = tree.counts[child] + tree.counts[child + 1];
            tree.children[node] = child;
            (tree.parents[child], tree.parents[child + 1]) = (node, node);
        }
        tree.counts[NODES] = u16::MAX;
        tree
    }

    /// Builds it again with half of the counts.
    fn halve(&mut self) {
        let mut leaf = 0;
        for node in 0..NODES {
            if self.children[node] >= NODES {
                (self.counts[leaf], self.children[leaf]) = (self.counts[node].div_ceil(2), self.children[node]);
                leaf += 1;
            }
        }
        for (end, child) in (LEAVES..NODES).zip((0..).step_by(2)) {
            let count = self.counts[child] + self.counts[child + 1];
            // Behind all that are not larger.
            let place = self.counts[..end].iter().rposition(|other| *other <= count).map_or(0, |at| at + 1);
            self.counts.copy_within(place..end, place + 1);
            self.children.copy_within(place..end, place + 1);
            (self.counts[place], self.children[place]) = (count, child);
        }
        for node in 0..NODES {
            self.adopt(node);
        }
    }

    /// Sets the parent of a node's children.
    fn adopt(&mut self, node: usize) {
        let child = self.children[node];
        self.parents[child] = node;
        if child < NODES {
            self.parents[child + 1] = node;
        }
    }

    /// Counts a symbol.
    fn count(&mut self, symbol: usize) {
        if self.counts[NODES - 1] == MOST {
            self.halve();
        }
        let mut node = self.parents[symbol + NODES];
        loop {
            let count = self.counts[node] + 1;
            self.counts[node] = count;
            if count > self.counts[node + 1] {
                // The last one that is smaller changes places with it.
                let mut last = node + 1;
                while count > self.counts[last + 1] {
                    last += 1;
                }
                self.counts.swap(node, last);
                self.children.swap(node, last);
                self.adopt(node);
                self.adopt(last);
                node = last;
            }
            if node == NODES - 1 {
                return;
            }
            node = self.parents[node];
        }
    }
}

/// The bytes of a member.
pub struct Dynamic<R> {
    bits: Bits<R>,
    ring: Ring,
    tree: Box<Tree>,
    /// The upper six bits of distances.
    distances: Codes,
    out: ReadyBytes,
}

impl<R: BufRead> Dynamic<R> {
    /// A decoder of a stream.
    pub fn new(input: R) -> Self {
        let mut lengths = Vec::new();
        for (length, count) in [(3, 1), (4, 3), (5, 8), (6, 12), (7, 24), (8, 16)] {
            lengths.resize(lengths.len() + count, length);
        }
        let distances = Codes::new(&lengths).unwrap_or_default();
        let ring = Ring::new(vec![b' '; 4096], 0);
        Dynamic { bits: Bits::new(input), ring, tree: Tree::new(), distances, out: ReadyBytes::default() }
    }
}

impl<R: BufRead> Steps for Dynamic<R> {
    fn ready(&mut self) -> &mut ReadyBytes {
        &mut self.out
    }

    fn step(&mut self) -> io::Result<bool> {
        let mut at = self.tree.children[NODES - 1];
        while at < NODES {
            at = self.tree.children[at + self.bits.bits(1)? as usize];
        }
        let symbol = at - NODES;
        self.tree.count(symbol);
        if symbol < 256 {
            self.ring.push(symbol as u8, &mut self.out.bytes);
            return Ok(true);
        }
        let upper = self.bits.symbol(&self.distances)?;
        let distance = upper << 6 | self.bits.bits(6)? as usize;
        self.ring.again(distance + 1, symbol - 256 + 3, &mut self.out.bytes);
        Ok(true)
    }
}

impl<R: BufRead> Read for Dynamic<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        ready::read(self, buffer)
    }
}
