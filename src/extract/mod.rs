//! The job *extract*: members of an image, a file system or an archive as files below a new
//! directory, each read back and compared with the bytes that came out of the container.
//!
//! ```
//! use pfh::extract::{self, Request};
//! use pfh::Control;
//!
//! # let room = std::env::temp_dir().join(format!("pfh-extract-{}", std::process::id()));
//! # std::fs::create_dir_all(&room)?;
//! # let file = room.join("note.gz");
//! # let head = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
//! # std::fs::write(&file, [&head[..], b"\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"].concat())?;
//! let request = Request::new(&file, room.join("out"));
//! let summary = extract::run(&request, &mut |_event| Ok(()), &Control::new())?;
//! assert_eq!((summary.files, summary.bytes, summary.failed), (1, 3, 0));
//! assert_eq!(std::fs::read(room.join("out/note"))?, b"abc");
//! # std::fs::remove_dir_all(&room)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod problem;
mod request;
mod row;
mod run;
mod target;
mod wanted;

pub use problem::Problem;
pub use request::{Limits, Request};
pub use row::Row;
pub use run::{Event, Events, Summary, run};
