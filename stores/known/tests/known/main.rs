//! Known sets from outside: built, harmed, changed. One binary, so that it is linked once.

mod blocks;
mod build;
mod deltas;
mod flips;
mod generators;
mod hostile;
mod meanings;
mod room;
