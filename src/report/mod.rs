//! The job *report*: the results of the other jobs, on one page for a case folder.
//!
//! It reads manifests, results in JSON lines, chained logs, seals and maps, found out by their
//! content; folders are walked. Seals and chains are verified again. Results that are not
//! understood are named, and in the summary.
//!
//! ```
//! use pfh::report::{self, Request};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-report-{}", std::process::id()));
//! # std::fs::create_dir_all(room.join("case"))?;
//! let digest = "900150983cd24fb0d6963f7d28e17f72";
//! std::fs::write(room.join("case/list.md5"), format!("{digest}  letter\n"))?;
//! let request = Request::new([room.join("case")]);
//! let summary = report::write(&request, &room.join("report.html"), &mut |_event| Ok(()), &Control::new())?;
//! assert_eq!((summary.results, summary.records, summary.unknown), (1, 1, 0));
//! assert!(std::fs::read_to_string(room.join("report.html"))?.contains("list.md5"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod acquired;
mod custody;
mod event;
mod found;
mod lines;
mod lists;
mod matched;
pub(crate) mod members;
mod page;
mod problem;
mod request;
mod run;
#[cfg(feature = "serve")]
pub mod serve;
mod similar;
mod sniff;
mod unfinished;
mod verdicts;

pub use event::{Complaint, Event, Events, Summary};
pub use page::Writer;
pub use pfh_report::{account, case, export, pairs, rows, verdict};
pub use problem::Problem;
pub use request::Request;
pub(crate) use run::made;
pub use run::{run, write};
