//! The names inside of containers as text, JSON and a body file.

use crate::remedy;
use pfh::Time;
use pfh::list::Event;
use pfh::manifest::jsonl::Within;
use pfh::manifest::row;
use pfh::report::export::body;
use pfh::terminal::render;
use serde::Serialize;

/// A line for people: what it is, its size, when its content was changed last, its name.
pub fn text(event: &Event<'_>) -> Option<String> {
    match event {
        Event::Name { name, size, inside } => {
            let size = size.map_or_else(|| "?".into(), |size| size.to_string());
            let time = inside.modified.map_or_else(|| "-".into(), |time| time.to_string());
            let kind = match (inside.deleted, inside.unallocated) {
                (_, true) => 'u',
                (true, _) => 'd',
                _ => '-',
            };
            Some(format!("{kind} {size:>14}  {time:<30}  {}\n", render(name)))
        }
        Event::Skipped { name, skip } => Some(format!("{:<48} {} ({})\n", "s", render(name), remedy::skip(skip))),
        _ => None,
    }
}

/// A JSON object per line, with the members that `pfh hash -f jsonl` has.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    File {
        #[serde(flatten, serialize_with = "row::path")]
        name: &'a [u8],
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mtime: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        ctime: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        atime: Option<String>,
        inside: Within<'a>,
    },
    Skipped {
        #[serde(flatten, serialize_with = "row::path")]
        name: &'a [u8],
        code: &'a str,
        cause: &'a str,
    },
    Error {
        #[serde(flatten, serialize_with = "row::path")]
        name: &'a [u8],
        stage: &'a str,
        code: &'a str,
        cause: String,
    },
}

/// An event as a line of JSON.
pub fn json(event: &Event<'_>) -> String {
    let time = |time: Option<Time>| time.map(|time| time.to_string());
    row::line(&match event {
        Event::Name { name, size, inside } => Line::File {
            name,
            size: *size,
            mtime: time(inside.modified),
            ctime: time(inside.changed),
            atime: time(inside.accessed),
            inside: Within::of(inside),
        },
        Event::Skipped { name, skip } => Line::Skipped { name, code: skip.reason(), cause: skip.reason() },
        Event::Failed { name, problem } => {
            Line::Error { name, stage: problem.stage.name(), code: problem.code(), cause: problem.cause.to_string() }
        }
        _ => return String::new(),
    })
}

/// A line of a body file, as mactime reads it.
pub fn body(event: &Event<'_>) -> Option<Vec<u8>> {
    let Event::Name { name, size, inside } = event else { return None };
    let mut out = Vec::new();
    let line = body::Line {
        md5: None,
        name,
        is_deleted: inside.deleted,
        inode: inside.id,
        size: *size,
        times: [inside.accessed, inside.modified, inside.changed, inside.born],
    };
    body::line(&mut out, &line);
    Some(out)
}
