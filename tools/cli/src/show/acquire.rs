//! The result of an acquisition, or its forecast, as text and as JSON.

use crate::imaging::name;
use pfh::acquire::{Compared, HiddenRow, Intended, Stamped, Step, Summary, sectors};
use pfh::manifest::row;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The targets with how they compare.
fn targets(summary: &Summary) -> impl Iterator<Item = (&PathBuf, Option<&Compared>)> {
    summary.targets.iter().enumerate().map(|(at, path)| (path, summary.compared.get(at)))
}

/// Lines for people.
pub fn text(summary: &Summary) -> String {
    let imaged = &summary.imaged;
    let seconds = imaged.times.total.as_secs_f64();
    let source = summary.source.as_deref().map_or_else(|| "a pattern".into(), name);
    let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
    let read = imaged.bytes - imaged.padded;
    let size = pfh::terminal::size_text(read);
    let mut text = format!("{source}: {read} bytes ({size}) in {seconds:.2} s, {rate:.1} MB/s\n");
    if imaged.padded > 0 {
        let what = "zero bytes to whole sectors: the digests are those of the padded image";
        text += &format!("padded with {} {what}\n", imaged.padded);
    }
    for digest in &imaged.digests {
        text += &format!("{} {digest}\n", digest.algorithm());
    }
    for bad in &imaged.bad {
        text += &format!("unreadable: {}\n", sectors::lost(bad, summary.from, summary.sector));
    }
    if !imaged.bad.is_empty() {
        let bytes: u64 = imaged.bad.iter().map(|b| b.length).sum();
        let what = "bytes were unreadable and are filled in; the digests are those of the filled image";
        text += &format!("{bytes} {what}\n");
    }
    if let Some(hidden) = &summary.hidden {
        for (name, what) in hidden.lines() {
            text += &format!("{name}: {what}\n");
        }
    }
    for lost in &summary.lost {
        text += &format!("{}: NOT COMPLETE: {}\n", name(&lost.path), lost.cause);
    }
    if !summary.lost.is_empty() {
        let whole: Vec<String> = summary.targets.iter().map(|path| name(path)).collect();
        text += &format!("complete: {}\n", whole.join(", "));
    }
    match &summary.stamped {
        Some(Ok(stamped)) => {
            text += &format!("time stamp {}: {}\n", stamped.stamp.time, name(&stamped.path));
        }
        Some(Err(_)) => text += "no time stamp\n",
        None => {}
    }
    for (path, compared) in targets(summary).filter_map(|(path, compared)| Some((path, compared?))) {
        let verified = if compared.is_good() { "verified, " } else { "" };
        text += &format!("{}: {verified}{}\n", name(path), compared.word());
    }
    text
}

/// An acquisition.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acquired<'a> {
    bytes: u64,
    /// Digests by algorithm, as `pfh algorithms` names them.
    digests: BTreeMap<String, String>,
    hidden: Option<HiddenRow>,
    log: Option<String>,
    /// Targets that failed while others went on.
    lost: Vec<Lost<'a>>,
    padded: u64,
    retried: u64,
    seconds: f64,
    sector: u32,
    /// Facts of smartctl's reports by their names; none where they are not known.
    smart: Smart<'a>,
    targets: Vec<Target<'a>>,
    timestamp: Option<Timestamp<'a>>,
    unreadable: Vec<Unreadable>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Lost<'a> {
    cause: &'a str,
    path: String,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Smart<'a> {
    /// After the acquisition.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, pfh::acquire::Fact>"))]
    after: &'a pfh::acquire::Facts,
    /// Before the acquisition.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, pfh::acquire::Fact>"))]
    before: &'a pfh::acquire::Facts,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Target<'a> {
    differing: Option<&'a [(u64, u64)]>,
    path: String,
    verified: Option<bool>,
}

#[derive(Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Timestamp<'a> {
    cause: Option<&'a str>,
    path: Option<String>,
    policy: Option<&'a str>,
    serial: Option<&'a str>,
    time: Option<&'a str>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
struct Unreadable {
    cause: String,
    errno: i32,
    length: u64,
    medium_offset: u64,
    offset: u64,
    sector: u64,
}

fn timestamp(stamped: &Result<Stamped, String>) -> Timestamp<'_> {
    match stamped {
        Ok(Stamped { path, stamp, .. }) => Timestamp {
            cause: None,
            path: Some(name(path)),
            policy: Some(&stamp.policy),
            serial: Some(&stamp.serial),
            time: Some(&stamp.time),
        },
        Err(cause) => Timestamp { cause: Some(cause), ..Timestamp::default() },
    }
}

/// One JSON object and a line feed.
pub fn json(summary: &Summary) -> String {
    let imaged = &summary.imaged;
    let unreadable = |bad: &pfh::device::Bad| {
        let at = summary.from + bad.offset;
        Unreadable {
            cause: bad.cause(),
            errno: bad.errno,
            length: bad.length,
            medium_offset: at,
            offset: bad.offset,
            sector: at / u64::from(summary.sector),
        }
    };
    row::line(&Acquired {
        bytes: imaged.bytes,
        digests: imaged.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string())).collect(),
        hidden: summary.hidden.as_ref().map(HiddenRow::from),
        log: summary.log.as_deref().map(name),
        lost: summary.lost.iter().map(|lost| Lost { cause: &lost.cause, path: name(&lost.path) }).collect(),
        padded: imaged.padded,
        retried: imaged.retried,
        seconds: imaged.times.total.as_secs_f64(),
        sector: summary.sector,
        smart: Smart { after: &summary.smart[1], before: &summary.smart[0] },
        targets: targets(summary)
            .map(|(path, compared)| Target {
                differing: compared.map(|compared| &compared.differing[..]),
                path: name(path),
                verified: compared.map(Compared::is_good),
            })
            .collect(),
        timestamp: summary.stamped.as_ref().map(timestamp),
        unreadable: imaged.bad.iter().map(unreadable).collect(),
    })
}

/// The intended work: a line for each file, and further facts.
pub fn intended(intended: &Intended) -> String {
    let mut text = String::new();
    let size = intended.bytes.map_or_else(|| "of unknown size".to_owned(), |bytes| format!("{bytes} bytes"));
    text += &format!("read     {}: {size}, sectors of {} bytes\n", intended.source, intended.sector);
    for file in &intended.files {
        let mut line = format!("write    {}: {}", name(&file.path), file.what);
        if let Some(bytes) = file.bytes {
            let _ = write!(line, ", {bytes} bytes");
        }
        if file.exists {
            let replaced = intended.step == Step::Acquire;
            line += if replaced { ", replaces the present file" } else { ", continues the present file" };
        }
        if file.lacks_room() {
            let _ = write!(line, ": ONLY {} BYTES ARE FREE THERE", file.free.unwrap_or_default());
        }
        text += &line;
        text.push('\n');
    }
    let names: Vec<String> = intended.algorithms.iter().map(ToString::to_string).collect();
    text += &format!("compute  {}\n", names.join(", "));
    intended.notes.iter().for_each(|note| text += &format!("note     {note}\n"));
    match intended.step {
        Step::Resume => {
            text += &format!("resume   at byte {}: the bytes before it are hashed and not read again\n", intended.done);
        }
        Step::Compare => {
            text += "compare  the image with its log: the acquisition has ended, and nothing is written\n";
        }
        Step::Retry => text += "retry    unreadable sectors\n",
        _ => {}
    }
    text
}
