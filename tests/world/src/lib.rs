//! Worlds from one number: the real jobs of the library run over a real directory, while calls fail
//! at the seam of the system, other processes change files, and jobs are killed and begun again.
//!
//! A [`Script`](script::Script) is [drawn](draw::draw) from a seed, [played](play::play), and
//! judged by [laws]: each judge knows which bytes stood when. [`campaign`] plays many, and shrinks
//! the script of each that breaks a law; a [`sweep`](sweep::Case::sweep) lets every call of a job
//! fail.
#![cfg(unix)]
#![forbid(unsafe_code)]

pub mod account;
pub mod campaign;
pub mod deed;
pub mod draw;
pub mod jobs;
pub mod judge;
pub mod laws;
pub mod list;
pub mod other;
pub mod past;
pub mod play;
pub mod random;
pub mod room;
pub mod script;
pub mod shrink;
pub mod stage;
pub mod step;
pub mod sweep;
