//! One run of the pipeline: a source is read once, every algorithm sees every byte, records come
//! out in input order.
//!
//! [`run`] is the only loop over files: hashing and matching differ in their sinks. [`imaging`]
//! reads one medium for many digests and targets.
#![forbid(unsafe_code)]

mod alarm;
mod control;
mod descriptors;
mod hashing;
pub mod imaging;
mod in_order;
mod line;
mod mode;
mod permits;
mod pieces;
mod plan;
mod progress;
mod queue;
mod ranges;
mod record;
mod reorder;
mod run;
mod sink;
mod spread;
mod thread;

pub use alarm::Alarm;
pub use control::{Cancel, Control};
pub use in_order::in_order;
pub use mode::{Division, Laps, Mode};
pub use permits::executor;
pub use pfh_prefetch::Backend;
pub use plan::{DEFAULT_MEMORY, Plan};
pub use progress::{FileProgress, MediumProgress, Phase, Progress, Stats};
pub use queue::{LostMessage, Queue, Terms, Ticket};
pub use record::{HashedFile, Outcome, Piece, Record};
pub use run::{Error, Summary, run};
pub use sink::Sink;
