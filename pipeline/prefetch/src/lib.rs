//! The prefetcher: readers fill the table with whole small files and with chunks of larger ones, in
//! memory that is bounded in bytes; workers empty it.
//!
//! The paper (Breitinger & Petrov, §III) calls the table the RAM table and gives it a number of
//! slots. Here it is bounded in bytes: [`Budget`] hands out slabs, and a slab's permit returns when
//! the last chunk inside it is dropped. No file is skipped for its size: one that does not fit a
//! slab streams through as chunks, in offset order.
#![forbid(unsafe_code)]

mod agenda;
mod apart;
mod backend;
mod budget;
mod choice;
mod chunk;
mod device;
mod event_count;
mod feed;
pub mod host;
mod in_hand;
mod lap;
mod lent;
mod open;
mod reader;
mod reserve;
mod table;
mod together;

pub use apart::RangeEnd;
pub use backend::Backend;
pub use budget::{Budget, Slab};
pub use chunk::{Bytes, Chunk, End};
pub use device::DeviceLocks;
pub use event_count::EventCount;
pub use feed::Feed;
pub use in_hand::{InHand, LostWork};
pub use lap::{EndedMessage, Lap, LapBytes, Pace};
pub use open::Open;
pub use reader::{Reader, Step};
pub use reserve::Reserve;
pub use table::{Depth, For, Job, ResumedMessage, Table, Take};
