//! The sections of the results. An empty one is not on the page.

use super::model::{Acquisition, KnownResults, ManifestCounts, OpenJob, Results, Source, Tone, VerdictEvidence};
use super::rows::Rows;
use crate::html::{escape, path};
use crate::size_text;
use std::fmt::Write;

/// Names of one content, or of one group, that are listed.
const MOST_NAMES: usize = 50;

/// The files that were read, by number.
pub(super) struct Sources<'a>(pub &'a [Source]);

impl Sources<'_> {
    /// The name of one, as markup.
    pub fn name(&self, source: usize) -> String {
        self.0.get(source).map_or_else(String::new, |source| path(&source.name))
    }
}

/// A word that says how a thing stands: by its colour as well.
pub(super) fn mark(tone: Tone, word: &str) -> String {
    let class = match tone {
        Tone::Good => "good",
        Tone::Open => "open",
        Tone::Bad => "bad",
    };
    format!("<span class=\"{class} mark\">{}</span>", escape(word))
}

/// How many rows are not shown.
pub(super) fn beyond<T>(out: &mut String, rows: &Rows<T>) {
    if rows.beyond() > 0 {
        let _ = writeln!(out, "<p>{} more of {} are not shown.</p>", rows.beyond(), rows.count());
    }
}

/// Names, one below the other.
fn names(names: &[Vec<u8>]) -> String {
    let mut text: Vec<String> = names.iter().take(MOST_NAMES).map(|name| path(name)).collect();
    if names.len() > MOST_NAMES {
        text.push(format!("<span class=\"quiet\">and {} more</span>", names.len() - MOST_NAMES));
    }
    text.join("<br>")
}

fn digests(digests: &[(String, String)]) -> String {
    let one = |(algorithm, digest): &(String, String)| {
        format!("{} <span class=\"digest\">{}</span>", escape(algorithm), escape(digest))
    };
    digests.iter().map(one).collect::<Vec<_>>().join("<br>")
}

/// Jobs that have not ended, with how far they are.
pub(super) fn unfinished(out: &mut String, unfinished: &[OpenJob], sources: &Sources<'_>) {
    if unfinished.is_empty() {
        return;
    }
    out.push_str(
        "<h2>Jobs that have not ended</h2>\n<table><thead><tr><th>job</th><th>state</th><th>how far it is</th><th>said by</th>\
         </tr></thead>\n<tbody>",
    );
    for one in unfinished {
        let mut far: Vec<String> = Vec::new();
        if let Some((done, of)) = one.share {
            let percent = if of == 0 { 100 } else { u128::from(done) * 100 / u128::from(of) };
            far.push(format!("<progress value=\"{done}\" max=\"{}\"></progress> {percent} %", of.max(1)));
        }
        far.extend(one.facts.iter().map(|fact| escape(fact)));
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&one.what),
            mark(one.tone, &one.state),
            far.join("<br>"),
            sources.name(one.source)
        );
    }
    out.push_str("</tbody></table>\n");
}

/// The manifests.
pub(super) fn hashed(out: &mut String, hashed: &[ManifestCounts], sources: &Sources<'_>) {
    if hashed.is_empty() {
        return;
    }
    out.push_str(
        "<h2>Hashed files</h2>\n<table><thead><tr><th>manifest</th><th class=\"n\">files</th><th class=\"n\">bytes</th>\
         <th class=\"n\">without digest</th><th class=\"n\">skipped</th><th>by</th></tr></thead>\n<tbody>",
    );
    for one in hashed {
        let errors = match one.errors {
            0 => "0".to_owned(),
            errors => mark(Tone::Open, &errors.to_string()),
        };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\" data-v=\"{}\">{}</td><td class=\"n\">{errors}</td>\
             <td class=\"n\">{}</td><td>{}</td></tr>",
            sources.name(one.source),
            one.files,
            one.bytes.unwrap_or_default(),
            one.bytes.map_or_else(|| "-".to_owned(), size_text),
            one.skipped,
            escape(&one.algorithms.join(", "))
        );
    }
    out.push_str("</tbody></table>\n");
}

/// The results of the known sets.
pub(super) fn known(out: &mut String, known: &KnownResults, sources: &Sources<'_>) {
    if known.counts.is_empty() && known.hits.is_empty() && known.sets.is_empty() {
        return;
    }
    let counts: Vec<String> = known
        .counts
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(word, count)| {
            let text = format!("{count} {word}");
            if word == "known-bad" { mark(Tone::Bad, &text) } else { escape(&text) }
        })
        .collect();
    let _ = writeln!(out, "<h2>Known sets</h2>\n<p>{}.</p>", counts.join(", "));
    if !known.sets.is_empty() {
        out.push_str(
            "<table><thead><tr><th>set</th><th>class</th><th class=\"n\">files</th><th class=\"n\">bytes</th></tr></thead>\n<tbody>",
        );
        for set in &known.sets {
            let class = if set.class == "bad" { mark(Tone::Bad, "bad") } else { escape(&set.class) };
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{class}</td><td class=\"n\">{}</td><td class=\"n\" data-v=\"{}\">{}</td></tr>",
                escape(&set.set),
                set.files,
                set.bytes,
                size_text(set.bytes)
            );
        }
        out.push_str("</tbody></table>\n");
    }
    if known.hits.is_empty() {
        return;
    }
    out.push_str(
        "<table><thead><tr><th>verdict</th><th>file</th><th class=\"n\">size</th><th>sets</th><th>digests</th>\
         <th>said by</th></tr></thead>\n<tbody>",
    );
    for hit in known.hits.kept() {
        let tone = if hit.verdict == "known-bad" { Tone::Bad } else { Tone::Open };
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"n\" data-v=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            mark(tone, &hit.verdict),
            path(&hit.name),
            hit.size.unwrap_or_default(),
            hit.size.map_or_else(String::new, size_text),
            escape(&hit.sets.join("; ")),
            digests(&hit.digests),
            sources.name(hit.source)
        );
    }
    out.push_str("</tbody></table>\n");
    beyond(out, &known.hits);
}

