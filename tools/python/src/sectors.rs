//! Blocks of known files on media.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::rows::{Found, Rows, ended, exit};
use crate::{error, job, request};
use pfh::known::KnownStatus;
use pfh::matching::sectors::{Event, FragmentRow, FragmentsSum, Request, Space, run};
use pyo3::prelude::*;

/// Finds blocks of known files on images or disks, also where no file system leads to them: a
/// dictionary for each fragment, with `verdict`, `offset` and `length` in bytes, and the known
/// `files` that it may be of. `known` are sets that `pfh known build --blocks` made, `sizes` the
/// sizes of their blocks in bytes.
///
/// `any_offset` also finds blocks that begin at no sector. `unallocated` looks at the areas of no
/// file in use alone. `flagged` adds fragments of blocks alone that say little of their files. The
/// exit is 1 if a fragment is known bad.
#[pyfunction]
#[pyo3(signature = (images, known, sizes, *, any_offset = false, unallocated = false, flagged = false, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn match_sectors(
    py: Python<'_>,
    images: &Bound<'_, PyAny>,
    known: &Bound<'_, PyAny>,
    sizes: Vec<u32>,
    any_offset: bool,
    unallocated: bool,
    flagged: bool,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Rows> {
    let mut asked = Request::new(request::paths(images)?, request::paths(known)?, sizes);
    asked.space = if unallocated { Space::Unallocated } else { Space::Whole };
    (asked.anywhere, asked.flagged) = (any_offset, flagged);
    let (ran, found) = job::run_with(py, &Hooks { job: "match_sectors", on_event, cancel }, |control| {
        let mut found = Found::default();
        let mut events = |event: Event<'_>| {
            match event {
                Event::Fragment(fragment) => found.row(&FragmentRow::of(fragment)),
                event => found.messages.extend(event.sentence()),
            }
            Ok(())
        };
        let ran = run(&asked, &mut events, control);
        (ran, found)
    })?;
    let summary = ran.map_err(|failed| ended(py, &failed))?;
    if summary.interrupted {
        return Err(error::cancelled(py, "interrupted"));
    }
    let mut found = found;
    found.summary(&FragmentsSum::of(&summary));
    found.rows(py, exit(summary.conclusion(&[KnownStatus::KnownBad])))
}
