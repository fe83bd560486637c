//! The job *selftest*: whether this program, on this machine and in a directory of it, gives right
//! answers, and the properties of its file system that safety rests on.
//!
//! [`run`] computes known digests on every instruction set that the processor has, reads images,
//! lists and a seal that are part of the program, asks the file system one question after the other
//! in a directory that it makes and removes, and measures speeds. Each answer is a [`Row`].
//!
//! ```
//! use pfh::selftest::{self, Request, Standing};
//! use pfh::Control;
//!
//! let request = Request::new(std::env::temp_dir()).bytes(1 << 20);
//! let mut wrong = 0;
//! let summary = selftest::run(&request, &mut |row| {
//!     wrong += u64::from(row.standing == Standing::Wrong);
//!     Ok(())
//! }, &Control::default())?;
//! assert_eq!((wrong, summary.wrong), (0, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod ask;
mod json;
mod known;
mod levels;
mod machine;
mod names;
mod problem;
mod reading;
mod request;
mod room;
mod row;
mod speed;
mod times;
mod vectors;
mod writing;

pub use json::{TestRow, TestsSum};
pub use problem::Problem;
pub use request::Request;
pub use row::{Group, Row, Standing, Summary};
pub use vectors::{Digests, digests};

use crate::job::Error;
use pfh_engine::Control;
use room::Room;
use std::io;

/// Takes the rows as they come; an error ends the job.
pub type Rows<'a> = dyn FnMut(&Row) -> io::Result<()> + 'a;

/// Tests the program and the directory. All that is made there is removed, also when the job ends
/// early, and nothing else is touched.
///
/// # Errors
/// When the directory is not there or nothing can be made in it, a row is refused, or the control
/// cancels the job. Wrong answers are rows.
pub fn run(request: &Request, rows: &mut Rows<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    let room = Room::open(&request.directory)?;
    let mut summary = Summary::default();
    let mut take = |row: Row| {
        summary.count(&row);
        rows(&row).map_err(Error::Sink)
    };
    let go_on = || if control.is_cancelled() { Err(Error::cancelled(Problem::Cancelled)) } else { Ok(()) };
    machine::rows(&request.directory).into_iter().try_for_each(&mut take)?;
    for row in levels::rows(request, control) {
        go_on()?;
        take(row)?;
    }
    for row in known::rows(&room, control) {
        go_on()?;
        take(row)?;
    }
    let questions = [reading::QUESTIONS, writing::QUESTIONS, times::QUESTIONS, names::QUESTIONS];
    for (number, question) in questions.into_iter().flatten().enumerate() {
        go_on()?;
        take(question.ask(&room, number, control))?;
    }
    for row in speed::rows(&room, request, control) {
        go_on()?;
        take(row)?;
    }
    go_on()?;
    if let Some(row) = room.close() {
        take(row)?;
    }
    Ok(summary)
}
