//! The pages, and the keys that lead from one to the other.

use super::acquisition::Acquisition;
use super::form::Form;
use super::sources::Sources;
use super::terminal::{drawing, is_there, keys};
use super::text::{CHOSEN, STRONG, rule};
use super::{map, panes, request};
use crate::signals::Signals;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Clear, Paragraph};
use ratatui::{Frame, Terminal};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

/// The smallest terminal that everything fits on.
const LEAST: (u16, u16) = (72, 20);
/// Between two frames.
const TICK: Duration = Duration::from_millis(100);

/// A page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Sources,
    Form,
    Acquisitions,
}

/// The screen's state.
pub struct App {
    /// The acquisitions, in the order in which they were started.
    pub acquisitions: Vec<Acquisition>,
    /// Whether Ctrl-C ended the screen.
    pub was_cancelled: bool,
    /// The form that each was started from.
    forms: Vec<Form>,
    system: PathBuf,
    page: Page,
    sources: Sources,
    form: Form,
    /// The acquisition that the keys act on.
    chosen: usize,
    /// Whether the question of Ctrl-C is on the screen.
    asks: bool,
    is_left: bool,
}

impl App {
    /// The list of sources of a system.
    pub fn new(system: PathBuf) -> App {
        App {
            acquisitions: Vec::new(),
            was_cancelled: false,
            forms: Vec::new(),
            sources: Sources::list(&system),
            system,
            page: Page::Sources,
            form: Form::default(),
            chosen: 0,
            asks: false,
            is_left: false,
        }
    }

    /// Draws, and takes keys, until the screen is left, a signal comes or the terminal hangs up.
    ///
    /// # Errors
    /// The terminal's.
    pub fn show<B>(&mut self, terminal: &mut Terminal<B>, signals: &Signals) -> io::Result<()>
    where
        B: ratatui::backend::Backend<Error = io::Error>,
    {
        let keys = keys()?;
        while !self.is_left && signals.number() == 0 && pfh::process::panics() == 0 {
            self.acquisitions.iter_mut().for_each(|one| one.look(false));
            self.sources.look();
            // A frame that is the same writes nothing.
            drawing(|| terminal.draw(|frame| self.draw(frame)).and_then(|_| is_there()))?;
            match keys.recv_timeout(TICK) {
                Ok(key) => self.key(key),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.is_left = true,
            }
        }
        Ok(())
    }

    /// Stops the running acquisitions, and waits for them.
    pub fn close(&mut self) {
        self.acquisitions.iter().filter(|one| one.runs()).for_each(Acquisition::stop);
        self.acquisitions.iter_mut().for_each(|one| one.look(true));
    }

    fn runs(&self) -> bool {
        self.acquisitions.iter().any(Acquisition::runs)
    }

    fn key(&mut self, key: KeyEvent) {
        let is_interrupt = key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        match (is_interrupt, self.page) {
            _ if self.asks => self.answered(key, is_interrupt),
            (true, _) if self.runs() => self.asks = true,
            (true, _) => (self.was_cancelled, self.is_left) = (true, true),
            (_, Page::Sources) => self.at_sources(key),
            (_, Page::Form) => self.at_form(key),
            (_, Page::Acquisitions) => self.at_acquisitions(key),
        }
    }

    /// The answer to the question of Ctrl-C.
    fn answered(&mut self, key: KeyEvent, is_interrupt: bool) {
        match key.code {
            KeyCode::Char('s') => {
                self.acquisitions.get(self.chosen).filter(|one| one.runs()).iter().for_each(|one| one.stop());
            }
            KeyCode::Char('a') => self.acquisitions.iter().filter(|one| one.runs()).for_each(Acquisition::stop),
            KeyCode::Char('k') | KeyCode::Esc | KeyCode::Enter => {}
            _ if is_interrupt => {}
            _ => return,
        }
        self.asks = false;
        self.page = Page::Acquisitions;
    }

    fn at_sources(&mut self, key: KeyEvent) {
        match key.code {
            KeyCode::Esc | KeyCode::Char('q') if self.acquisitions.is_empty() => self.is_left = true,
            KeyCode::Esc => self.page = Page::Acquisitions,
            KeyCode::Char('r') => self.sources = Sources::list(&self.system),
            _ => {
                if let Some(source) = self.sources.key(key) {
                    self.form.of(&source);
                    self.page = Page::Form;
                }
            }
        }
    }

    fn at_form(&mut self, key: KeyEvent) {
        if key.code == KeyCode::Esc {
            self.page = Page::Sources;
        } else if self.form.key(key) {
            match self.form.words().and_then(|words| self.start(words)) {
                Ok(started) => {
                    self.acquisitions.push(started);
                    self.forms.push(self.form.clone());
                    self.chosen = self.acquisitions.len() - 1;
                    self.page = Page::Acquisitions;
                }
                Err(problem) => self.form.problem = Some(problem),
            }
        }
    }

    /// Starts an acquisition as the command line does.
    fn start(&self, words: Vec<OsString>) -> Result<Acquisition, String> {
        let request = request::request(&words)?;
        if let Some(source) = request.source.path() {
            let same = |one: &&Acquisition| one.runs() && one.source == source;
            if self.acquisitions.iter().any(|one| same(&one)) {
                return Err("this source is being acquired".to_owned());
            }
        }
        Acquisition::start(words, request, &self.system).map_err(|error| error.to_string())
    }

