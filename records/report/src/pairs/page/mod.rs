//! One page of HTML that shows pairs: groups as a graph, how the scores are spread, a table with a
//! search.
//!
//! The table is sorted by score, the best first. A group that is clicked in the drawing has its
//! rows marked in the table, and the other way round.

mod graph;
mod layout;
mod related;
mod said;
mod section;

use crate::html::{self, escape};
use crate::size_text;
use pfh_similarity::{Degenerate, Evidence, Score};
use section::{Row, Section};
use std::collections::HashMap;
use std::fmt::Write;

pub use said::{PairResults, Places};
pub use section::{Member, Scale};

/// Pairs in the table and links in the graph; the counts above them are of all.
const MOST_PAIRS: usize = 20_000;
/// Groups whose members are listed, and members of each.
const MOST_LISTED: usize = 100;
const MOST_NAMES: usize = 500;

/// A page in the making: for each algorithm [`Page::begin`], every pair, [`Page::end`]; then
/// [`Page::render`].
#[derive(Debug, Default)]
pub struct Page {
    body: String,
    section: Section,
    /// Who made the page, when, and by which line.
    made: String,
}

impl Page {
    /// One without a section.
    pub fn new() -> Page {
        Page::default()
    }

    /// States who made the page, when, and by which line: on its top.
    pub fn made(&mut self, made: &str) {
        made.clone_into(&mut self.made);
    }

    /// Begins the section of an algorithm.
    pub fn begin(&mut self, algorithm: &str, scale: Scale) {
        let threshold = scale.threshold.map(|threshold| match threshold {
            Score::Similarity(_) => format!(" with scores of at least {threshold}"),
            Score::Distance(_) => format!(" with distances of at most {threshold}"),
        });
        self.section = Section {
            algorithm: algorithm.to_owned(),
            threshold: threshold.unwrap_or_default(),
            distance: scale.distance,
            digests: scale.digests,
            bins: vec![0; 11],
            ..Section::default()
        };
    }

    /// Takes a pair, given by its members' places, with the reason why its score may mean nothing.
    pub fn pair(&mut self, a: u32, b: u32, score: Score, evidence: Evidence, degenerate: Option<Degenerate>) {
        self.related((a, b, score), evidence, degenerate, None);
    }

    /// Takes a pair with the results of all methods.
    pub fn related(
        &mut self,
        (a, b, score): (u32, u32, Score),
        evidence: Evidence,
        degenerate: Option<Degenerate>,
        said: Option<PairResults>,
    ) {
        let section = &mut self.section;
        section.count += 1;
        section.saturated += u64::from(degenerate == Some(Degenerate::Saturated));
        let bin = (score.number() / 10).min(10) as usize;
        section.bins[bin] += 1;
        let bridge = section.join(a, b);
        if section.pairs.len() < MOST_PAIRS {
            let shared = evidence.shared_chunks.or(evidence.shared_features).or(evidence.shared_bytes);
            let said = said.map(Box::new);
            section.pairs.push(Row { a, b, score, shared, degenerate, said });
        } else if bridge {
            section.bridges.push((a, b, score));
        }
    }

    /// The groups that [`Page::end`] is given have these numbers, and not 1, 2 …
    pub fn number(&mut self, numbers: Vec<u64>) {
        self.section.numbers = numbers;
    }

    /// Ends the section. `groups` are those of all pairs, largest first; `member` gives the member
    /// at a place.
    pub fn end<'a>(&mut self, groups: &[Vec<u32>], member: &dyn Fn(u32) -> Member<'a>) {
        let mut section = std::mem::take(&mut self.section);
        section.order();
        let members: usize = groups.iter().map(Vec::len).sum();
        let digests = section.digests.map_or_else(String::new, |digests| format!("{digests} digests, "));
        let _ = write!(
            self.body,
            "<h2>{}</h2>\n<p>{digests}{}{}; {} with {}.</p>\n",
            heading(&section.algorithm),
            counted(section.count, "pair"),
            section.threshold,
            counted(groups.len() as u64, "group"),
            counted(members as u64, "member")
        );
        if section.count == 0 {
            self.body += "<p>No two of the files are similar enough to be listed.</p>\n";
            return;
        }
        if section.saturated > 0 {
            let _ = writeln!(
                self.body,
                "<p>{} of the pairs have a digest that is saturated: it matches random data, and so anything.</p>",
                section.saturated
            );
        }
        graph::draw(&mut self.body, &section, groups, member);
        lists(&mut self.body, &section, groups, member);
        histogram(&mut self.body, &section);
        table(&mut self.body, &section, groups, member);
    }

    /// The page so far, as a part of another page.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Appends the whole page.
    pub fn render(&self, out: &mut Vec<u8>) {
        let made = if self.made.is_empty() {
            String::new()
        } else {
            format!("<p class=\"quiet\">{}</p>\n", escape(&self.made))
        };
        let none = if self.body.is_empty() { "<p>No two files could be compared.</p>\n" } else { "" };
        out.extend_from_slice(html::document("Similar files", &format!("{made}{none}{}", self.body)).as_bytes());
    }
}

