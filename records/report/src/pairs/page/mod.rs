//! One page of HTML that shows pairs: groups as a graph, how the scores are spread, a table with a
//! search.
//!
//! The page needs nothing else and loads nothing: its policy forbids all but its own style and its
//! one script, which is named by its digest. Names reach it rendered as for a terminal and then
//! escaped, as text only, never as markup or script.

mod graph;
mod layout;
mod section;

use pfh_digest::Algorithm;
use pfh_similarity::{Degenerate, Evidence, Score};
use section::{Row, Section, escape, shown};
use std::fmt::Write;

/// Pairs in the table and links in the graph; the counts above them are of all.
const MOST_PAIRS: usize = 20_000;
/// Groups whose members are listed, and members of each.
const MOST_LISTED: usize = 100;
const MOST_NAMES: usize = 500;

/// Colours follow the reader's choice of light or dark. Drawings are not made smaller than their
/// words can be read: they scroll.
const STYLE: &str = ":root{color-scheme:light dark;--back:#fff;--text:#222;--quiet:#555;--rule:#ddd;--field:#fafafa;--dot:#258;--link:#4a7}\
@media(prefers-color-scheme:dark){:root{--back:#16181b;--text:#e4e4e4;--quiet:#a5a5a5;--rule:#3a3d42;--field:#1e2125;--dot:#8bc2f0;--link:#5b8}}\
body{font:15px/1.5 sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:var(--text);background:var(--back)}\
h1{font-size:1.6em}h2{font-size:1.2em;margin-top:2em}\
table{border-collapse:collapse;width:100%}th,td{padding:.2em .8em;text-align:left;border-bottom:1px solid var(--rule);overflow-wrap:anywhere}\
td.n,th.n{text-align:right;white-space:nowrap}caption{text-align:left;color:var(--quiet)}\
figure{margin:1em 0;overflow-x:auto}svg{background:var(--field);max-width:100%;min-width:660px;height:auto}\
text{fill:var(--text)}circle,rect{fill:var(--dot)}line{stroke:var(--link)}circle:hover{stroke:#d0203c;stroke-width:2}\
.quiet{color:var(--quiet)}input{font:inherit;padding:.3em;width:24em;max-width:100%;margin-bottom:.6em}\
li{overflow-wrap:anywhere}details details{margin-left:1em}";

/// Shows the rows that hold what was typed.
const SCRIPT: &str = "document.querySelectorAll('input').forEach(function(i){i.addEventListener('input',function(){\
var t=i.value.toLowerCase(),n=0;i.nextElementSibling.querySelectorAll('tbody tr').forEach(function(r){\
var s=r.textContent.toLowerCase().indexOf(t)>=0;r.hidden=!s;n+=s?1:0});\
i.nextElementSibling.querySelector('caption').textContent=n+' rows'})});";

/// A page in the making: for each algorithm [`Page::begin`], every pair, [`Page::end`]; then
/// [`Page::render`].
#[derive(Debug, Default)]
pub struct Page {
    body: String,
    section: Section,
}

impl Page {
    /// One without a section.
    pub fn new() -> Page {
        Page::default()
    }

    /// Begins the section of an algorithm with that many digests.
    pub fn begin(&mut self, algorithm: &str, threshold: Score, digests: u64) {
        let (distance, words) = match threshold {
            Score::Similarity(_) => (false, "scores of at least"),
            Score::Distance(_) => (true, "distances of at most"),
        };
        self.section = Section {
            algorithm: algorithm.to_owned(),
            threshold: format!("{words} {threshold}"),
            distance,
            digests,
            bins: vec![0; 11],
            ..Section::default()
        };
    }

    /// Takes a pair, given by its members' places, with the reason why its score may mean nothing.
    pub fn pair(&mut self, a: u32, b: u32, score: Score, evidence: Evidence, degenerate: Option<Degenerate>) {
        let section = &mut self.section;
        section.count += 1;
        section.saturated += u64::from(degenerate == Some(Degenerate::Saturated));
        let bin = (score.number() / 10).min(10) as usize;
        section.bins[bin] += 1;
        let bridge = section.join(a, b);
        if section.pairs.len() < MOST_PAIRS {
            let shared = evidence.shared_chunks.or(evidence.shared_features);
            section.pairs.push(Row { a, b, score, shared, degenerate });
        } else if bridge {
            section.bridges.push((a, b, score));
        }
    }

