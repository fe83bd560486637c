//! The job *export*: a result as a timeline or a table of another program.
//!
//! It reads the JSON lines that `hash`, `match` and `list` print, and manifests in any format that
//! `check` reads. [`run`] hands out its rows; [`write`](write()) makes a [`Table`] of them:
//! Timesketch's CSV, a body file, or Parquet. The result is read twice: the columns are known
//! before the first row.
//!
//! ```
//! use pfh::export::{self, Form, Request, Table};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-export-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! let line = r#"{"type":"file","path":"a","size":3,"mtime":"2026-11-21T02:06:33Z","digests":{}}"#;
//! std::fs::write(room.join("list.jsonl"), format!("{line}\n{{\"type\":\"summary\",\"files\":1}}\n"))?;
//! let request = Request::new(room.join("list.jsonl"));
//! let table = Table::new(Form::Timesketch, room.join("a.csv"));
//! let written = export::write(&request, &table, &mut |_event| Ok(()), &Control::new())?;
//! assert!(written.is_complete() && written.rows == 1);
//! assert!(std::fs::read_to_string(room.join("a.csv"))?.contains("2026-11-21T02:06:33.000000+00:00"));
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod event;
mod lines;
mod lists;
mod problem;
mod reading;
mod request;
mod run;
mod table;

pub use event::{Columns, Event, Events, Summary};
pub use pfh_report::export::{Clock, Form, Row, UnknownForm};
pub use problem::Problem;
pub use request::Request;
pub use run::{run, write};
pub use table::{Table, TableSummary, Writer};
