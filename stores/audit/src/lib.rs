//! The audit of a storage server, from files to HTTP. `pfh_tree::audit` has the mathematics,
//! `docs/audit.md` the reasons.
//!
//! * [`Kept`]: what the auditor keeps of each file, as a line of text;
//! * [`challenge`]: a question with a nonce of the operating system;
//! * [`answer`]: the answer of whoever has file and tree;
//! * [`Server`] and [`ask`]: the same over HTTP;
//! * [`Tokens`]: questions with their answers, made ahead.
#![forbid(unsafe_code)]

mod answer;
mod client;
mod error;
mod http;
mod kept;
mod question;
mod server;
mod shelf;
mod token;

pub use answer::{Held, answer, keyed, keyed_of_copy};
pub use client::{Answered, ask, ask_keyed};
pub use error::Error;
pub use kept::{Kept, parse};
pub use question::{challenge, seed};
pub use server::{Health, Limits, Served, Server};
pub use shelf::Shelf;
pub use token::Tokens;