    fn at_acquisitions(&mut self, key: KeyEvent) {
        let count = self.acquisitions.len();
        let ended = self.acquisitions.get(self.chosen).and_then(|one| one.ended.as_ref());
        match key.code {
            KeyCode::Down | KeyCode::Tab => self.chosen = (self.chosen + 1) % count,
            KeyCode::Up | KeyCode::BackTab => self.chosen = (self.chosen + count - 1) % count,
            KeyCode::Char('n') => {
                self.sources = Sources::list(&self.system);
                self.page = Page::Sources;
            }
            KeyCode::Char('q') | KeyCode::Esc if !self.runs() => self.is_left = true,
            KeyCode::Char('r') if ended.is_some_and(|ended| ended.resumes) => {
                match self.start(self.acquisitions[self.chosen].words.clone()) {
                    Ok(again) => self.acquisitions[self.chosen] = again,
                    Err(problem) => self.edit(Some(problem)),
                }
            }
            KeyCode::Char('e') if ended.is_some_and(|ended| ended.failure.is_some()) => self.edit(None),
            _ => {}
        }
    }

    /// Back to the form of the chosen acquisition, which is taken off the screen.
    fn edit(&mut self, problem: Option<String>) {
        self.acquisitions.remove(self.chosen);
        self.form = self.forms.remove(self.chosen);
        self.form.problem = problem;
        self.chosen = self.chosen.min(self.acquisitions.len().saturating_sub(1));
        self.page = Page::Form;
    }

    /// Draws the page.
    fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        if area.width < LEAST.0 || area.height < LEAST.1 {
            let text = format!(
                "The terminal has {} columns and {} lines; the screen needs {} and {}.",
                area.width, area.height, LEAST.0, LEAST.1
            );
            let lines = super::text::wrapped(&text, usize::from(area.width));
            frame.render_widget(Paragraph::new(super::text::plain(lines)), area);
            return;
        }
        let width = usize::from(area.width);
        let (title, keys) = self.around();
        let bar = |text: &str| Paragraph::new(Line::styled(format!("{text:<width$}"), CHOSEN));
        frame.render_widget(bar(&format!(" pfh acquire  {title}")), Rect { height: 1, ..area });
        frame.render_widget(bar(&format!(" {keys}")), Rect { y: area.bottom() - 1, height: 1, ..area });
        let inner = Rect { y: area.y + 2, height: area.height - 4, ..area };
        match self.page {
            Page::Sources => self.sources.draw(frame, inner),
            Page::Form => self.form.draw(frame, inner),
            Page::Acquisitions => {
                panes::draw(frame, inner, &self.acquisitions, self.chosen);
                let legend = Rect { y: area.bottom() - 2, height: 1, ..area };
                frame.render_widget(Paragraph::new(Line::from(format!("  {}", map::LEGEND))), legend);
            }
        }
        if self.asks {
            self.draw_question(frame, inner);
        }
    }

    /// The title of the page, and its keys.
    fn around(&self) -> (&'static str, String) {
        match self.page {
            Page::Sources if self.acquisitions.is_empty() => {
                ("the source", "↑ ↓ choose  Enter take  r list again  Esc leave".to_owned())
            }
            Page::Sources => ("the source", "↑ ↓ choose  Enter take  r list again  Esc back".to_owned()),
            Page::Form => {
                ("the request", "↑ ↓ field  ← → change  Enter next, start  Esc back  Ctrl-C leave".to_owned())
            }
            Page::Acquisitions => {
                let ended = self.acquisitions.get(self.chosen).and_then(|one| one.ended.as_ref());
                let keys = [
                    (self.acquisitions.len() > 1, "↑ ↓ choose"),
                    (true, "n another source"),
                    (ended.is_some_and(|ended| ended.resumes), "r resume"),
                    (ended.is_some_and(|ended| ended.failure.is_some()), "e edit"),
                    (self.runs(), "Ctrl-C stop"),
                    (!self.runs(), "q leave"),
                ];
                let keys: Vec<&str> = keys.iter().filter(|(there, _)| *there).map(|(_, key)| *key).collect();
                ("side by side", keys.join("  "))
            }
        }
    }

    fn draw_question(&self, frame: &mut Frame<'_>, area: Rect) {
        let running = self.acquisitions.iter().filter(|one| one.runs()).count();
        let chosen = self.acquisitions.get(self.chosen).filter(|one| one.runs());
        let width = usize::from(area.width);
        let mut lines = vec![Line::styled(rule("stop?", width), STRONG)];
        lines.push(Line::from("  The bytes on the targets stay, and the same command goes on from there."));
        lines.push(Line::default());
        if let Some(one) = chosen.filter(|_| running > 1) {
            lines.push(Line::from(format!("  s  stop the acquisition of {}", crate::imaging::name(&one.source))));
        }
        let all = if running > 1 { format!("  a  stop all {running}") } else { "  a  stop".to_owned() };
        lines.push(Line::from(all));
        lines.push(Line::from("  k  keep going"));
        lines.push(Line::styled(rule("", width), STRONG));
        let height = lines.len() as u16;
        let place =
            Rect { y: area.y + area.height.saturating_sub(height) / 2, height: height.min(area.height), ..area };
        frame.render_widget(Clear, place);
        frame.render_widget(Paragraph::new(lines), place);
    }
}
