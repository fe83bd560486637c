//! The result of an acquisition, or its forecast, as text.

use pfh::acquire::{Intention, Step, Summary, sectors};
use pfh::terminal::shown;
use std::fmt::Write;

/// Lines for people.
pub fn text(summary: &Summary) -> String {
    let imaged = &summary.imaged;
    let seconds = imaged.times.total.as_secs_f64();
    let source = summary.source.as_deref().map_or_else(|| "a pattern".into(), shown);
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
        text += &format!("{}: NOT COMPLETE: {}\n", shown(&lost.path), lost.cause);
    }
    if !summary.lost.is_empty() {
        let whole: Vec<String> = summary.targets.iter().map(|path| shown(path)).collect();
        text += &format!("complete: {}\n", whole.join(", "));
    }
    match &summary.stamped {
        Some(Ok(stamped)) => {
            text += &format!("time stamp {}: {}\n", stamped.stamp.time, shown(&stamped.path));
        }
        Some(Err(_)) => text += "no time stamp\n",
        None => {}
    }
    for (path, compared) in summary.each_target().filter_map(|(path, compared)| Some((path, compared?))) {
        let verified = if compared.is_good() { "verified, " } else { "" };
        text += &format!("{}: {verified}{}\n", shown(path), compared.word());
    }
    text
}

/// The intended work: a line for each file, and further facts.
pub fn intended(intended: &Intention) -> String {
    let mut text = String::new();
    let size = intended.bytes.map_or_else(|| "of unknown size".to_owned(), |bytes| format!("{bytes} bytes"));
    text += &format!("read     {}: {size}, sectors of {} bytes\n", intended.source, intended.sector);
    for file in &intended.files {
        let mut line = format!("write    {}: {}", shown(&file.path), file.what);
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
