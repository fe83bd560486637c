//! The audit of a storage server, from files to HTTP. `pfh_tree::audit` has the mathematics,
//! `docs/audit.md` the reasons.
//!
//! * [`KeptCommitment`]: the auditor's record of each file, as a line of text;
//! * [`challenge`]: a question with a nonce of the operating system;
//! * [`answer`](fn@answer): the answer of the side that has file and tree;
//! * `Server` and `ask`, with the feature `http`: the same between two machines; `http` has their
//!   shared parts;
//! * [`Tokens`]: questions with their answers, made ahead.
#![forbid(unsafe_code)]

mod answer;
#[cfg(feature = "http")]
mod client;
mod error;
#[cfg(feature = "http")]
pub mod http;
mod kept;
mod question;
#[cfg(feature = "http")]
mod server;
#[cfg(feature = "http")]
mod shelf;
mod token;

pub use answer::{AnswerFile, answer, keyed, keyed_of_copy};
#[cfg(feature = "http")]
pub use client::{TimedAnswer, ask, ask_keyed};
pub use error::Error;
pub use kept::{KeptCommitment, parse};
pub use question::{challenge, seed};
#[cfg(feature = "http")]
pub use server::{Health, Limits, ServedRequest, Server};
#[cfg(feature = "http")]
pub use shelf::Shelf;
pub use token::Tokens;
