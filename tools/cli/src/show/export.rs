//! What an export came to.

use pfh::export::Written;

/// A sentence for people.
pub fn sentence(written: &Written) -> String {
    let mut text = format!("{} records became {} rows", written.summary.records, written.rows);
    let left = [
        (written.errors, "errors have no time and are left out"),
        (written.timeless, "files have no time and are left out"),
        (written.skipped, "skipped things have no time"),
        (written.beyond, "times lie outside of what the form holds (1677 to 2262)"),
        (written.summary.faulty, "lines are not records of files, or not whole"),
    ];
    for (count, what) in left.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!("; {count} {what}");
    }
    text
}
