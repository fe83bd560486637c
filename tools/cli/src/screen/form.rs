//! The second page: the request, and the command line that does the same.

use super::field::{Choice, Text};
use super::sources::{Source, target};
use super::text::{self, CHOSEN, STRONG, WRONG};
use super::words::{self, FormValues};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::ffi::OsString;

/// Columns of the names of the fields.
const NAMES: usize = 16;

/// Lines of text: their names, and the option of those of case data.
const LINES: [(&str, &str); 9] = [
    ("Source", ""),
    ("Target", ""),
    ("Digests", ""),
    ("Case", "--case"),
    ("Evidence", "--evidence"),
    ("Examiner", "--examiner"),
    ("Description", "--description"),
    ("Notes", "--notes"),
    ("Further options", ""),
];
const SOURCE: usize = 0;
const TARGET: usize = 1;
const DIGESTS: usize = 2;
const MORE: usize = 8;

/// The places of the form, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Line(usize),
    Format,
    ReadBack,
    Start,
}

const PLACES: [Place; 12] = [
    Place::Line(SOURCE),
    Place::Line(TARGET),
    Place::Format,
    Place::Line(DIGESTS),
    Place::ReadBack,
    Place::Line(3),
    Place::Line(4),
    Place::Line(5),
    Place::Line(6),
    Place::Line(7),
    Place::Line(MORE),
    Place::Start,
];

/// The page.
#[derive(Debug, Clone)]
pub struct Form {
    lines: [Text; 9],
    format: Choice,
    read_back: Choice,
    at: usize,
    /// The target that the form proposed: it follows the format until another one is typed.
    proposed: String,
    /// Why the request was not taken.
    pub problem: Option<String>,
}

impl Default for Form {
    fn default() -> Form {
        Form {
            lines: Default::default(),
            format: Choice::new(&["e01", "raw", "auto"]),
            read_back: Choice::new(&["no", "yes"]),
            at: 0,
            proposed: String::new(),
            problem: None,
        }
    }
}

impl Form {
    /// The form for another source: the lines about the case stay.
    pub fn of(&mut self, source: &Source) {
        self.lines[SOURCE] = Text::new(&*source.path);
        self.lines[MORE] = Text::new(&*source.part);
        self.lines[TARGET] = Text::default();
        self.proposed = String::new();
        self.propose();
        self.problem = None;
        self.at = usize::from(!source.path.is_empty());
    }

    /// The words of the command line.
    ///
    /// # Errors
    /// Why they are none.
    pub fn words(&self) -> Result<Vec<OsString>, String> {
        let value = |at: usize| self.lines[at].value();
        let about = LINES.iter().zip(&self.lines).filter(|((_, option), _)| !option.is_empty());
        let about: Vec<(&'static str, &str)> = about.map(|((_, option), text)| (*option, text.value())).collect();
        words::words(&FormValues {
            source: value(SOURCE),
            target: value(TARGET),
            format: self.format.value(),
            digests: value(DIGESTS),
            about: &about,
            reads_back: self.read_back.value() == "yes",
            more: value(MORE),
        })
    }

    /// Takes a key; true if it starts the acquisition.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let place = PLACES[self.at];
        let was_taken = match place {
            Place::Line(at) => self.lines[at].key(key),
            Place::Format => self.format.key(key),
            Place::ReadBack => self.read_back.key(key),
            Place::Start => false,
        };
        if was_taken {
            self.problem = None;
            if matches!(place, Place::Format | Place::Line(SOURCE)) {
                self.propose();
            }
            return false;
        }
        match key.code {
            KeyCode::Enter if place == Place::Start => return true,
            KeyCode::Down | KeyCode::Tab | KeyCode::Enter => self.at = (self.at + 1) % PLACES.len(),
            KeyCode::Up | KeyCode::BackTab => self.at = (self.at + PLACES.len() - 1) % PLACES.len(),
            KeyCode::PageDown => self.at = PLACES.len() - 1,
            KeyCode::PageUp => self.at = 0,
            _ => {}
        }
        false
    }

    /// Proposes a target, unless one was typed.
    fn propose(&mut self) {
        if self.lines[TARGET].value() == self.proposed {
            let ending = if self.format.value() == "e01" { "E01" } else { "dd" };
            self.proposed = target(self.lines[SOURCE].value(), ending);
            self.lines[TARGET] = Text::new(&*self.proposed);
        }
    }

    /// Draws the page.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect) {
        let width = usize::from(area.width);
        let room = width.saturating_sub(NAMES + 4);
        let mut lines = Vec::new();
        for (row, place) in PLACES.iter().enumerate() {
            let (name, value) = match place {
                Place::Line(at) => (LINES[*at].0, self.lines[*at].window(room).0),
                Place::Format => ("Format", format!("‹ {} ›", self.format.value())),
                Place::ReadBack => ("Read back", format!("‹ {} ›", self.read_back.value())),
                Place::Start => ("", "[ Start ]".to_owned()),
            };
            let style = if row == self.at { CHOSEN } else { STRONG };
            let hint = match place {
                Place::Line(DIGESTS) if value.is_empty() => "(sha256,blake3)".to_owned(),
                _ => value,
            };
            let name = Span::styled(format!("{name:<NAMES$}"), if *place == Place::Start { STRONG } else { style });
            let value = match place {
                Place::Start => Span::styled(hint, style),
                _ => Span::from(hint),
            };
            lines.push(Line::from(vec![
                Span::from(if row == self.at { "> " } else { "  " }),
                name,
                Span::from("  "),
                value,
            ]));
        }
        lines.push(Line::from(text::rule("the command line that does the same", width)));
        match self.words() {
            Ok(words) => {
                let line = text::wrapped(&words::line(&words), width - 2);
                lines.extend(line.into_iter().map(|line| Line::from(format!("  {line}"))));
            }
            Err(problem) => lines.push(Line::styled(format!("  {problem}"), WRONG)),
        }
        if let Some(problem) = &self.problem {
            let problem = text::wrapped(problem, width - 2);
            lines.extend(problem.into_iter().map(|line| Line::styled(format!("  {line}"), WRONG)));
        }
        if let Place::Line(at) = PLACES[self.at] {
            let column = NAMES + 4 + self.lines[at].window(room).1;
            frame.set_cursor_position(Position::new(area.x + column as u16, area.y + self.at as u16));
        }
        frame.render_widget(Paragraph::new(lines), area);
    }
}
