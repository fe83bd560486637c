//! The job *disks*: the disks of this machine and their partitions, for choosing a source.
//!
//! The kernel's own files (`/sys`, `/proc`) state the disks, udev's record fills in; on Windows the
//! system's calls state them. The contents of the disks are found by reading them. Nothing is
//! written.
//!
//! ```
//! use pfh::Control;
//! use pfh::disks::{self, Event, Request};
//!
//! # let system = std::env::temp_dir().join(format!("pfh-disks-{}", std::process::id()));
//! # std::fs::create_dir_all(system.join("sys/block/sda/queue"))?;
//! # std::fs::write(system.join("sys/block/sda/size"), "2048\n")?;
//! # std::fs::write(system.join("sys/block/sda/ro"), "1\n")?;
//! let mut request = Request::new();
//! # request.system = system.clone();
//! request.contents = disks::Contents::Unread;
//! let summary = disks::run(&request, &mut |event| {
//!     let Event::Disk(disk) = event;
//!     println!("{}: {} bytes, write-blocked: {}", disk.path.display(), disk.size, disk.write_blocked);
//!     Ok(())
//! }, &Control::new())?;
//! assert!(summary.disks > 0);
//! # std::fs::remove_dir_all(&system)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod called;
mod content;
mod event;
mod json;
mod kernel;
mod listed;
mod mounts;
mod probe;
mod problem;
mod request;
mod row;
mod run;
mod temperature;
mod udev;

pub use event::{Event, Events, Summary};
pub use json::DiskRow;
pub use problem::Problem;
pub use request::{Contents, DeviceChoice, Request};
pub use row::{Content, Disk, Holder, Mount, Partition};
pub use run::run;
pub use temperature::temperature;
