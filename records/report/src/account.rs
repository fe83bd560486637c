//! The account of media as a page: a bar for each, its sums, and bytes that nothing accounts for.

use crate::html::{document, escape, shown};
use std::fmt::Write;

/// Columns of a bar.
const COLUMNS: u64 = 1000;
/// Rows of residue and of faults that are shown of a medium.
const MOST: usize = 1000;

/// The uses in the order of the table, each with its colour. That of residue is kept for it.
const USES: [(&str, &str); 7] = [
    ("content", "#2f7fc1"),
    ("structure", "#7a68b8"),
    ("free", "#c8ccd2"),
    ("slack", "#e0a800"),
    ("padding", "#e4e0d5"),
    ("reserved", "#5d8f6a"),
    ("residue", "#d0203c"),
];

/// A range of a medium.
#[derive(Debug, Clone)]
pub struct Range<'a> {
    /// Where it begins, in bytes.
    pub start: u64,
    /// How many bytes.
    pub length: u64,
    /// Its use: a word of the account, as `content`.
    pub holds: &'a str,
    /// Whose it is; of residue the look of its first bytes.
    pub of: &'a [u8],
}

/// A medium or archive.
#[derive(Debug, Clone)]
pub struct Medium<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Bytes.
    pub size: u64,
    /// Its ranges in order of place; they tile it.
    pub ranges: Vec<Range<'a>>,
    /// Whether all structures are known one by one.
    pub is_itemised: bool,
    /// Faults, in words.
    pub faults: Vec<String>,
}

/// The part of a page that shows a medium.
pub fn section(medium: &Medium<'_>) -> String {
    let mut out = format!("<h2>{}</h2>\n", shown(medium.name));
    bar(&mut out, medium);
    out.push_str(
        "<table><thead><tr><th>use</th><th class=\"n\">bytes</th><th class=\"n\">share</th></tr></thead><tbody>\n",
    );
    for (name, colour) in USES {
        let sum: u64 = medium.ranges.iter().filter(|range| range.holds == name).map(|range| range.length).sum();
        let share = if medium.size > 0 { sum as f64 * 100.0 / medium.size as f64 } else { 0.0 };
        let mark = format!(
            "<svg width=\"12\" height=\"12\" style=\"min-width:0\" aria-hidden=\"true\"><rect width=\"12\" height=\"12\" style=\"fill:{colour}\"/></svg>"
        );
        let _ = writeln!(
            out,
            "<tr><td>{mark} {name}</td><td class=\"n\" data-v=\"{sum}\">{sum}</td><td class=\"n\" data-v=\"{share}\">{share:.2} %</td></tr>"
        );
    }
    let _ = writeln!(out, "</tbody></table>\n<p class=\"quiet\">{} bytes in all.</p>", medium.size);
    if !medium.is_itemised {
        out.push_str("<p class=\"open\">Structures are not itemised: residue among them is not known.</p>\n");
    }
    let residue: Vec<&Range<'_>> = medium.ranges.iter().filter(|range| range.holds == "residue").collect();
    if !residue.is_empty() {
        out.push_str("<h3>Bytes that nothing accounts for</h3>\n<table><thead><tr><th class=\"n\">offset</th><th class=\"n\">bytes</th><th>looks like</th></tr></thead><tbody>\n");
        for range in residue.iter().take(MOST) {
            let (start, length, look) = (range.start, range.length, shown(range.of));
            let _ = writeln!(out, "<tr><td class=\"n\">{start}</td><td class=\"n\">{length}</td><td>{look}</td></tr>");
        }
        out.push_str("</tbody></table>\n");
        further(&mut out, residue.len());
    }
    if !medium.faults.is_empty() {
        out.push_str("<h3>Faults</h3>\n<ul>\n");
        for fault in medium.faults.iter().take(MOST) {
            let _ = writeln!(out, "<li class=\"bad\">{}</li>", escape(fault));
        }
        out.push_str("</ul>\n");
        further(&mut out, medium.faults.len());
    }
    out
}

/// The page of these sections.
pub fn page(sections: &str) -> String {
    document("The account of every byte", sections)
}