/// A number of things: `1 pair`, `2 pairs`.
fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The heading of a section: its algorithm, or that all methods were asked.
fn heading(algorithm: &str) -> String {
    if algorithm == "auto" { "By all methods".to_owned() } else { escape(algorithm) }
}

/// The members of the groups that are numbered in the drawing, to be opened.
fn lists<'a>(out: &mut String, section: &Section, groups: &[Vec<u32>], member: &dyn Fn(u32) -> Member<'a>) {
    let named: Vec<&Vec<u32>> = groups.iter().take(MOST_LISTED).take_while(|group| group.len() > 2).collect();
    if named.is_empty() {
        return;
    }
    out.push_str("<details><summary>Members of the groups</summary>\n");
    for (number, group) in named.iter().enumerate() {
        let _ = write!(out, "<details><summary>{}: {} files</summary><ul>", section.number(number), group.len());
        for &place in &group[..group.len().min(MOST_NAMES)] {
            let Member { name, size } = member(place);
            let size =
                size.map_or_else(String::new, |size| format!(" <span class=\"quiet\">{}</span>", size_text(size)));
            let _ = write!(out, "<li>{}{size}</li>", html::path(name));
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
        "<figure><svg viewBox=\"0 0 {0} 190\" width=\"{0}\" role=\"img\" aria-label=\"pairs by {kind}\">",
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

/// The number of the group that each member of the table is in, or 0.
fn numbers(section: &Section, groups: &[Vec<u32>]) -> HashMap<u32, u64> {
    let mut numbers: HashMap<u32, u64> = section.pairs.iter().flat_map(|row| [(row.a, 0), (row.b, 0)]).collect();
    for (number, group) in groups.iter().enumerate() {
        for place in group {
            if let Some(found) = numbers.get_mut(place) {
                *found = section.number(number);
            }
        }
    }
    numbers
}

fn table<'a>(out: &mut String, section: &Section, groups: &[Vec<u32>], member: &dyn Fn(u32) -> Member<'a>) {
    let kind = if section.distance { "distance" } else { "score" };
    // With evidence every pair has some.
    let evidence = section.pairs.iter().any(|pair| pair.shared.is_some());
    let marks = section.pairs.iter().any(|pair| pair.degenerate.is_some());
    let sizes = section.pairs.iter().any(|pair| member(pair.a).size.or(member(pair.b).size).is_some());
    if section.count > section.pairs.len() as u64 {
        let _ = writeln!(
            out,
            "<p>The table holds the first {} of {} pairs; the csv and jsonl forms hold them all.</p>",
            section.pairs.len(),
            section.count
        );
    }
    let numbers = numbers(section, groups);
    if section.pairs.iter().any(|row| row.said.is_some()) {
        return related::table(out, section, &|place| numbers.get(&place).copied().unwrap_or_default(), member);
    }
    let size = if sizes { "<th class=\"n\">size</th>" } else { "" };
    let _ = writeln!(
        out,
        "<input type=\"search\" placeholder=\"search names and {kind}s\" aria-label=\"search\">\
         <table{}><caption>{} rows</caption><thead><tr><th class=\"n\">group</th><th>file</th>{size}<th>is like</th>{size}\
         <th class=\"n\">{kind}</th>{}{}</tr></thead>\n<tbody>",
        if section.pairs.len() > html::STEP { " class=\"long\"" } else { "" },
        section.pairs.len(),
        if evidence { "<th class=\"n\">shared</th>" } else { "" },
        if marks { "<th>mark</th>" } else { "" }
    );
    for (at, &Row { a, b, score, shared, degenerate, .. }) in section.pairs.iter().enumerate() {
        if at == html::STEP {
            out.push_str("<template>");
        }
        let why = degenerate.map_or_else(String::new, |why| why.to_string());
        let cells = [a, b].map(|place| {
            let Member { name, size } = member(place);
            let name = html::path(name);
            match size {
                Some(size) => {
                    format!("<td class=\"file\">{name}</td><td class=\"n\" data-v=\"{size}\">{}</td>", size_text(size))
                }
                None if sizes => format!("<td class=\"file\">{name}</td><td class=\"n\" data-v=\"\"></td>"),
                None => format!("<td class=\"file\">{name}</td>"),
            }
        });
        let number = numbers.get(&a).copied().unwrap_or_default();
        let _ = writeln!(
            out,
            "<tr><td class=\"n\" data-g=\"{}\">{number}</td>{}<td class=\"n\">{score}</td>{}{}</tr>",
            section.group(number),
            cells.concat(),
            shared.map_or_else(String::new, |shared| format!("<td class=\"n\">{shared}</td>")),
            if marks { format!("<td>{}</td>", escape(&why)) } else { why }
        );
    }
    section::end(out, section.pairs.len());
}
