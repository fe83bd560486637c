//! The groups as a graph: squares side by side, largest first.

use super::layout;
use super::section::{Member, Section};
use crate::html::{self, escape, shown};
use crate::size_text;
use pfh_similarity::Score;
use std::collections::HashMap;
use std::fmt::Write;

/// Members drawn of a group, and of all groups together.
const MOST_MEMBERS: usize = 150;
const MOST_DRAWN: usize = 1_500;
/// Members of a group that have their names at their dots, characters of such a name, and about how
/// wide one is drawn.
const MOST_NAMED: usize = 24;
const LETTERS: usize = 20;
const LETTER: f64 = 5.8;
/// The width of the drawing, the room around a group, and the height of the words over one.
const WIDTH: f64 = 1060.0;
const MARGIN: f64 = 14.0;
const LABEL: f64 = 18.0;

/// Boxes in rows, large ones first; below one that is less high than its row the next ones follow,
/// as long as they fit.
#[derive(Default)]
struct Shelf {
    row: f64,
    high: f64,
    /// The column that is being filled: where it begins, how wide it is, and how far down it is
    /// full.
    column: (f64, f64, f64),
}

impl Shelf {
    /// The upper left corner for a box of this width and height.
    fn put(&mut self, wide: f64, high: f64) -> (f64, f64) {
        let (x, column, y) = self.column;
        if wide <= column && y + high <= self.row + self.high {
            self.column.2 += high;
            return (x, y);
        }
        let mut x = x + column;
        if x + wide > WIDTH && x > 0.0 {
            (x, self.row, self.high) = (0.0, self.row + self.high, 0.0);
        }
        self.high = self.high.max(high);
        self.column = (x, wide, self.row + high);
        (x, self.row)
    }

    fn bottom(&self) -> f64 {
        self.row + self.high
    }
}

