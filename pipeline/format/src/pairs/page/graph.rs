//! The groups as a graph: squares side by side, largest first.

use super::{Section, escape, layout, shown};
use pfh_similarity::Score;
use std::collections::HashMap;
use std::fmt::Write;

/// Members drawn of a group, and of all groups together.
const MOST_MEMBERS: usize = 150;
const MOST_DRAWN: usize = 1_500;
/// The width of the drawing.
const WIDTH: f64 = 1060.0;

/// Appends the groups: a dot for each member, a line for each pair.
pub(super) fn draw<'a>(out: &mut String, section: &Section, groups: &[Vec<u32>], name: &impl Fn(u32) -> &'a [u8]) {
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
    let pairs = section.pairs.iter().map(|&(a, b, score, _)| (a, b, score));
    for (a, b, score) in pairs.chain(section.bridges.iter().copied()) {
        if let (Some(&(group, a)), Some(&(_, b))) = (points.get(&a), points.get(&b)) {
            links[group].push((a, b, score));
        }
    }
    if drawn.is_empty() {
        return;
    }
    // Squares side by side in rows; a group's square grows with its members.
    let (mut x, mut y, mut row) = (0.0, 0.0, 0.0f64);
    let mut body = String::new();
    for (members, links) in drawn.iter().zip(&links) {
        let side = (40.0 + 34.0 * (members.len() as f64).sqrt()).min(WIDTH);
        if x + side > WIDTH {
            (x, y, row) = (0.0, y + row, 0.0);
        }
        row = row.max(side);
        let pairs: Vec<(usize, usize)> = links.iter().map(|&(a, b, _)| (a, b)).collect();
        let places = layout::places(members.len(), &pairs);
        let at = |i: usize| (x + side * places[i].0, y + side * places[i].1);
        for &(a, b, score) in links {
            let ((x1, y1), (x2, y2)) = (at(a), at(b));
            let strength = match score {
                Score::Similarity(score) => f64::from(score) / 100.0,
                Score::Distance(distance) => 1.0 - f64::from(distance.min(100)) / 110.0,
            };
            let _ = writeln!(
                body,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"#4a7\" stroke-opacity=\"{:.2}\"/>",
                0.15 + 0.8 * strength
            );
        }
        for (i, &place) in members.iter().enumerate() {
            let (cx, cy) = at(i);
            let _ = writeln!(
                body,
                "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"4\" fill=\"#258\"><title>{}</title></circle>",
                shown(name(place))
            );
        }
        x += side;
    }
    let _ = writeln!(
        out,
        "<figure><svg viewBox=\"0 0 {WIDTH} {:.0}\" width=\"{WIDTH}\" role=\"img\" aria-label=\"groups of {}\">\n{body}</svg>",
        y + row,
        escape(&section.algorithm)
    );
    let members: usize = groups.iter().map(Vec::len).sum();
    let _ = writeln!(
        out,
        "<figcaption class=\"quiet\">{} of {} groups, {} of {} members, and the links among {} pairs; point at a dot for \
         its name. The stronger a line, the more alike.</figcaption></figure>",
        drawn.len(),
        groups.len(),
        points.len(),
        members,
        section.pairs.len() + section.bridges.len()
    );
}
