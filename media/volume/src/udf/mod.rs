//! UDF 1.02 to 2.60, after ECMA-167 and OSTA's documents: type 1, sparable and metadata partitions.

mod descriptor;
mod entry;
mod partition;
mod tag;
mod tree;

pub use tree::open;
