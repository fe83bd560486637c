//! Timesketch's CSV: a header, and a row for each time of a file.
//!
//! The importer wants `message`, `datetime` and `timestamp_desc`, and finds out the form of all
//! dates by the first: each has six digits of a fraction and the offset of UTC. The kinds of times
//! are named as plaso names them.

use super::row::{Clock, Row};
use pfh_manifest::csv::{self, Line};
use pfh_source::{Time, terminal};

/// The columns in front of the digests.
const COLUMNS: [&str; 13] = [
    "message",
    "datetime",
    "timestamp",
    "timestamp_desc",
    "data_type",
    "path",
    "path_b64",
    "size",
    "inode",
    "is_deleted",
    "verdict",
    "sets",
    "notes",
];

/// The seconds that the importer takes, from 1677 to 2262: it holds nanoseconds in 64 bits, and
/// drops all other rows.
const SECONDS: std::ops::RangeInclusive<i64> = -9_223_372_036..=9_223_372_035;

/// Appends the header.
pub(super) fn head(out: &mut Vec<u8>, algorithms: &[String]) {
    let mut line = Line::new(out);
    COLUMNS.iter().for_each(|name| line.field(name));
    algorithms.iter().for_each(|algorithm| line.field(&terminal::render(format!("{algorithm}_hash").as_bytes())));
    line.end();
}

/// Appends a row for each time, and gives their number, and that of the times that the importer
/// cannot hold.
pub(super) fn row(out: &mut Vec<u8>, row: &Row, algorithms: &[String]) -> (u64, u64) {
    let (mut written, mut beyond) = (0, 0);
    for (clock, time) in Clock::ALL.into_iter().zip(row.times) {
        match time {
            Some(time) if SECONDS.contains(&time.seconds) => {
                event(out, row, clock, time, algorithms);
                written += 1;
            }
            Some(_) => beyond += 1,
            None => {}
        }
    }
    (written, beyond)
}

fn event(out: &mut Vec<u8>, row: &Row, clock: Clock, time: Time, algorithms: &[String]) {
    // An apostrophe in front of a field that a spreadsheet would compute is not part of the name.
    let (path, exact) = match csv::path(&row.path) {
        (path, exact) if exact.is_empty() && csv::is_neutralised(&path) => {
            let exact = data_encoding::BASE64.encode(&row.path);
            (path, exact)
        }
        both => both,
    };
    let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
    let mut line = Line::new(out);
    line.field(&message(row));
    line.field(&datetime(time));
    line.signed(i128::from(time.seconds) * 1_000_000 + i128::from(time.nanoseconds / 1000));
    line.field(description(clock));
    line.field("pfh:file");
    line.field(&path);
    line.field(&exact);
    line.field(&number(row.size));
    line.field(&number(row.inode));
    line.field(if row.is_deleted { "true" } else { "false" });
    // A result of somebody else may hold anything in place of these.
    let mut shown = |text: &str| line.field(&terminal::render(text.as_bytes()));
    shown(row.verdict.as_deref().unwrap_or_default());
    shown(&row.sets.join("; "));
    shown(&row.notes.join(" "));
    algorithms.iter().for_each(|algorithm| shown(row.digest(algorithm).unwrap_or_default()));
    line.end();
}

/// The text in the list of events. It begins with a word of ours, so that no name is taken for
/// a missing value.
fn message(row: &Row) -> String {
    let mut text = match &row.verdict {
        Some(verdict) if row.sets.is_empty() => format!("{}: ", terminal::render(verdict.as_bytes())),
        Some(verdict) => terminal::render(format!("{verdict} ({}): ", row.sets.join(", ")).as_bytes()),
        None => "file: ".to_owned(),
    };
    text += &terminal::render(&row.path);
    if row.is_deleted {
        text += " (deleted)";
    }
    if let Some(size) = row.size {
        text += &format!(", {size} bytes");
    }
    text
}

/// ISO 8601 with microseconds, in UTC.
fn datetime(time: Time) -> String {
    let whole = Time { nanoseconds: 0, ..time }.to_string();
    format!("{}.{:06}+00:00", whole.trim_end_matches('Z'), time.nanoseconds / 1000)
}

/// As plaso names it.
fn description(clock: Clock) -> &'static str {
    match clock {
        Clock::Modified => "Content Modification Time",
        Clock::Changed => "Metadata Modification Time",
        Clock::Accessed => "Last Access Time",
        Clock::Born => "Creation Time",
        Clock::Deleted => "Content Deletion Time",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microseconds_are_cut_and_never_rounded_up() {
        let at = |seconds, nanoseconds| datetime(Time { seconds, nanoseconds });
        assert_eq!(at(0, 0), "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(at(1_795_226_793, 999_999_999), "2026-11-21T02:06:33.999999+00:00");
        assert_eq!(at(-1, 500_000_000), "1969-12-31T23:59:59.500000+00:00");
    }

    #[test]
    fn times_that_the_importer_drops_are_counted() {
        let mut row_ = Row { path: b"a".to_vec(), ..Row::default() };
        row_.times[0] = Some(Time { seconds: -1, nanoseconds: 0 });
        row_.times[1] = Some(Time { seconds: 253_402_300_800, nanoseconds: 0 });
        let mut out = Vec::new();
        assert_eq!(row(&mut out, &row_, &[]), (1, 1));
        let text = String::from_utf8(out).expect("text");
        assert!(text.starts_with("file: a,1969-12-31T23:59:59.000000+00:00,-1000000,Content"), "{text}");
    }
}
