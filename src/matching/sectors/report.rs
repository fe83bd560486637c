//! Fragments and counts as text and JSON lines.

use super::event::{Counted, Summary, counted};
use super::fragment::{Candidate, Fragment};
use pfh_known::{Class, KnownSet, KnownStatus};
use pfh_manifest::UnknownFormat;
use pfh_manifest::jsonl::{field, number, path, string};
use pfh_source::terminal;
use std::fmt::Write as _;
use std::str::FromStr;

/// Files of a fragment that a line of text names.
const NAMED: usize = 3;

/// The formats of fragments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// A line per fragment for people. Names are rendered for a terminal.
    #[default]
    Text,
    /// One JSON object per line.
    Jsonl,
}

impl FromStr for Form {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Form, UnknownFormat> {
        match text {
            "text" => Ok(Form::Text),
            "jsonl" => Ok(Form::Jsonl),
            _ => Err(UnknownFormat::of(text, &["text", "jsonl"])),
        }
    }
}

/// The verdict of a fragment: the gravest of what the sets of its files say.
pub fn verdict(fragment: &Fragment, sets: &[KnownSet]) -> KnownStatus {
    let classes: Vec<Class> = fragment.files.iter().map(|of| class(of.known, of.file.set, sets)).collect();
    KnownStatus::of(classes.iter().map(Some))
}

fn class(known: usize, set: usize, sets: &[KnownSet]) -> Class {
    sets[known].sets()[set].class().clone()
}

/// Writes one fragment of an image.
pub fn fragment(out: &mut Vec<u8>, form: Form, image: &[u8], fragment: &Fragment, sets: &[KnownSet]) {
    let verdict = verdict(fragment, sets).name();
    let length = fragment.end() - fragment.offset;
    let more = u64::from(fragment.of_files).saturating_sub(distinct(fragment));
    let more = if fragment.blocks == 1 { more } else { 0 };
    let flags: Vec<&str> = fragment.flags.iter().map(|flag| flag.name()).collect();
    if form == Form::Jsonl {
        out.extend_from_slice(b"{\"type\":\"fragment\"");
        path(out, image);
        number(out, "offset", fragment.offset);
        number(out, "length", length);
        number(out, "block_size", fragment.size.into());
        number(out, "blocks", fragment.blocks);
        number(out, "flagged", fragment.flagged);
        out.extend_from_slice(b",\"flags\":[");
        for (at, flag) in flags.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b"," } else { b"" });
            string(out, flag);
        }
        out.push(b']');
        field(out, "verdict", verdict);
        out.extend_from_slice(b",\"files\":[");
        for (at, of) in fragment.files.iter().enumerate() {
            out.extend_from_slice(if at > 0 { b",{\"set\":" } else { b"{\"set\":" });
            let set = &sets[of.known].sets()[of.file.set];
            string(out, &set.name);
            field(out, "class", set.class().name());
            path(out, &of.file.name);
            number(out, "size", of.file.length);
            number(out, "offset", of.offset);
            out.push(b'}');
        }
        out.push(b']');
        number(out, "more_files", more);
        number(out, "cut_blocks", fragment.cut);
        out.extend_from_slice(b"}\n");
        return;
    }
    let mut line = format!(
        "{verdict:<11} {}: {length} bytes at {}: {} of {} bytes",
        terminal::render(image),
        fragment.offset,
        counted(fragment.blocks, "block"),
        fragment.size
    );
    if fragment.flagged > 0 {
        let _ = write!(line, ", {} flagged ({})", fragment.flagged, flags.join(", "));
    }
    for (at, of) in fragment.files.iter().take(NAMED).enumerate() {
        let set = &sets[of.known].sets()[of.file.set];
        let (name, set) = (terminal::render(&of.file.name), terminal::render(set.name.as_bytes()));
        let between = if at == 0 { " <- " } else { "; " };
        let _ = write!(line, "{between}{name} at {} ({set})", of.offset);
    }
    let hidden = more + (fragment.files.len().saturating_sub(NAMED)) as u64;
    if hidden > 0 {
        let _ = write!(line, "; and {hidden} more");
    }
    if fragment.cut > 0 {
        let _ = write!(line, "; {} at more places than are kept", counted(fragment.cut, "block"));
    }
    line.push('\n');
    out.extend_from_slice(line.as_bytes());
}

/// How many different files are named.
fn distinct(fragment: &Fragment) -> u64 {
    let files = fragment.files.iter().enumerate();
    let new = |(at, of): &(usize, &Candidate)| {
        !fragment.files[..*at].iter().any(|other| other.known == of.known && other.file == of.file)
    };
    files.filter(new).count() as u64
}

/// The last line of JSON.
pub fn tail(out: &mut Vec<u8>, form: Form, summary: &Summary) {
    if form != Form::Jsonl {
        return;
    }
    out.extend_from_slice(b"{\"type\":\"summary\"");
    let Summary { images, bytes, unread, failed, gaps, hidden, .. } = summary;
    for (name, count) in [("images", images), ("bytes", bytes), ("unread", unread), ("errors", failed), ("gaps", gaps)]
    {
        number(out, name, *count);
    }
    out.extend_from_slice(b",\"algorithms\":[");
    for (at, algorithm) in summary.algorithms.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        string(out, &algorithm.to_string());
    }
    out.extend_from_slice(b"],\"sizes\":[");
    for (at, (size, Counted { blocks, flagged, fragments, cut })) in summary.sizes.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b",{" } else { b"{" });
        out.extend_from_slice(format!("\"block_size\":{size}").as_bytes());
        [("blocks", blocks), ("flagged", flagged), ("fragments", fragments), ("cut_blocks", cut)]
            .iter()
            .for_each(|(name, count)| number(out, name, **count));
        out.push(b'}');
    }
    out.push(b']');
    number(out, "flagged_fragments", *hidden);
    summary.counts.words().iter().filter(|(word, _)| !matches!(*word, "unknown" | "error")).for_each(
        |(word, count)| {
            number(out, word, *count);
        },
    );
    out.extend_from_slice(b"}\n");
}
