//! The map of a medium: a cell for each part of it.

use super::text::WRONG;
use pfh::device::{Bad, Loss};
use ratatui::style::{Color, Style};
use ratatui::text::{Line, Span};

/// The state of a part of the medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// Not read yet.
    Ahead,
    /// Read in part.
    Begun,
    /// Read.
    Read,
    /// A zone of it was passed over and will be tried later.
    Passed,
    /// A zone of it is unreadable.
    Bad,
}

impl Cell {
    fn letter(self) -> char {
        match self {
            Cell::Ahead => '·',
            Cell::Begun => '▒',
            Cell::Read => '█',
            Cell::Passed => '?',
            Cell::Bad => '!',
        }
    }

    fn style(self) -> Style {
        match self {
            Cell::Ahead => Style::new(),
            Cell::Begun | Cell::Read => Style::new().fg(Color::Green),
            Cell::Passed => Style::new().fg(Color::Yellow),
            Cell::Bad => WRONG,
        }
    }
}

/// The meaning of the letters.
pub const LEGEND: &str = "█ read  ▒ in part  ! unreadable  ? passed over  · ahead";

/// The cells of a medium of `total` bytes, the first `done` of them read.
fn cells(total: u64, done: u64, bad: &[Bad], count: usize) -> Vec<Cell> {
    let place = |at: usize| (u128::from(total) * at as u128 / count.max(1) as u128) as u64;
    let cell = |at: usize| {
        let (from, to) = (place(at), place(at + 1).max(place(at) + 1));
        let meets = |zone: &&Bad| zone.offset < to && from < zone.offset + zone.length;
        let zones: Vec<&Bad> = bad.iter().filter(meets).collect();
        if zones.iter().any(|zone| zone.loss != Loss::NotTried) {
            Cell::Bad
        } else if !zones.is_empty() {
            Cell::Passed
        } else if done >= to.min(total) {
            Cell::Read
        } else if done > from {
            Cell::Begun
        } else {
            Cell::Ahead
        }
    };
    (0..count).map(cell).collect()
}

/// The map as a line of `width` columns.
pub fn line(total: u64, done: u64, bad: &[Bad], width: usize) -> Line<'static> {
    let mut spans: Vec<(Cell, String)> = Vec::new();
    for cell in cells(total, done, bad, width) {
        match spans.last_mut() {
            Some((last, text)) if *last == cell => text.push(cell.letter()),
            _ => spans.push((cell, cell.letter().to_string())),
        }
    }
    Line::from(spans.into_iter().map(|(cell, text)| Span::styled(text, cell.style())).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_the_medium_has_its_cell() {
        let zone = |offset, length, loss| Bad { offset, length, errno: 5, loss };
        let bad = [zone(0, 512, Loss::Unreadable), zone(3000, 1, Loss::NotTried)];
        let shown = line(10_000, 5500, &bad, 10).to_string();
        assert_eq!(shown, "!██?█▒····");
        assert_eq!(line(10_000, 10_000, &[], 4).to_string(), "████");
        // Fewer bytes than cells, and none.
        assert_eq!(line(2, 2, &[], 4).to_string().chars().count(), 4);
        assert_eq!(line(0, 0, &[], 3).to_string(), "███");
    }
}
