//! The result of an export.

use super::{counted, many};
use pfh::export::Written;

/// A sentence for people.
pub fn sentence(written: &Written) -> String {
    let mut text = format!("{} became {}", counted(written.summary.records, "record"), counted(written.rows, "row"));
    let left = [
        (written.errors, "error has no time and is left out", "errors have no time and are left out"),
        (written.timeless, "file has no time and is left out", "files have no time and are left out"),
        (written.skipped, "skipped thing has no time", "skipped things have no time"),
        (
            written.beyond,
            "time lies outside of the form's range (1677 to 2262)",
            "times lie outside of the form's range (1677 to 2262)",
        ),
        (
            written.summary.faulty,
            "line is not a record of a file, or not whole",
            "lines are not records of files, or not whole",
        ),
    ];
    for (count, one, more) in left.into_iter().filter(|(count, ..)| *count > 0) {
        text += &format!("; {}", many(count, one, more));
    }
    text
}
