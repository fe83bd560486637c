//! The tree modes through the crate's public interface: vectors, outboards, proofs, audits and
//! attacks on them. One binary, so that it is linked once.

mod apart;
mod arrivals;
mod attacks;
mod audit;
mod flat;
mod foreign;
mod interleaved;
mod keyed;
mod modes;
mod outboard;
mod range;
mod reference;
