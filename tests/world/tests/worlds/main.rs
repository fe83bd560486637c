//! Worlds from seeds, and the proof that their judges see.
#![cfg(unix)]

mod caught;
mod found;
mod real;
mod scripts;
mod sweep;
