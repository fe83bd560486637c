//! Progress on standard error, when that is a terminal: bytes, files, rate, time left, within 80 columns.

use indicatif::{FormattedDuration, HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::{FileProgress, Phase};
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A line that is drawn again ten times a second.
pub struct Line {
    bar: ProgressBar,
    /// Whether results go to a terminal, too.
    shares: bool,
    /// The line is off the screen while results are printed.
    cleared: AtomicBool,
    /// When steps were counted for the first time.
    stepping: OnceLock<Instant>,
}

impl Line {
    /// A line, or none if standard error is no terminal.
    pub fn open(wanted: bool) -> Option<Line> {
        if !wanted || !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // Nothing but the message: a spinner would be drawn alone, as a line of its own, before there is one.
        bar.set_style(style("{wide_msg}"));
        Some(Line {
            bar,
            shares: std::io::stdout().is_terminal(),
            cleared: AtomicBool::new(false),
            stepping: OnceLock::new(),
        })
    }

    /// Draws the state of a run.
    pub fn show(&self, now: &FileProgress) {
        let seconds = now.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { (now.bytes as f64 / seconds) as u64 } else { 0 };
        let mut text = format!("{}, {} files, {}/s", HumanBytes(now.bytes), now.files, HumanBytes(rate));
        if let Some((files, bytes)) = now.total {
            if self.bar.length() != Some(bytes) {
                self.bar.set_length(bytes);
                self.bar.set_style(style("[{bar:12}] {wide_msg}"));
            }
            self.bar.set_position(now.bytes.min(bytes));
            let left = bytes.saturating_sub(now.bytes).checked_div(rate.max(1)).unwrap_or(0);
            let left = FormattedDuration(Duration::from_secs(left));
            text = format!(
                "{} of {}, {} of {files} files, {}/s, {left} left",
                HumanBytes(now.bytes),
                HumanBytes(bytes),
                now.files,
                HumanBytes(rate)
            );
        }
        self.bar.set_message(text);
        self.bar.tick();
    }

    /// Draws the state of a computation that counts in steps.
    pub fn steps(&self, phase: Phase, done: u64, total: Option<u64>) {
        let start = *self.stepping.get_or_init(|| {
            self.bar.set_style(style(&format!("{phase} [{{bar:24}}] {{percent}} % {{wide_msg}}")));
            self.bar.set_message("");
            self.bar.set_position(0);
            Instant::now()
        });
        let Some(all) = total else {
            self.bar.set_message(format!("{done}"));
            return self.bar.tick();
        };
        self.bar.set_length(all);
        self.bar.set_position(done.min(all));
        if done > 0 {
            let left = start.elapsed().mul_f64((all.saturating_sub(done)) as f64 / done as f64);
            self.bar.set_message(format!("{} left", HumanDuration(left)));
        }
        self.bar.tick();
    }

    /// Prints a message without tearing the line.
    pub fn say(&self, message: &str) {
        if self.cleared.load(Ordering::Relaxed) {
            crate::exit::say(message);
        } else {
            self.bar.suspend(|| crate::exit::say(message));
        }
    }

    /// Does what prints messages, without tearing the line.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        // The bar is locked while it is suspended: a message meanwhile must not suspend it again.
        self.cleared.store(true, Ordering::Relaxed);
        let printed = self.bar.suspend(print);
        self.cleared.store(false, Ordering::Relaxed);
        printed
    }

    /// Does what may print results, without tearing the line if they go to a terminal, too.
    pub fn around<T>(&self, print: impl FnOnce() -> T) -> T {
        if !self.shares {
            return print();
        }
        self.suspended(print)
    }
}

impl Line {
    /// Takes the line off the screen.
    pub fn close(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.close();
    }
}

/// Bytes done of bytes to do, for one long file.
pub struct Bytes(Option<ProgressBar>);

impl Bytes {
    /// A bar, or nothing where standard error is no terminal.
    pub fn open(wanted: bool) -> Bytes {
        if !wanted || !std::io::stderr().is_terminal() {
            return Bytes(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        bar.set_style(style("[{bar:24}] {bytes} of {total_bytes}, {binary_bytes_per_sec}, {eta} left"));
        Bytes(Some(bar))
    }

    /// Draws the state.
    pub fn show(&self, done: u64, all: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(all);
            bar.set_position(done);
        }
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
