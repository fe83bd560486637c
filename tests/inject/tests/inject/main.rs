//! The injectors themselves. One binary, so that it is linked once.

mod filesystem;
mod powercut;
