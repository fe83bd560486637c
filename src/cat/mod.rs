//! The job *cat*: the bytes of one member of an image, a file system or an archive, by the name
//! that `list` and `hash` print.
//!
//! [`find`] looks a name up and says where its bytes lie; [`run`] hands the bytes to its caller,
//! [`write`](write()) to an output. A name that two members have is refused, and one that is not
//! there comes with the nearest ones.
//!
//! ```
//! use pfh::cat::{self, Request};
//! use pfh::Control;
//!
//! # let file = std::env::temp_dir().join(format!("pfh-cat-{}.gz", std::process::id()));
//! # let head = b"\x1f\x8b\x08\0\0\0\0\0\0\x03";
//! # std::fs::write(&file, [&head[..], b"\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"].concat())?;
//! let name = [file.as_os_str().as_encoded_bytes(), b"!/", file.file_stem().unwrap().as_encoded_bytes()].concat();
//! let mut bytes = Vec::new();
//! let summary = cat::run(&Request::new(name), &mut |event| {
//!     if let cat::Event::Bytes(part) = event {
//!         bytes.extend_from_slice(part);
//!     }
//!     Ok(())
//! }, &Control::new())?;
//! assert_eq!((&bytes[..], summary.bytes), (&b"abc"[..], 3));
//! # std::fs::remove_file(&file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod find;
mod near;
mod problem;
mod request;
mod row;
mod run;

pub use find::{FoundMember, find};
pub(crate) use near::NearestNames;
pub use problem::Problem;
pub use request::{Part, Request};
pub use row::RunRow;
pub use run::{Event, Events, Summary, run, write};
