//! Lists and trees of digests by which networks for sharing files know a file: over leaves of one
//! size, one after the other.

use digest::Digest;
use md4::Md4;
use tiger::Tiger;

use crate::functions::SHA1;
use crate::{State, Value};

/// Bytes of a leaf of the Tiger tree.
const LEAF: usize = 1024;
/// Bytes of a part in eDonkey and eMule.
const PART: usize = 9_728_000;
/// Bytes of a block of eMule's tree; the last block of a part is shorter.
const BLOCK: usize = 180 << 10;

/// Hands `bytes` over in pieces that fill leaves of `size` bytes; `filled` bytes of the current
/// leaf are there. `take` is called for each piece, with whether the leaf is full then.
fn leaves(mut bytes: &[u8], size: usize, filled: &mut usize, mut take: impl FnMut(&[u8], bool)) {
    while !bytes.is_empty() {
        let (piece, rest) = bytes.split_at(bytes.len().min(size - *filled));
        *filled = (*filled + piece.len()) % size;
        take(piece, *filled == 0);
        bytes = rest;
    }
}

/// The tree of THEX over Tiger: a leaf is the digest of a zero byte and 1024 bytes of the message,
/// a node that of a one byte and both nodes below; a node without a neighbour moves up as it is.
#[derive(Clone)]
struct Tth {
    leaf: Tiger,
    /// Bytes of the message in `leaf`.
    filled: usize,
    /// Leaves that are complete.
    complete: u64,
    /// Roots of complete trees, largest first: one for each bit that is set in `complete`.
    stack: Vec<[u8; 24]>,
}

fn leaf() -> Tiger {
    Tiger::new_with_prefix([0])
}

fn node(left: &[u8], right: &[u8]) -> [u8; 24] {
    Tiger::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
}

impl State for Tth {
    fn update(&mut self, bytes: &[u8]) {
        let mut filled = self.filled;
        leaves(bytes, LEAF, &mut filled, |piece, is_full| {
            self.leaf.update(piece);
            if is_full {
                let mut value: [u8; 24] = std::mem::replace(&mut self.leaf, leaf()).finalize().into();
                let mut joined = self.complete;
                while joined & 1 == 1 {
                    let left = self.stack.pop().expect("a root for each bit");
                    value = node(&left, &value);
                    joined >>= 1;
                }
                self.stack.push(value);
                self.complete += 1;
            }
        });
        self.filled = filled;
    }

    fn finalize(mut self: Box<Self>, _length: usize) -> Value {
        if self.filled > 0 || self.complete == 0 {
            self.stack.push(self.leaf.finalize().into());
        }
        let root = self.stack.into_iter().rev().reduce(|right, left| node(&left, &right));
        Value::from_bytes(&root.expect("a leaf at least"))
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The empty message under the Tiger tree.
pub(crate) fn tth() -> Box<dyn State> {
    Box::new(Tth { leaf: leaf(), filled: 0, complete: 0, stack: Vec::new() })
}

/// eDonkey's: MD4 of a message of less than a part; of a longer one that of the digests of its
/// parts, the last of which is empty if the others are full (as eMule and RHash have it).
#[derive(Clone)]
struct Ed2k {
    part: Md4,
    /// Bytes in `part`.
    filled: usize,
    /// Takes the digests of the parts that are full; `None` before the first.
    list: Option<Md4>,
}

impl State for Ed2k {
    fn update(&mut self, bytes: &[u8]) {
        let mut filled = self.filled;
        leaves(bytes, PART, &mut filled, |piece, is_full| {
            self.part.update(piece);
            if is_full {
                self.list.get_or_insert_default().update(self.part.finalize_reset());
            }
        });
        self.filled = filled;
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        let last = self.part.finalize();
        Value::from_bytes(&match self.list {
            Some(list) => list.chain_update(last).finalize(),
            None => last,
        })
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The empty message under eDonkey's list.
pub(crate) fn ed2k() -> Box<dyn State> {
    Box::new(Ed2k { part: Md4::new(), filled: 0, list: None })
}

type Sha1 = [u8; 20];

/// eMule's tree of SHA-1: parts, and in each part blocks of 180 KiB. A node with an odd number of
/// parts or blocks below has the greater share on its left if it is itself a left one, so a part
/// has two roots: one for each side.
struct Aich {
    block: Box<dyn State>,
    /// Bytes of the part that is not full yet.
    filled: usize,
    /// Digests of its blocks that are full.
    blocks: Vec<Sha1>,
    /// Of each full part: its root as a left node and as a right one.
    parts: Vec<[Sha1; 2]>,
}

fn sha1() -> Box<dyn State> {
    Box::new(crate::function::Blocks::new(&SHA1))
}

fn ended(state: Box<dyn State>) -> Sha1 {
    let mut digest = Sha1::default();
    digest.copy_from_slice(state.finalize(size_of::<Sha1>()).bytes());
    digest
}

/// The root of leaves, which have two values each.
fn root(leaves: &[[Sha1; 2]], is_left: bool) -> Sha1 {
    if let [leaf] = leaves {
        return leaf[usize::from(!is_left)];
    }
    let (left, right) = leaves.split_at((leaves.len() + usize::from(is_left)) / 2);
    let mut node = sha1();
    node.update(&root(left, true));
    node.update(&root(right, false));
    ended(node)
}

/// Both roots of a part with these blocks.
fn part(blocks: &[Sha1]) -> [Sha1; 2] {
    let leaves: Vec<[Sha1; 2]> = blocks.iter().map(|block| [*block; 2]).collect();
    [root(&leaves, true), root(&leaves, false)]
}

impl Aich {
    fn end_block(&mut self) {
        self.blocks.push(ended(std::mem::replace(&mut self.block, sha1())));
    }

    fn end_part(&mut self) {
        self.parts.push(part(&std::mem::take(&mut self.blocks)));
    }
}

impl State for Aich {
    fn update(&mut self, bytes: &[u8]) {
        let mut in_part = self.filled;
        leaves(bytes, PART, &mut in_part, |bytes, is_full| {
            let mut in_block = self.filled % BLOCK;
            leaves(bytes, BLOCK, &mut in_block, |piece, is_full| {
                self.block.update(piece);
                if is_full {
                    self.end_block();
                }
            });
            self.filled += bytes.len();
            if is_full {
                // The last block of a part is a shorter one.
                self.end_block();
                self.end_part();
                self.filled = 0;
            }
        });
    }

    fn finalize(mut self: Box<Self>, _length: usize) -> Value {
        if !self.filled.is_multiple_of(BLOCK) || (self.blocks.is_empty() && self.parts.is_empty()) {
            self.end_block();
        }
        if !self.blocks.is_empty() {
            self.end_part();
        }
        Value::from_bytes(&root(&self.parts, true))
    }

    fn duplicate(&self) -> Box<dyn State> {
        let (blocks, parts) = (self.blocks.clone(), self.parts.clone());
        Box::new(Aich { block: self.block.duplicate(), filled: self.filled, blocks, parts })
    }
}

/// The empty message under eMule's tree.
pub(crate) fn aich() -> Box<dyn State> {
    Box::new(Aich { block: sha1(), filled: 0, blocks: Vec::new(), parts: Vec::new() })
}
