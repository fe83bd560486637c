//! The job *export*: a result as a timeline or a table of another program.
//!
//! It reads what `hash`, `match` and `list` print in JSON lines, and manifests in any format that
//! `check` reads, and writes Timesketch's CSV, a body file, or Parquet. The result is read twice:
//! the columns are known before the first row.
//!
//! ```
//! use pfh::export::{self, Form, Request};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-export-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let line = r#"{"type":"file","path":"a","size":3,"mtime":"2026-11-21T02:06:33Z","digests":{}}"#;
//! std::fs::write(room.join("list.jsonl"), format!("{line}\n{{\"type\":\"summary\",\"files\":1}}\n"))?;
//! let request = Request::new(room.join("list.jsonl"), Form::Timesketch).output(room.join("a.csv"));
//! let summary = export::run(&request, &Control::new())?;
//! assert!(summary.is_complete() && summary.rows == 1);
//! assert!(std::fs::read_to_string(room.join("a.csv"))?.contains("2026-11-21T02:06:33.000000+00:00"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod lines;
mod lists;
mod reading;
mod request;
mod run;
mod summary;

pub use error::Error;
pub use pfh_report::export::{Form, UnknownForm};
pub use request::Request;
pub use run::run;
pub use summary::Summary;
