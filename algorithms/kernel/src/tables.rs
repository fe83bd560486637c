//! The kernels of all functions and sets, for people.

use crate::kernel::{Compression, Word};
use crate::stitched;
use crate::table::{BLAKE2B, BLAKE2S, KECCAK12, KECCAK24, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, Table};

/// The tables of all functions, and those of the sets that are computed together, with the costs
/// and the choices of this process. Functions that were not in use are tested and measured.
pub fn tables() -> Vec<Table> {
    fn table<W: Word>(compression: &'static Compression<W>) -> Table {
        Table { function: compression.name(), rows: compression.rows() }
    }
    let functions = [
        table(&MD5),
        table(&SHA1),
        table(&SHA256),
        table(&SHA512),
        table(&KECCAK24),
        table(&KECCAK12),
        table(&RIPEMD160),
        table(&BLAKE2B),
        table(&BLAKE2S),
        table(&SM3),
    ];
    functions.into_iter().chain(stitched::tables()).collect()
}
