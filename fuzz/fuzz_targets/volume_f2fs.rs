//! F2FS: the reader ends on any maps, inodes and directories, and no file is shorter than its
//! stated size. The superblock and the checkpoint are whole, with a right checksum: otherwise
//! nothing behind them would be read.
#![no_main]

use std::io::{self, Read, copy, sink};
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use pfh_volume::{Bytes, Options, VolumeContent, file_system};

const BLOCK: usize = 4096;
/// Blocks where areas begin: checkpoints, map of segments, map of nodes, data; and the end of the
/// volume.
const CHECKPOINTS: usize = 512;
const SEGMENTS: usize = 1536;
const NODES: usize = 2560;
const MAIN: usize = 3584;
const END: usize = MAIN + 512;
/// Bytes of the input for the checkpoint's fields, and for rows of the map of nodes.
const STATE: usize = 256;
const ROWS: usize = 64 * 9;
/// Blocks of data.
const NODE_BLOCKS: usize = 32;

/// A medium. All its blocks are zero but a few.
struct Sparse {
    blocks: Vec<Option<Vec<u8>>>,
}

impl Sparse {
    fn of(blocks: Vec<(usize, Vec<u8>)>) -> Sparse {
        let mut all = vec![None; END];
        blocks.into_iter().for_each(|(at, bytes)| all[at] = Some(bytes));
        Sparse { blocks: all }
    }
}

impl Bytes for Sparse {
    fn size(&self) -> u64 {
        (END * BLOCK) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let (at, within) = (offset as usize / BLOCK, offset as usize % BLOCK);
        if at >= END {
            return Ok(0);
        }
        let length = buffer.len().min(BLOCK - within);
        match &self.blocks[at] {
            Some(bytes) => buffer[..length].copy_from_slice(&bytes[within..within + length]),
            None => buffer[..length].fill(0),
        }
        Ok(length)
    }
}

/// The start of a block.
fn block(bytes: &[u8]) -> Vec<u8> {
    let mut block = bytes.to_vec();
    block.resize(BLOCK, 0);
    block
}

fn put(block: &mut [u8], at: usize, number: u32) {
    block[at..at + 4].copy_from_slice(&number.to_le_bytes());
}

fn superblock() -> Vec<u8> {
    let mut first = vec![0; BLOCK];
    let number = |at: usize, number: usize, first: &mut Vec<u8>| put(&mut first[1024..], at, number as u32);
    for (at, value) in [(0, 0xf2f5_2010), (16, 12), (20, 9), (36, END), (56, 2), (60, 2), (68, 1), (72, CHECKPOINTS)] {
        number(at, value, &mut first);
    }
    for (at, value) in [(76, CHECKPOINTS), (80, SEGMENTS), (84, NODES), (92, MAIN), (96, 3), (100, 1), (104, 2)] {
        number(at, value, &mut first);
    }
    // Attributes of any size, times of creation, compression.
    number(2180, 0x4000 | 0x2000 | 0x100 | 0x40 | 8, &mut first);
    first
}

/// A checkpoint of eight blocks, the summaries in front of the last one.
fn checkpoint(fields: &[u8]) -> Vec<u8> {
    let mut state = block(fields);
    for (at, value) in [(136, 8), (140, 1), (156, 64), (160, 64), (164, BLOCK as u32 - 4)] {
        put(&mut state, at, value);
    }
    let mut hasher = crc32fast::Hasher::new_with_initial(!0xf2f5_2010);
    hasher.update(&state[..BLOCK - 4]);
    let sum = !hasher.finalize();
    put(&mut state, BLOCK - 4, sum);
    state
}

/// Rows of the map of nodes: where the input states none, the nodes from the root on take one block
/// of data each.
fn nodes(stated: &[u8]) -> Vec<u8> {
    let mut rows = block(stated);
    for number in 3..3 + NODE_BLOCKS {
        let at = 9 * number;
        if rows[at..at + 9] == [0; 9] {
            put(&mut rows, at + 1, number as u32);
            put(&mut rows, at + 5, (MAIN + number - 3) as u32);
        }
    }
    rows
}

/// A block of data, with the footer of the node that [`nodes`] leads to it where the input has
/// none.
fn node(number: usize, bytes: &[u8]) -> Vec<u8> {
    let mut raw = block(bytes);
    if raw[4072..4080] == [0; 8] {
        put(&mut raw, 4072, 3 + number as u32);
        put(&mut raw, 4076, 3 + number as u32);
    }
    // The first is the root.
    if number == 0 {
        raw[..2].copy_from_slice(&0x41ed_u16.to_le_bytes());
    }
    raw
}

fuzz_target!(|data: &[u8]| {
    let (fields, rest) = data.split_at(data.len().min(STATE));
    let (rows, rest) = rest.split_at(rest.len().min(ROWS));
    let state = checkpoint(fields);
    let rest = if rest.is_empty() { &[0][..] } else { rest };
    let mut blocks =
        vec![(0, superblock()), (CHECKPOINTS, state.clone()), (CHECKPOINTS + 7, state), (NODES, nodes(rows))];
    blocks.extend(
        rest.chunks(BLOCK).take(NODE_BLOCKS).enumerate().map(|(number, bytes)| (MAIN + number, node(number, bytes))),
    );
    let Ok(VolumeContent::FileSystem(volume)) = file_system(Arc::new(Sparse::of(blocks))) else {
        panic!("a superblock and a checkpoint that are whole");
    };
    // The search for deleted files reads the whole map of nodes, which takes as long as a thousand
    // other inputs.
    let deleted = fields.last().is_some_and(|byte| byte & 63 == 1);
    for node in volume.nodes(Options { deleted, unallocated: deleted }).flatten().take(5000) {
        let Some(content) = node.content else { continue };
        if let Ok(reader) = content.open() {
            let got = copy(&mut reader.take(1 << 16), &mut sink());
            assert!(!matches!((got, node.size), (Ok(got), Some(stated)) if got != stated.min(1 << 16)));
        }
    }
});
