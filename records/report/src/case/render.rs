//! The page as a whole: how it all stands, the faults, the files that were read, and the results.

use super::model::{Case, Source, Standing, Tone};
use super::sections::{self, Sources, beyond, mark};
use crate::html::{self, escape, path};
use crate::size_text;
use std::fmt::Write;

impl Case {
    /// Appends the page: one file that needs nothing else.
    pub fn render(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(html::document(&self.title, &self.body()).as_bytes());
    }

    /// Appends the same page for a server: it asks `/events` which version there is, and takes `/`
    /// again if that is not `version`.
    pub fn render_live(&self, out: &mut Vec<u8>, version: &str) {
        out.extend_from_slice(html::live(&self.title, &self.body(), version).as_bytes());
    }

    fn body(&self) -> String {
        let sources = Sources(&self.sources);
        let mut body = self.about();
        let _ = writeln!(body, "<p class=\"quiet\">{}</p>", escape(&self.made));
        body += &self.standing();
        sections::unfinished(&mut body, &self.unfinished, &sources);
        self.problems(&mut body, &sources);
        read(&mut body, &self.sources);
        let results = &self.results;
        sections::hashed(&mut body, &results.hashed, &sources);
        sections::known(&mut body, &results.known, &sources);
        sections::judged(&mut body, &results.judged, &sources);
        sections::acquisitions(&mut body, &results.acquisitions, &sources);
        sections::copies(&mut body, results);
        sections::similar(&mut body, results);
        body
    }

    /// The case number, the examiner and the exhibits, as the results state them.
    fn about(&self) -> String {
        if self.about.is_empty() {
            return String::new();
        }
        let row = |(label, value): &(String, String)| {
            format!("<dt class=\"quiet\">{}</dt><dd>{}</dd>", escape(label), escape(value))
        };
        format!("<dl class=\"case\">{}</dl>\n", self.about.iter().map(row).collect::<String>())
    }

    /// How it all stands, in a few sentences.
    fn standing(&self) -> String {
        let (mut understood, mut records, mut bytes, mut unknown) = (0, 0, 0, 0);
        for source in &self.sources {
            match source.standing {
                Standing::Read => {
                    understood += 1;
                    records += source.records;
                    bytes += source.bytes;
                }
                Standing::Unknown(_) => unknown += 1,
                Standing::Beside(_) => {}
            }
        }
        let were = if understood == 1 { "was" } else { "were" };
        let (results, records) = (counted(understood, "result"), counted(records, "record"));
        let mut text = format!("<p>{results} with {records} {were} read, {}", size_text(bytes));
        if unknown > 0 {
            let _ = write!(text, "; <span class=\"open mark\">not understood: {}</span>", counted(unknown, "file"));
        }
        text += ".</p>\n";
        let tones = |tone| self.results.judged.iter().filter(|judged| judged.tone == tone).count();
        if !self.results.judged.is_empty() {
            let _ = write!(text, "<p>{}: ", counted(self.results.judged.len() as u64, "verdict"));
            let words = [(Tone::Bad, "negative"), (Tone::Open, "open"), (Tone::Good, "positive")];
            let words = words.into_iter().filter(|(tone, _)| tones(*tone) > 0);
            let words: Vec<String> = words.map(|(tone, word)| mark(tone, &format!("{} {word}", tones(tone)))).collect();
            text += &words.join(", ");
            text += ".</p>\n";
        }
        text
    }

    /// Faults, and then open points.
    fn problems(&self, out: &mut String, sources: &Sources<'_>) {
        out.push_str("<h2>Problems</h2>\n");
        if self.wrong.is_empty() && self.open.is_empty() {
            out.push_str(if self.sources.is_empty() {
                "<p>No result was found: nothing was looked at.</p>\n"
            } else {
                "<p>None was found.</p>\n"
            });
            return;
        }
        out.push_str("<table><thead><tr><th>is</th><th>what</th><th>about</th><th>said by</th></tr></thead>\n<tbody>");
        for (rows, tone, word) in [(&self.wrong, Tone::Bad, "wrong"), (&self.open, Tone::Open, "open")] {
            for problem in rows.kept() {
                let _ = writeln!(
                    out,
                    "<tr><td>{}</td><td>{}</td><td class=\"file\">{}</td><td class=\"file\">{}</td></tr>",
                    mark(tone, word),
                    escape(&problem.what),
                    path(&problem.name),
                    sources.name(problem.source)
                );
            }
        }
        out.push_str("</tbody></table>\n");
        beyond(out, &self.wrong);
        beyond(out, &self.open);
    }
}

/// A number of things: `1 file`, `2 files`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn read(out: &mut String, sources: &[Source]) {
    if sources.is_empty() {
        out.push_str("<h2>Files read</h2>\n<p>None: the folder holds no file.</p>\n");
        return;
    }
    out.push_str(
        "<h2>Files read</h2>\n<table><thead><tr><th>file</th><th>kind</th><th class=\"n\">records</th>\
         <th class=\"n\">size</th><th>SHA-256</th></tr></thead>\n<tbody>",
    );
    for source in sources {
        let (class, note) = match &source.standing {
            Standing::Read => ("", String::new()),
            Standing::Beside(why) => ("quiet", format!(": {why}")),
            Standing::Unknown(why) => ("open", format!("not understood: {why}")),
        };
        let records = if source.standing == Standing::Read { source.records.to_string() } else { String::new() };
        let _ = writeln!(
            out,
            "<tr><td class=\"file\">{}</td><td class=\"{class}\">{}{}</td><td class=\"n\">{records}</td>\
             <td class=\"n\" data-v=\"{}\">{}</td><td class=\"digest\">{}</td></tr>",
            path(&source.name),
            escape(&source.kind),
            escape(&note),
            source.bytes,
            size_text(source.bytes),
            escape(&source.sha256)
        );
    }
    out.push_str("</tbody></table>\n");
}