fn further(out: &mut String, rows: usize) {
    if rows > MOST {
        let _ = writeln!(out, "<p class=\"quiet\">and {} more</p>", rows - MOST);
    }
}

/// The bar: each column has the use that most of its bytes have, and that of residue if there is
/// any, however little.
fn bar(out: &mut String, medium: &Medium<'_>) {
    let columns = uses(medium);
    let _ = writeln!(
        out,
        "<figure><svg viewBox=\"0 0 {} 60\" width=\"{}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"uses of the bytes by place\">",
        COLUMNS, COLUMNS
    );
    let place = |column: usize| u128::from(medium.size) * column as u128 / u128::from(COLUMNS);
    let mut from = 0;
    for column in 1..=columns.len() {
        if columns.get(column) == Some(&columns[from]) {
            continue;
        }
        if let Some(number) = columns[from] {
            let (name, colour) = USES[number];
            let (start, end) = (place(from), place(column));
            let _ = writeln!(
                out,
                "<rect x=\"{from}\" width=\"{}\" height=\"60\" style=\"fill:{colour}\"><title>{start} – {end}: {name}</title></rect>",
                column - from
            );
        }
        from = column;
    }
    out.push_str("</svg></figure>\n");
}

/// The use that each column shows, by its place among all.
fn uses(medium: &Medium<'_>) -> Vec<Option<usize>> {
    let mut sums = vec![[0_u128; USES.len()]; COLUMNS as usize];
    // In units of a byte by the number of columns, so that a column may begin within a byte.
    let (all, each) = (u128::from(COLUMNS), u128::from(medium.size.max(1)));
    for range in &medium.ranges {
        let Some(number) = USES.iter().position(|(name, _)| *name == range.holds) else { continue };
        let (start, end) = (u128::from(range.start) * all, u128::from(range.start + range.length) * all);
        let mut at = start;
        while at < end {
            let column = (at / each) as usize;
            let to = end.min((column as u128 + 1) * each);
            if let Some(sums) = sums.get_mut(column) {
                sums[number] += to - at;
            }
            at = to;
        }
    }
    let residue = USES.len() - 1;
    let most = |sums: &[u128; USES.len()]| match sums[residue] {
        0 => (0..residue).filter(|number| sums[*number] > 0).max_by_key(|number| sums[*number]),
        _ => Some(residue),
    };
    sums.iter().map(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn medium<'a>(lengths: &[(u64, &'a str)]) -> Medium<'a> {
        let mut at = 0;
        let ranges = lengths.iter().map(|(length, holds)| {
            at += length;
            Range { start: at - length, length: *length, holds, of: b"<look>" }
        });
        let ranges = ranges.collect();
        Medium { name: b"a<b", size: at, ranges, is_itemised: false, faults: vec!["cut & off".into()] }
    }

    #[test]
    fn a_byte_of_residue_is_seen_in_a_large_medium() {
        let page = page(&section(&medium(&[(1 << 40, "content"), (1, "residue"), (1 << 40, "free")])));
        assert!(page.contains("<title>1097312604520 – 1101710651032: residue</title>"), "{page}");
        assert!(page.contains("<td>&lt;look&gt;</td>") && page.contains("a&lt;b") && page.contains("cut &amp; off"));
        assert!(page.contains("not itemised"));
    }

    #[test]
    fn each_column_has_a_use_of_its_bytes() {
        let mut state = 7_u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % most
        };
        for _ in 0..60 {
            let lengths: Vec<(u64, &str)> =
                (0..=next(40)).map(|_| (1 + next(5000), USES[next(7) as usize].0)).collect();
            let medium = medium(&lengths);
            for (column, shown) in uses(&medium).into_iter().enumerate() {
                let (start, end) = (medium.size * column as u64, medium.size * (column as u64 + 1));
                let is_in =
                    |range: &&Range<'_>| range.start * COLUMNS < end && (range.start + range.length) * COLUMNS > start;
                let within: Vec<&str> = medium.ranges.iter().filter(is_in).map(|range| range.holds).collect();
                let shown = USES[shown.unwrap()].0;
                assert!(within.contains(&shown) && within.contains(&"residue") == (shown == "residue"), "{lengths:?}");
            }
        }
    }
}
