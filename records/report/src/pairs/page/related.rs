//! The table of pairs that all methods were asked for, and where two files have bytes in common.

use super::said::{PairResults, Places};
use super::section::{self, Member, Section};
use crate::html::{self, escape};
use crate::size_text;
use pfh_similarity::shingles::Run;
use pfh_similarity::{Chance, Evidence};
use std::fmt::Write;

/// Runs that are written beside the drawing.
const MOST_WRITTEN: usize = 40;
/// The drawing's width, and the height of a bar and of the space between two.
const WIDTH: f64 = 700.0;
const BAR: f64 = 14.0;
const SPACE: f64 = 34.0;

/// Appends the rows, the filters above them, and in each row with places a drawing to be opened.
pub fn table<'a>(
    out: &mut String,
    section: &Section,
    numbers: &dyn Fn(u32) -> u64,
    member: &dyn Fn(u32) -> Member<'a>,
) {
    let said = || section.pairs.iter().filter_map(|row| row.said.as_deref());
    let mut relations: Vec<&str> = said().map(|said| &*said.relation).collect();
    relations.dedup();
    relations.sort_unstable();
    relations.dedup();
    out.push_str("<div class=\"filter\"><select aria-label=\"relation\"><option value=\"\">all relations</option>");
    for relation in &relations {
        let relation = escape(relation);
        let _ = write!(out, "<option>{relation}</option>");
    }
    let _ = write!(
        out,
        "</select> <input type=\"search\" placeholder=\"search names and scores\" aria-label=\"search\"></div>\
         <table{}><caption>{} rows; containment and resemblance in percent</caption><thead><tr><th class=\"n\">group</th>\
         <th>relation</th><th>files</th><th class=\"n\">score</th><th class=\"n\">shared bytes</th><th class=\"n\">a in b</th>\
         <th class=\"n\">b in a</th><th class=\"n\">resem\u{ad}blance</th><th class=\"n\">once in</th></tr></thead>\n<tbody>",
        if section.pairs.len() > html::STEP { " class=\"long\"" } else { "" },
        section.pairs.len()
    );
    for (at, row) in section.pairs.iter().enumerate() {
        if at == html::STEP {
            out.push_str("<template>");
        }
        let Some(said) = row.said.as_deref() else { continue };
        let relation = escape(&said.relation);
        let number = numbers(row.a);
        let _ = write!(
            out,
            "<tr data-r=\"{relation}\"><td class=\"n\" data-g=\"{}\">{number}</td><td class=\"mark\">{relation}{}</td><td class=\"file\">",
            section.group(number),
            row.degenerate.map_or_else(String::new, |why| format!(
                " <span class=\"quiet\">({})</span>",
                escape(&why.to_string())
            ))
        );
        for (letter, place) in [("a", row.a), ("b", row.b)] {
            let Member { name, size } = member(place);
            let size =
                size.map_or_else(String::new, |size| format!(" <span class=\"quiet\">{}</span>", size_text(size)));
            let _ = write!(out, "<span class=\"quiet\">{letter}</span> {}{size}<br>", html::path(name));
        }
        let scores: Vec<String> =
            said.scores.iter().map(|(method, score)| format!("{} {score}", escape(method))).collect();
        let _ = write!(out, "<span class=\"quiet\">{}</span>{}</td>", scores.join(", "), drawing(said));
        let evidence = Evidence { contained: said.contained, ..Evidence::default() };
        let [a_in_b, b_in_a] = [0, 1].map(|i| said.contained.map(|contained| contained[i].into()));
        let numbers =
            [Some(row.score.number().into()), row.shared, a_in_b, b_in_a, evidence.resemblance().map(u64::from)];
        for number in numbers {
            let _ =
                write!(out, "<td class=\"n\">{}</td>", number.map_or_else(String::new, |number| number.to_string()));
        }
        let _ = writeln!(out, "{}</tr>", once_in(said.chance));
    }
    section::end(out, section.pairs.len());
}

fn once_in(chance: Option<Chance>) -> String {
    let Some(chance) = chance else { return "<td></td>".into() };
    let more = if chance.is_bound { "&gt; " } else { "" };
    format!("<td class=\"n\" data-v=\"{0}\">{more}{0}</td>", chance.once_in)
}

/// Two bars, the first file above the second, with the runs that both have.
fn drawing(said: &PairResults) -> String {
    let Places { sizes, runs } = match &said.places {
        None => return String::new(),
        Some(Err(why)) => return format!(" <span class=\"quiet\" title=\"{}\">(places not shown)</span>", escape(why)),
        Some(Ok(places)) => places,
    };
    let mut out = String::from("<details><summary>where</summary>");
    let _ = write!(
        out,
        "<svg class=\"places\" viewBox=\"0 0 {WIDTH} {0}\" width=\"100%\" role=\"img\" aria-label=\"shared bytes\">",
        2.0 * BAR + SPACE
    );
    let x = |at: u64, size: u64| WIDTH * at as f64 / size.max(1) as f64;
    for y in [0.0, BAR + SPACE] {
        let _ = write!(out, "<rect class=\"bar\" x=\"0\" y=\"{y}\" width=\"{WIDTH}\" height=\"{BAR}\"/>");
    }
    for Run { a, b, length } in runs {
        let [left, right] = [x(*a, sizes[0]), x(a + length, sizes[0])];
        let [low, high] = [x(*b, sizes[1]), x(b + length, sizes[1])];
        let bottom = BAR + SPACE;
        let _ = write!(
            out,
            "<polygon points=\"{left:.1},0 {right:.1},0 {right:.1},{BAR} {high:.1},{bottom} {high:.1},{0} {low:.1},{0} {low:.1},{bottom} {left:.1},{BAR}\"/>",
            bottom + BAR
        );
    }
    out.push_str("</svg><ul>");
    for Run { a, b, length } in runs.iter().take(MOST_WRITTEN) {
        let _ = write!(out, "<li>{length} bytes at {a}, and at {b}</li>");
    }
    if runs.len() > MOST_WRITTEN {
        let _ = write!(out, "<li class=\"quiet\">and {} more</li>", runs.len() - MOST_WRITTEN);
    }
    out.push_str("</ul></details>");
    out
}
