//! The audit of a storage server, from files to HTTP. `pfh_tree::audit` has the mathematics, `docs/audit.md` the reasons.
//!
//! * [`Kept`]: what the auditor keeps of each file, as a line of text;
//! * [`challenge`]: a question with a nonce of the operating system;
//! * [`answer`]: the answer of whoever has file and tree;
//! * [`Server`] and [`ask`]: the same over HTTP.
#![forbid(unsafe_code)]

mod answer;
mod client;
mod error;
mod http;
mod kept;
mod question;
mod server;
mod shelf;

pub use answer::{Held, answer, keyed};
pub use client::{Answered, ask};
pub use error::Error;
pub use kept::{Kept, parse};
pub use question::challenge;
pub use server::{Limits, Server, Told};
pub use shelf::Shelf;
