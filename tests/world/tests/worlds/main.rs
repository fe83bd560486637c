//! Worlds from seeds, and the proof that their judges see.
#![cfg(unix)]

mod real;