    /// Ends the section. `groups` are those of all pairs, largest first; `name` gives the name at a
    /// place.
    pub fn end<'a>(&mut self, groups: &[Vec<u32>], name: impl Fn(u32) -> &'a [u8]) {
        let section = std::mem::take(&mut self.section);
        let members: usize = groups.iter().map(Vec::len).sum();
        let _ = write!(
            self.body,
            "<h2>{}</h2>\n<p>{} digests, {} pairs with {}; {} groups with {} members.</p>\n",
            escape(&section.algorithm),
            section.digests,
            section.count,
            section.threshold,
            groups.len(),
            members
        );
        if section.saturated > 0 {
            let _ = writeln!(
                self.body,
                "<p>{} of the pairs have a digest that is saturated: it matches random data, and so anything.</p>",
                section.saturated
            );
        }
        graph::draw(&mut self.body, &section, groups, &name);
        lists(&mut self.body, groups, &name);
        histogram(&mut self.body, &section);
        table(&mut self.body, &section, &name);
    }

    /// Appends the whole page.
    pub fn render(&self, out: &mut Vec<u8>) {
        let sha256: Option<Algorithm> = "sha256".parse().ok();
        let digest = sha256.map(|sha256| data_encoding::BASE64.encode(sha256.digest(SCRIPT.as_bytes()).bytes()));
        let page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
             script-src 'sha256-{}'\">\n<title>Similar files</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <h1>Similar files</h1>\n{}<script>{SCRIPT}</script>\n</body>\n</html>\n",
            digest.unwrap_or_default(),
            self.body
        );
        out.extend_from_slice(page.as_bytes());
    }
}

/// The members of the groups that are numbered in the drawing, to be opened.
fn lists<'a>(out: &mut String, groups: &[Vec<u32>], name: &impl Fn(u32) -> &'a [u8]) {
    let named: Vec<&Vec<u32>> = groups.iter().take(MOST_LISTED).take_while(|group| group.len() > 2).collect();
    if named.is_empty() {
        return;
    }
    out.push_str("<details><summary>Members of the groups</summary>\n");
    for (number, group) in named.iter().enumerate() {
        let _ = write!(out, "<details><summary>{}: {} files</summary><ul>", number + 1, group.len());
        for &place in &group[..group.len().min(MOST_NAMES)] {
            let _ = write!(out, "<li>{}</li>", shown(name(place)));
        }
        if group.len() > MOST_NAMES {
            let _ = write!(out, "<li class=\"quiet\">and {} more</li>", group.len() - MOST_NAMES);
        }
        out.push_str("</ul></details>\n");
    }
    out.push_str("</details>\n");
}

fn histogram(out: &mut String, section: &Section) {
    let most = section.bins.iter().copied().max().unwrap_or(0).max(1);
    let (height, wide) = (140.0, 60.0);
    let kind = if section.distance { "distances" } else { "scores" };
    let _ = writeln!(
        out,
        "<figure><svg viewBox=\"0 0 {0} 190\" width=\"{0}\" role=\"img\" aria-label=\"{kind}\">",
        wide * section.bins.len() as f64
    );
    for (bin, &count) in section.bins.iter().enumerate() {
        let tall = height * count as f64 / most as f64;
        let (x, y) = (wide * bin as f64, 20.0 + height - tall);
        let label = match (bin, section.distance) {
            (10, true) => "100…".to_owned(),
            (10, false) => "100".to_owned(),
            _ => format!("{}–{}", 10 * bin, 10 * bin + 9),
        };
        let _ = writeln!(
            out,
            "<rect x=\"{:.0}\" y=\"{y:.1}\" width=\"{:.0}\" height=\"{tall:.1}\"/><text x=\"{:.0}\" y=\"{:.1}\" \
             font-size=\"11\" text-anchor=\"middle\">{count}</text><text x=\"{:.0}\" y=\"178\" font-size=\"11\" \
             text-anchor=\"middle\">{label}</text>",
            x + 4.0,
            wide - 8.0,
            x + wide / 2.0,
            y - 4.0,
            x + wide / 2.0
        );
    }
    let _ = writeln!(
        out,
        "</svg><figcaption class=\"quiet\">All {} pairs by their {kind}.</figcaption></figure>",
        section.count
    );
}

fn table<'a>(out: &mut String, section: &Section, name: &impl Fn(u32) -> &'a [u8]) {
    let kind = if section.distance { "distance" } else { "score" };
    // With evidence every pair has some.
    let evidence = section.pairs.iter().any(|pair| pair.shared.is_some());
    let marks = section.pairs.iter().any(|pair| pair.degenerate.is_some());
    if section.count > section.pairs.len() as u64 {
        let _ = writeln!(
            out,
            "<p>The table holds the first {} of {} pairs; the csv and jsonl forms hold them all.</p>",
            section.pairs.len(),
            section.count
        );
    }
    let _ = writeln!(
        out,
        "<input type=\"search\" placeholder=\"search names and {kind}s\" aria-label=\"search\">\
         <table><caption>{} rows</caption><thead><tr><th>a</th><th>b</th><th class=\"n\">{kind}</th>{}{}</tr></thead>\n<tbody>",
        section.pairs.len(),
        if evidence { "<th class=\"n\">shared</th>" } else { "" },
        if marks { "<th>mark</th>" } else { "" }
    );
    for &Row { a, b, score, shared, degenerate } in &section.pairs {
        let why = degenerate.map_or_else(String::new, |why| why.to_string());
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{score}</td>{}{}</tr>",
            shown(name(a)),
            shown(name(b)),
            shared.map_or_else(String::new, |shared| format!("<td class=\"n\">{shared}</td>")),
            if marks { format!("<td>{}</td>", escape(&why)) } else { why }
        );
    }
    out.push_str("</tbody></table>\n");
}
