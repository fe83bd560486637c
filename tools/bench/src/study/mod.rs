//! The study itself: many short processes per cell, in random interleaved order, their digests
//! checked before their times count, every answer in a journal from which an interrupted study goes
//! on.

mod catalogue;
mod journal;
mod launch;
mod plan;
mod protocol;
mod published;
mod result;
mod run;

pub use catalogue::{Building, Catalogue, Missing, Row, find_runners};
pub use journal::{Entry, Journal};
pub use launch::{Clock, Launch, Monotonic, ProcessEnd, Spawn};
pub use plan::{Cell, Job, Plan};
pub use protocol::{Answer, Header, Repeat};
pub use published::{Program, SLIPS, published};
pub use result::{CellResult, Noise, RowResult, StudyResult, Time};
pub use run::{Step, Watch, run};
