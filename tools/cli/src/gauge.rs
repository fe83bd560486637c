//! Progress of a computation on standard error, when that is a terminal: how much is done and how long the rest will take.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::Instant;

/// A line that is drawn again ten times a second.
pub struct Gauge(Option<(ProgressBar, Instant)>);

impl Gauge {
    /// One for what is called `what`, or none where it is not wanted or standard error is no terminal.
    pub fn open(wanted: bool, what: &'static str) -> Gauge {
        if !wanted || !std::io::stderr().is_terminal() {
            return Gauge(None);
        }
        let bar = ProgressBar::with_draw_target(Some(1), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template(&format!("{what} [{{bar:24}}] {{percent}} % {{msg}}"));
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Gauge(Some((bar, Instant::now())))
    }

    /// `done` of `all` steps are done, of which the word says more; 0 steps in all: nobody knows.
    pub fn tell(&self, done: u64, all: u64, word: &str) {
        let Some((bar, start)) = &self.0 else { return };
        if all == 0 {
            bar.set_message(if word.is_empty() { format!("{done}") } else { word.to_owned() });
        } else {
            bar.set_length(all);
            bar.set_position(done.min(all));
            let passed = start.elapsed();
            if done > 0 {
                let left = passed.mul_f64((all.saturating_sub(done)) as f64 / done as f64);
                let comma = if word.is_empty() { "" } else { ", " };
                bar.set_message(format!("{word}{comma}{} left", HumanDuration(left)));
            }
        }
        bar.tick();
    }

    /// Prints a message without tearing the line.
    pub fn say(&self, message: &str) {
        match &self.0 {
            Some((bar, _)) => bar.suspend(|| crate::exit::say(message)),
            None => crate::exit::say(message),
        }
    }
}

impl Drop for Gauge {
    fn drop(&mut self) {
        if let Some((bar, _)) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
