//! Remedies for an export.

use pfh::export::Problem;
use pfh::job::Error;
use pfh::terminal::shown;

/// The sentence with the options of `pfh hash`.
pub fn sentence(error: &Error) -> Option<String> {
    let Problem::NoTime(records) = error.find()? else { return None };
    let name = shown(error.path()?);
    Some(format!(
        "{name}: none of its {records} records has a time: hash with -f jsonl, csv or dfxml; nothing was written"
    ))
}
