//! The progress bar of a job over one medium on standard error, if that is a terminal.

use crate::exit;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::{Cancel, Control, Phase, Progress};
use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Drawn = Option<(Phase, ProgressBar)>;

/// Draws the phase that the job is in; `None` without a terminal, or if no progress is wanted.
pub struct Bar(Option<Mutex<Drawn>>);

impl Bar {
    /// Nothing is drawn before the first progress.
    pub fn open(wanted: bool) -> Self {
        Bar((wanted && std::io::stderr().is_terminal()).then(Mutex::default))
    }

    /// A control that draws this bar, and that `cancel` cancels.
    pub fn control(&self, cancel: impl Into<Cancel>) -> Control<'_> {
        Control::new().with_cancel(cancel).on_progress(|progress| self.show(progress))
    }

    /// Says a sentence; the bar is drawn again with the next progress.
    pub fn say(&self, message: impl Display) {
        self.clear();
        exit::say(message);
    }

    /// Takes the bar off the screen.
    pub fn clear(&self) {
        if let Some((_, bar)) = self.drawn().and_then(|mut drawn| drawn.take()) {
            bar.finish_and_clear();
        }
    }

    fn drawn(&self) -> Option<MutexGuard<'_, Drawn>> {
        self.0.as_ref().map(|drawn| drawn.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn show(&self, progress: &Progress) {
        let (Some(mut drawn), Progress::Medium(medium)) = (self.drawn(), progress) else { return };
        if drawn.as_ref().is_none_or(|(phase, _)| *phase != medium.phase) {
            if let Some((_, bar)) = drawn.take() {
                bar.finish_and_clear();
            }
            *drawn = Some((medium.phase, bar(medium.phase)));
        }
        let Some((_, bar)) = drawn.as_ref() else { return };
        let rate = medium.bytes as f64 / medium.elapsed.as_secs_f64().max(0.001);
        let mut text = format!("{} at {}/s", HumanBytes(medium.bytes), HumanBytes(rate as u64));
        if let Some(total) = medium.total {
            bar.set_length(total);
            bar.set_position(medium.bytes);
            let left = total.saturating_sub(medium.bytes) as f64 / rate.max(1.0);
            text += &format!(" of {}, {} left", HumanBytes(total), HumanDuration(Duration::from_secs(left as u64)));
        }
        if medium.bad > 0 {
            text += &format!(", {} unreadable", HumanBytes(medium.bad));
        }
        bar.set_message(text);
        bar.tick();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

fn bar(phase: Phase) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
    let style = ProgressStyle::with_template("{prefix} [{bar:24}] {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(phase.to_string());
    bar
}