/// Appends the groups: a dot for each member, a line for each pair.
pub(super) fn draw<'a>(out: &mut String, section: &Section, groups: &[Vec<u32>], member: &dyn Fn(u32) -> Member<'a>) {
    // Which group's drawing, and which point in it, a place is.
    let mut points: HashMap<u32, (usize, usize)> = HashMap::new();
    let mut drawn: Vec<&[u32]> = Vec::new();
    for group in groups {
        let members = &group[..group.len().min(MOST_MEMBERS)];
        if points.len() + members.len() > MOST_DRAWN {
            break;
        }
        points.extend(members.iter().enumerate().map(|(at, &place)| (place, (drawn.len(), at))));
        drawn.push(members);
    }
    let mut links: Vec<Vec<(usize, usize, Score)>> = vec![Vec::new(); drawn.len()];
    let pairs = section.pairs.iter().map(|pair| (pair.a, pair.b, pair.score));
    for (a, b, score) in pairs.chain(section.bridges.iter().copied()) {
        if let (Some(&(group, a)), Some(&(other, b))) = (points.get(&a), points.get(&b))
            && group == other
        {
            links[group].push((a, b, score));
        }
    }
    if drawn.is_empty() {
        return;
    }
    let mut shelf = Shelf::default();
    let mut body = String::new();
    for (number, (members, links)) in drawn.iter().zip(&links).enumerate() {
        let many = members.len() > 2;
        let named = members.len() <= MOST_NAMED;
        let root = (members.len() as f64).sqrt();
        let side = match (many, named) {
            (false, _) => 45.0,
            (true, true) => 50.0 + 60.0 * root,
            (true, false) => 40.0 + 34.0 * root,
        };
        let pairs: Vec<(usize, usize)> = links.iter().map(|&(a, b, _)| (a, b)).collect();
        // Two stand one above the other, so that there is room for their names.
        let turned = |(x, y): (f64, f64)| if many { (side * x, side * y) } else { (side * y, side * x) };
        let places: Vec<(f64, f64)> = layout::places(members.len(), &pairs).into_iter().map(turned).collect();
        let labels: Vec<String> = if named {
            members.iter().map(|&place| html::label(member(place).name, LETTERS)).collect()
        } else {
            Vec::new()
        };
        let low = places.iter().fold((f64::MAX, f64::MAX), |low, place| (low.0.min(place.0), low.1.min(place.1)));
        let high = places.iter().fold((0.0f64, 0.0f64), |high, place| (high.0.max(place.0), high.1.max(place.1)));
        let label = if many { LABEL } else { 0.0 };
        // Names stand to the right of their dots.
        let reach = |(at, text): (usize, &String)| places[at].0 + 8.0 + LETTER * text.chars().count() as f64;
        let right = labels.iter().enumerate().map(reach).fold(high.0, f64::max);
        // A label takes some room with any group.
        let wide = (right - low.0).max(4.0 * label) + 2.0 * MARGIN;
        let (x, y) = shelf.put(wide, high.1 - low.1 + 2.0 * MARGIN + label);
        let left = x + (wide - (right - low.0)) / 2.0 - low.0;
        let group = section.group(section.number(number));
        let at = |i: usize| (left + places[i].0, y + MARGIN + label - low.1 + places[i].1);
        if many {
            let _ = writeln!(
                body,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"12\" text-anchor=\"middle\" data-g=\"{group}\">{}: {} files</text>",
                x + wide / 2.0,
                y + LABEL - 4.0,
                section.number(number),
                groups[number].len()
            );
        }
        // Of many links each is fainter, so that a group where all are linked with all is not a
        // blot.
        let faint = (8.0 * members.len() as f64 / links.len().max(1) as f64).clamp(0.12, 1.0);
        for &(a, b, score) in links {
            let ((x1, y1), (x2, y2)) = (at(a), at(b));
            let strength = match score {
                Score::Similarity(score) => f64::from(score) / 100.0,
                Score::Distance(distance) => 1.0 - f64::from(distance.min(100)) / 110.0,
            };
            let _ = writeln!(
                body,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke-opacity=\"{:.2}\"/>",
                faint * (0.15 + 0.8 * strength)
            );
        }
        for (i, &place) in members.iter().enumerate() {
            let (cx, cy) = at(i);
            let Member { name, size } = member(place);
            let size = size.map_or_else(String::new, |size| format!(", {}", size_text(size)));
            let _ = writeln!(
                body,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"4\" data-g=\"{group}\"><title>{}{size}</title></circle>",
                shown(name)
            );
            if let Some(label) = labels.get(i) {
                let _ = writeln!(
                    body,
                    "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\" data-g=\"{group}\">{}</text>",
                    cx + 7.0,
                    cy + 3.5,
                    escape(label)
                );
            }
        }
    }
    let _ = writeln!(
        out,
        "<figure><svg viewBox=\"0 0 {WIDTH} {:.0}\" width=\"{WIDTH}\" role=\"group\" aria-label=\"groups of {}\">\n{body}</svg>",
        shelf.bottom(),
        escape(&section.algorithm)
    );
    let members: usize = groups.iter().map(Vec::len).sum();
    let _ = writeln!(
        out,
        "<figcaption class=\"quiet\">{} of {} groups, {} of {} members, and the links among {} pairs; point at a dot for \
         its whole name, click it for its rows. The stronger a line, the more alike.</figcaption></figure>",
        drawn.len(),
        groups.len(),
        points.len(),
        members,
        section.pairs.len() + section.bridges.len()
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_do_not_overlap_and_stay_within_the_width() {
        let mut shelf = Shelf::default();
        let sizes = (0..200).map(|n| 460.0 - 2.0 * f64::from(n)).map(|side| (side, side * 0.7));
        let boxes: Vec<(f64, f64, f64, f64)> = sizes
            .map(|(wide, high)| {
                let (x, y) = shelf.put(wide, high);
                (x, y, x + wide, y + high)
            })
            .collect();
        for (i, a) in boxes.iter().enumerate() {
            assert!(a.0 >= 0.0 && a.2 <= WIDTH && a.3 <= shelf.bottom());
            let apart = |b: &(f64, f64, f64, f64)| a.2 <= b.0 || b.2 <= a.0 || a.3 <= b.1 || b.3 <= a.1;
            assert!(boxes[i + 1..].iter().all(apart));
        }
        // Several stand below one another in one row.
        assert!(boxes.iter().any(|a| boxes.iter().any(|b| a.0 == b.0 && a.1 < b.1 && b.3 < a.1 + 460.0)));
    }
}