/// Verdicts with their evidence: negative ones first, and then those that are open.
pub(super) fn judged(out: &mut String, judged: &[VerdictEvidence], sources: &Sources<'_>) {
    if judged.is_empty() {
        return;
    }
    out.push_str("<h2>Verdicts and their evidence</h2>\n");
    for tone in [Tone::Bad, Tone::Open, Tone::Good] {
        for one in judged.iter().filter(|judged| judged.tone == tone) {
            let _ = write!(
                out,
                "<h3>{} <span class=\"quiet\">{}:</span> {}</h3>\n<ul class=\"facts\">",
                mark(one.tone, &one.verdict),
                escape(&one.what),
                sources.name(one.source)
            );
            for sentence in &one.evidence {
                let _ = write!(out, "<li>{}</li>", escape(sentence));
            }
            out.push_str("</ul>\n");
            if one.rows.is_empty() {
                continue;
            }
            out.push_str("<table><thead><tr><th>class</th><th>file</th><th>more</th></tr></thead>\n<tbody>");
            for row in one.rows.kept() {
                let _ = writeln!(
                    out,
                    "<tr><td>{}</td><td>{}</td><td>{}</td></tr>",
                    mark(row.tone, &row.class),
                    path(&row.name),
                    escape(&row.more)
                );
            }
            out.push_str("</tbody></table>\n");
            beyond(out, &one.rows);
        }
    }
}

/// Acquisitions with their digests.
pub(super) fn acquisitions(out: &mut String, acquisitions: &[Acquisition], sources: &Sources<'_>) {
    if acquisitions.is_empty() {
        return;
    }
    out.push_str("<h2>Acquisitions</h2>\n");
    for one in acquisitions {
        let _ = writeln!(
            out,
            "<h3>{} <span class=\"quiet\">by {}</span></h3>\n<table><tbody>",
            escape(&one.title),
            sources.name(one.source)
        );
        for (label, value) in &one.facts {
            let _ = writeln!(out, "<tr><th>{}</th><td>{}</td></tr>", escape(label), escape(value));
        }
        for (algorithm, digest) in &one.digests {
            let (algorithm, digest) = (escape(algorithm), escape(digest));
            let _ = writeln!(out, "<tr><th>{algorithm}</th><td class=\"digest\">{digest}</td></tr>");
        }
        out.push_str("</tbody></table>\n");
        if !one.remarks.is_empty() {
            out.push_str("<ul class=\"facts\">");
            for remark in one.remarks.kept() {
                let _ = write!(out, "<li class=\"open\">{}</li>", escape(remark));
            }
            out.push_str("</ul>\n");
            beyond(out, &one.remarks);
        }
    }
}

/// Files and folders of one content.
pub(super) fn copies(out: &mut String, results: &Results) {
    let Results { copies, folders, reclaimable, .. } = results;
    if copies.is_empty() && folders.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<h2>Duplicates</h2>\n<p>{} of files of one content: {} can be reclaimed.</p>",
        pfh_source::terminal::counted(copies.count(), "group"),
        size_text(*reclaimable)
    );
    if !copies.is_empty() {
        out.push_str(
            "<table><thead><tr><th class=\"n\">copies</th><th class=\"n\">size</th><th class=\"n\">can be reclaimed</th>\
             <th>files</th></tr></thead>\n<tbody>",
        );
        for group in copies.kept() {
            let _ = writeln!(
                out,
                "<tr><td class=\"n\">{}</td><td class=\"n\" data-v=\"{}\">{}</td><td class=\"n\" data-v=\"{}\">{}</td>\
                 <td>{}<br><span class=\"quiet digest\">{}</span></td></tr>",
                group.names.len(),
                group.size,
                size_text(group.size),
                group.reclaimable,
                size_text(group.reclaimable),
                names(&group.names),
                escape(&group.digest)
            );
        }
        out.push_str("</tbody></table>\n");
        beyond(out, copies);
    }
    if !folders.is_empty() {
        out.push_str(
            "<table><thead><tr><th class=\"n\">equal folders</th><th class=\"n\">files in each</th><th class=\"n\">bytes in each</th>\
             <th>folders</th></tr></thead>\n<tbody>",
        );
        for group in folders.kept() {
            let _ = writeln!(
                out,
                "<tr><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\" data-v=\"{}\">{}</td><td>{}</td></tr>",
                group.names.len(),
                group.files,
                group.bytes,
                size_text(group.bytes),
                names(&group.names)
            );
        }
        out.push_str("</tbody></table>\n");
        beyond(out, folders);
    }
}

/// Similar files: pairs as the page of a comparison shows them, and groups that came without.
pub(super) fn similar(out: &mut String, results: &Results) {
    let Results { similar, groups, .. } = results;
    if !similar.body().is_empty() {
        let _ = writeln!(out, "<h2>Similar files</h2>\n{}", similar.body());
    }
    if !groups.is_empty() {
        out.push_str(
            "<h2>Groups of similar files</h2>\n<table><thead><tr><th>by</th><th class=\"n\">files</th><th>files</th></tr></thead>\n<tbody>",
        );
        for group in groups.kept() {
            let (algorithm, count) = (escape(&group.algorithm), group.names.len());
            let _ = writeln!(
                out,
                "<tr><td>{algorithm}</td><td class=\"n\">{count}</td><td>{}</td></tr>",
                names(&group.names)
            );
        }
        out.push_str("</tbody></table>\n");
        beyond(out, groups);
    }
}
