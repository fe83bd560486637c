//! The report: one HTML file that needs nothing else, no network and no script.

use super::facts::facts;
use super::table::{RankedLine, bend, megabytes_per_second, place, ranking, size};
use super::then::{SOURCE, then_and_now};
use super::{by_algorithm, heat_map, linux, text, windows};
use crate::markup::escape;
use crate::papers::claims::JudgedClaim;
use crate::papers::{self, PartOutcome};
use crate::study::{StudyResult, Time};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}\
h1{font-size:1.6em}h2{font-size:1.2em;margin-top:2em}\
table{border-collapse:collapse}th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd}\
th:first-child,td:first-child{text-align:left}caption{text-align:left;font-weight:bold;padding:.5em 0}\
figure{margin:1em 0;overflow-x:auto}pre{overflow-x:auto;background:#f6f6f6;padding:1em;font-size:12px}\
.fault{color:#b00020;font-weight:bold}.quiet{color:#555}\
@media(max-width:700px){body{margin:.6em auto;padding:0 .6em}table{display:block;overflow-x:auto}}\
@media print{@page{margin:1.5cm}body{margin:0;max-width:none;font-size:11px}tr,figure{break-inside:avoid}}";

/// A whole page around `body`, which is HTML already.
pub fn page(title: &str, body: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<meta name=\"generator\" content=\"pfh\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<header><h1>{title}</h1></header>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )
}

/// The report of a study, of the papers' tables, or of both.
pub fn html(result: Option<&StudyResult>, repeated: &[PartOutcome], judged: &[JudgedClaim], time: Time) -> String {
    let mut body = result.map(|result| study(result, time)).unwrap_or_default();
    if !repeated.is_empty() {
        body += "<h2>The papers' tables on this machine</h2>\n<p class=\"quiet\">Of each row, ours and below it the paper's, where its \
                 figures are known here. Nothing is estimated.</p>\n";
        body += &papers::html(repeated);
    }
    if !judged.is_empty() {
        body += &papers::claims::html(judged);
    }
    page("Hash functions on this machine, and the papers about them", &body)
}

fn study(result: &StudyResult, time: Time) -> String {
    let mut body = String::new();
    let mut add = |args: std::fmt::Arguments| writeln!(body, "{args}").expect("a string takes it");
    let clock = match time {
        Time::Wall => "elapsed time",
        Time::Cpu => "CPU time",
    };
    add(format_args!(
        "<p>The study of Gurjar, Baggili, Breitinger and Fischer (2015), repeated on this machine. All figures are {clock} \
         of init, update and final on a message in memory. 1 MB is 10<sup>6</sup> bytes, 1 MiB is 2<sup>20</sup> bytes \
         (which the study calls MB).</p>"
    ));
    let faults: usize = result.cells.iter().map(|cell| cell.faults.len()).sum();
    if faults > 0 {
        add(format_args!(
            "<p class=\"fault\">{faults} faults: wrong digests or failed programs do not count below.</p>"
        ));
    }
    add(format_args!("<h2>This machine</h2>\n<table>"));
    for (name, value) in facts(result) {
        add(format_args!("<tr><td>{name}</td><td style=\"text-align:left\">{}</td></tr>", escape(&value)));
    }
    add(format_args!("</table>"));

    add(format_args!("<h2>MB/s on the longest message</h2>\n<figure>{}</figure>", heat_map(result, time)));

    add(format_args!("<h2>Who is faster, as far as these runs can tell</h2>"));
    add(format_args!(
        "<p class=\"quiet\">Places are the middle 95 % of 1,000 draws: rows whose places overlap are not distinguished. \
         y = a + bx, weighted by 1/x², with 95 % intervals. Bend: whether the cost per MiB changes with size.</p>"
    ));
    for method in result.methods() {
        add(format_args!(
            "<table><caption>{method}</caption><tr><th>row</th><th>place</th><th>MB/s</th><th>a in µs</th>\
             <th>95 %</th><th>b in ms/MiB</th><th>95 %</th><th>bend</th></tr>"
        ));
        for RankedLine { label, cost, rank, estimate } in ranking(result, method, time) {
            let (label, place, speed) = (escape(&label), place(&rank), megabytes_per_second(cost));
            let line = match estimate {
                None => "<td colspan=\"5\">not on a line</td>".to_owned(),
                Some(e) => format!(
                    "<td>{:.0}</td><td>{:.0} .. {:.0}</td><td>{:.4}</td><td>{:.4} .. {:.4}</td><td>{}</td>",
                    e.line.a * 1e3,
                    e.a.low * 1e3,
                    e.a.high * 1e3,
                    e.line.b,
                    e.b.low,
                    e.b.high,
                    bend(&e)
                ),
            };
            add(format_args!("<tr><td>{label}</td><td>{place}</td><td>{speed:.0}</td>{line}</tr>"));
        }
        add(format_args!("</table>"));
    }

    if let Some(rows) = then_and_now(result, time) {
        let cells = |row: &[String], tag: &str| {
            row.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect::<String>()
        };
        add(format_args!(
            "<h2>Then and now</h2>\n<p class=\"quiet\">{}</p>\n<table><tr>{}</tr>",
            escape(SOURCE),
            cells(&rows[0], "th")
        ));
        for row in &rows[1..] {
            add(format_args!("<tr>{}</tr>", cells(row, "td")));
        }
        add(format_args!("</table>"));
    }

    add(format_args!("<h2>Figure 1: Linux, by language and algorithm</h2>\n<figure>{}</figure>", linux(result, time)));
    add(format_args!("<h2>Figure 2: Windows, as printed</h2>\n<figure>{}</figure>", windows()));
    add(format_args!("<h2>By algorithm</h2>\n<figure>{}</figure>", by_algorithm(result, time)));
    add(format_args!(
        "<p class=\"quiet\">Points are means, lines the fits weighted by 1/x², bands their 95 % intervals. Both axes are \
         logarithmic, so a line bends where the cost per message begins to count.</p>"
    ));

    add(format_args!("<h2>Runners</h2>\n<table><tr><th>row</th><th>runtime</th><th>version</th><th>library</th></tr>"));
    for row in &result.rows {
        let header = row.header.as_ref();
        let (runtime, version, provider) = header
            .map_or(("never answered", "", ""), |h| (h.runtime.as_str(), h.version.as_str(), h.provider.as_str()));
        add(format_args!(
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            escape(&row.label),
            escape(runtime),
            escape(version),
            escape(provider)
        ));
    }
    add(format_args!("</table>"));

    let noisy: Vec<_> = result.cells.iter().filter(|cell| !cell.noise.reasons().is_empty()).collect();
    add(format_args!(
        "<h2>Noise</h2>\n<p>{} of {} cells were disturbed.</p>\n<details><summary>Which, and how</summary><ul>",
        noisy.len(),
        result.cells.len()
    ));
    for cell in noisy {
        let (of, reasons) = (&cell.cell, cell.noise.reasons().join("; "));
        add(format_args!("<li>{} {} {} MiB: {}</li>", escape(&of.row), of.method, size(of.bytes), escape(&reasons)));
    }
    add(format_args!("</ul></details>\n<h2>Tables</h2>\n<pre>{}</pre>", escape(&text(result, time))));
    body
}
