//! The first page: which source.

use super::text::{self, CHOSEN, STRONG, cut};
use crate::show::disks as show;
use crossterm::event::{KeyCode, KeyEvent};
use pfh::Control;
use pfh::disks::{self, Disk, Event, Request};
use pfh::terminal::{render, size_text};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};

/// A source that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Its name; empty if it is to be typed.
    pub path: String,
    /// Options that choose a part of it.
    pub part: String,
}

/// A line of the list.
struct Row {
    source: Source,
    cells: [String; 5],
    /// Sentences about it, shown below the list.
    facts: Vec<String>,
}

/// The list, once it is there.
type SourceList = Result<Vec<Disk>, String>;

/// The page.
pub struct Sources {
    rows: Vec<Row>,
    at: usize,
    /// Why there is no list.
    problem: Option<String>,
    /// Whether a key was pressed.
    was_moved: bool,
    /// Where the list comes from: a disk that is dying answers late.
    coming: Option<Receiver<SourceList>>,
}

impl Sources {
    /// Begins to list the disks of a system.
    pub fn list(system: &Path) -> Sources {
        let mut request = Request::new();
        request.system = system.to_owned();
        let (send, coming) = mpsc::channel();
        let work = move || {
            let mut found = Vec::new();
            let mut events = |event: Event<'_>| {
                let Event::Disk(disk) = event;
                found.push(disk.clone());
                Ok(())
            };
            let listed = disks::run(&request, &mut events, &Control::new());
            // The page may have been left.
            let _ = send.send(listed.map(|_| found).map_err(|error| error.to_string()));
        };
        let started = std::thread::Builder::new().name("disks".to_owned()).spawn(work);
        let problem = started.err().map(|error| error.to_string());
        let coming = problem.is_none().then_some(coming);
        Sources { rows: vec![other()], at: 0, problem, was_moved: false, coming }
    }

    /// Takes the list, if it is there.
    pub fn look(&mut self) {
        let Some(listed) = self.coming.as_ref().and_then(|coming| coming.try_recv().ok()) else { return };
        self.coming = None;
        match listed {
            Ok(found) => {
                self.rows = found.iter().flat_map(rows).chain([other()]).collect();
                // The last line stays chosen, where keys came before the list.
                self.at = if self.was_moved { self.rows.len() - 1 } else { 0 };
            }
            Err(problem) => self.problem = Some(problem),
        }
    }

    /// Takes a key; the source, if one is chosen by it.
    pub fn key(&mut self, key: KeyEvent) -> Option<Source> {
        self.was_moved = true;
        match key.code {
            KeyCode::Down | KeyCode::Tab => self.at = (self.at + 1) % self.rows.len(),
            KeyCode::Up | KeyCode::BackTab => self.at = (self.at + self.rows.len() - 1) % self.rows.len(),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = self.rows.len() - 1,
            KeyCode::Enter => return self.rows.get(self.at).map(|row| row.source.clone()),
            _ => {}
        }
        None
    }

    /// Draws the page.
    pub fn draw(&self, frame: &mut Frame<'_>, area: Rect) {
        let (width, facts) = (usize::from(area.width), 4);
        let height = usize::from(area.height).saturating_sub(facts + 2).max(1);
        let heads = ["SOURCE", "SIZE", "BUS", "MODEL OR TYPE", "SERIAL OR LABEL"].map(str::to_owned);
        let all = self.rows.iter().map(|row| &row.cells).chain([&heads]);
        let mut widths = [0; 5];
        for cells in all {
            let wide = cells.iter().zip(&mut widths);
            wide.for_each(|(cell, width)| *width = (*width).max(cell.chars().count()));
        }
        let line = |mark: char, cells: &[String; 5]| {
            let cells: Vec<String> = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            cut(&format!("{mark} {}", cells.join("  ")), width)
        };
        let mut lines = vec![Line::styled(line(' ', &heads), STRONG)];
        let from = (self.at + 1).saturating_sub(height);
        for (at, row) in self.rows.iter().enumerate().skip(from).take(height) {
            let text = line(if at == self.at { '>' } else { ' ' }, &row.cells);
            lines.push(if at == self.at { Line::styled(format!("{text:<width$}"), CHOSEN) } else { Line::from(text) });
        }
        while lines.len() < height + 1 {
            lines.push(Line::default());
        }
        lines.push(Line::from(text::rule("", width)));
        let about = self.rows.get(self.at).map(|row| row.facts.clone()).unwrap_or_default();
        let coming = self.coming.is_some().then(|| "the disks are being read …".to_owned());
        let about =
            self.problem.iter().cloned().chain(coming).chain(about).flat_map(|fact| text::wrapped(&fact, width - 2));
        lines.extend(about.take(facts).map(|fact| Line::from(format!("  {fact}"))));
        frame.render_widget(Paragraph::new(lines), area);
    }
}

/// The line for all that is not in the list.
fn other() -> Row {
    let fact = "A file, a device by another name, or an image: its name is typed on the next page.";
    Row {
        source: Source { path: String::new(), part: String::new() },
        cells: ["another file or device".into(), String::new(), String::new(), String::new(), String::new()],
        facts: vec![fact.to_owned()],
    }
}

/// A name as the form takes it.
fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The lines of a disk: itself, and its partitions.
fn rows(disk: &Disk) -> Vec<Row> {
    let word = |text: &str| render(text.as_bytes());
    let mut facts = vec![show::state(disk)];
    let mounts: Vec<String> = disk.all_mounts().map(|mount| pfh::terminal::shown(&mount.at)).collect();
    if !mounts.is_empty() {
        facts.push(format!("mounted: {}: it may change while it is read", mounts.join(", ")));
    }
    if disk.is_encrypted() {
        facts.push("holds encrypted volumes".to_owned());
    }
    facts.extend(
        disk.hidden
            .iter()
            .filter(|hidden| hidden.hides())
            .flat_map(|hidden| hidden.lines().into_iter().map(|(what, found)| format!("{what}: {found}"))),
    );
    facts.retain(|fact| !fact.is_empty());
    let shown = pfh::terminal::shown;
    let mut rows = vec![Row {
        source: Source { path: name(&disk.path), part: String::new() },
        cells: [shown(&disk.path), size_text(disk.size), disk.bus.clone(), word(&disk.model), word(&disk.serial)],
        facts,
    }];
    for part in &disk.partitions {
        // One without a device file is a part of its disk.
        let (path, range) = match &part.path {
            Some(path) => (name(path), String::new()),
            None => (name(&disk.path), format!("--skip {} --length {}", part.start, part.size)),
        };
        let cells = [
            format!("  {}", show::part_name(part)),
            size_text(part.size),
            String::new(),
            word(show::kind(&part.kind)),
            word(&part.label),
        ];
        rows.push(Row { source: Source { path, part: range }, cells, facts: vec![show::part_state(part)] });
    }
    rows
}

/// The target that is proposed for a source: a file of its name in the working directory.
pub fn target(source: &str, ending: &str) -> String {
    let name = PathBuf::from(source).file_name().map(|name| name.to_string_lossy().into_owned());
    name.map(|name| format!("{name}.{ending}")).unwrap_or_default()
}
