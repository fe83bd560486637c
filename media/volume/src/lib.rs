//! What is inside a medium: partitions, file systems and archives. Everything is read only, from
//! [`Bytes`] at any position, in bounded memory, and whatever is hostile, contradictory or not
//! understood is a [`Failure`] with its place, never an empty answer.

#![forbid(unsafe_code)]

pub mod archive;
mod bytes;
mod node;

pub use bytes::{Bytes, Slice};
pub use node::{Allocation, Content, Failure, Kind, Node, Nodes, Run, Times};
