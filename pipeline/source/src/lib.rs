//! Where bytes come from: walked trees, lists of names, standard input and objects that a caller
//! brings.
//!
//! A [`Source`] yields [`Item`]s in input order, each with its number; an [`Entry`] is opened by
//! its reader. Every system call is in [`os`]; an [`Output`] is a file that a run writes. Names are
//! bytes: [`terminal`] renders them for people.

mod address;
mod alone;
mod base;
mod batch;
mod descend;
pub mod device;
mod document;
mod entry;
mod finding;
pub mod image;
mod inside;
mod interruption;
mod list;
mod listing;
mod loan;
mod merge;
mod names;
mod operand;
mod order;
pub mod os;
mod output;
mod own;
mod panics;
mod past;
mod past_cache;
mod place;
mod problem;
mod ranges;
mod read;
mod received;
mod select;
mod source;
mod stat;
mod still;
mod stream;
mod streams;
mod swept;
pub mod terminal;
pub mod text;
mod total;
mod unnumbered;
mod volumes;
mod walk;
mod wildcards;
mod within;

pub use address::is_address;
pub use alone::Alone;
pub use base::Base;
pub use batch::{Ahead, Batch};
pub use descend::{Descend, Links, Recurse, Special};
pub use document::Document;
pub use entry::{Entry, Item, Object, Origin, Skip};
pub use finding::{FindingId, Level, LevelError, Levels};
pub use inside::{Extent, Inside};
pub use interruption::{end_texts_here_when, end_texts_when, is_text_ended, is_text_ended_here, notice_end};
pub use list::{Separator, names};
pub use loan::{CopiedReader, Lender, Loan};
pub use merge::Merge;
pub use names::NameRow;
pub use operand::{OperandPath, Operands, Paths};
pub use order::{Order, OrderedSource};
pub use os::ChangeTimes;
pub use output::{Around, Output, replace, replace_closed};
pub use own::OwnFilter;
pub use panics::{fail_point, note_panic, panics};
pub use past_cache::PastCache;
pub use pfh_container::Time;
pub use problem::{Cause, Problem, Stage, StoreAnswer, errno_name};
pub use ranges::Ranges;
pub use read::{Note, Positions, ReadResult, Reading, RefusedRead};
pub use received::ReceivedFolder;
pub use select::{Selection, SelectionError};
pub use source::Source;
pub use stat::Stat;
pub use still::Still;
pub use stream::{NamedTwice, Reader as StreamReader, Stream, Streams};
pub use swept::{Hosts, Swept};
pub use total::total;
pub use volumes::{Passage, ShadowFacts, Volume, Volumes};
pub use wildcards::wildcards;
pub use within::FolderSource;
