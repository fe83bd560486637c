//! Which part of a source a log states, and where in the target it lies.

use super::entry::{Form, Format};
use super::{ImageFormat, Settings};
use pfh_custody::chain::Sound;
use pfh_source::terminal::shown;
use serde_json::{Map, Value};
use std::path::Path;

/// The form of each target and where in it the image starts, for the record `start`.
pub(super) fn layout(asked: &Settings<'_>) -> Vec<Form> {
    let one = |form: &ImageFormat| match form {
        ImageFormat::Raw { seek, .. } => Form { format: Format::Raw, seek: *seek },
        ImageFormat::Split(_) => Form { format: Format::Split, seek: 0 },
        ImageFormat::E01 { .. } => Form { format: Format::E01, seek: 0 },
    };
    asked.targets.iter().map(|to| one(&to.form)).collect()
}

/// A target as a log names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggedTarget {
    /// Its path, as for a terminal.
    pub path: String,
    /// `raw`, `split` or `E01`; `None` in logs that do not state it.
    pub format: Option<String>,
    /// Where in it the image starts, in bytes.
    pub seek: Option<u64>,
}

/// The statements of a log on an image as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Bytes of the image, with its padding.
    pub bytes: u64,
    /// Zero bytes of it behind the end of the source.
    pub padded: u64,
    /// Where on the source it starts, in bytes.
    pub from: u64,
    /// Bytes of the source, where it has a size.
    pub source: Option<u64>,
    /// The targets.
    pub targets: Vec<LoggedTarget>,
}

/// The last component of a path as a log holds it.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

impl Part {
    /// The statements of the end of a log and of the start of its run; `None` of a log that has no
    /// image.
    pub fn of(sound: &Sound) -> Option<Part> {
        let of_kind = |kind: &'static str| move |record: &&Map<String, Value>| record["kind"] == kind;
        let number = |record: &Map<String, Value>, name: &str| record.get(name).and_then(Value::as_u64);
        let end = sound.records.iter().rev().find(of_kind("end"))?;
        let start = sound.records.iter().rev().find(of_kind("start"))?;
        let layout = start.get("layout").and_then(Value::as_array);
        let names = start.get("targets").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let placed = |(at, path): (usize, &str)| {
            let form = layout.and_then(|layout| layout.get(at));
            let format = form.and_then(|form| form.get("format")?.as_str()).map(str::to_owned);
            let seek = form.and_then(|form| form.get("seek")?.as_u64());
            LoggedTarget { path: path.to_owned(), format, seek }
        };
        Some(Part {
            bytes: number(end, "bytes")?,
            padded: number(end, "padded").unwrap_or(0),
            from: number(start, "from").unwrap_or(0),
            source: number(start, "bytes"),
            targets: names.enumerate().map(placed).collect(),
        })
    }

    /// The target with this file's name: of pieces the name without the number.
    pub fn target(&self, path: &Path) -> Option<&LoggedTarget> {
        let named = |path: &Path| {
            let name = path.file_name().map(|name| shown(Path::new(name)))?;
            self.targets.iter().find(|target| last(&target.path) == name)
        };
        named(path).or_else(|| named(&path.with_extension("")))
    }
}

/// The ranges that the last run of a log could not read, as (offset, length) in the image.
pub fn losses(sound: &Sound) -> Vec<(u64, u64)> {
    let of_kind = |kind: &'static str| move |record: &&Map<String, Value>| record["kind"] == kind;
    let from = sound.records.iter().rposition(|record| record["kind"] == "start").unwrap_or(0);
    let lost = sound.records[from..].iter().filter(of_kind("unreadable"));
    let mut lost: Vec<(u64, u64)> =
        lost.filter_map(|record| Some((record.get("offset")?.as_u64()?, record.get("length")?.as_u64()?))).collect();
    lost.sort_unstable();
    joined(lost)
}

/// Neighbouring ranges as one.
pub(crate) fn joined(ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> = Vec::new();
    for (offset, length) in ranges {
        match all.last_mut() {
            Some((start, before)) if *start + *before >= offset => *before = (*before).max(offset + length - *start),
            _ => all.push((offset, length)),
        }
    }
    all
}

/// The sentence on a map that calls other ranges lost than its log does; `None` where they agree.
pub fn contradiction(map: &str, by_map: Vec<(u64, u64)>, by_log: Vec<(u64, u64)>) -> Option<String> {
    let bytes = |ranges: &[(u64, u64)]| ranges.iter().map(|(_, length)| length).sum::<u64>();
    let (by_map, by_log) = (joined(by_map), joined(by_log));
    let (of_map, of_log) = (bytes(&by_map), bytes(&by_log));
    (by_map != by_log).then(|| {
        let where_else = if of_map == of_log { " at other places" } else { "" };
        format!(
            "{map}: it contradicts the log: the map has {of_map} bytes that were not read, the log {of_log}{where_else}"
        )
    })
}
