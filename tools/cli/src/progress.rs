//! Progress on standard error, when that is a terminal: bytes, files, rate, time left, within 80 columns.

use indicatif::{FormattedDuration, HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::{FileProgress, Source};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A line that is drawn again ten times a second.
pub struct Line {
    bar: ProgressBar,
    /// Whether results go to a terminal, too.
    shares: bool,
    /// The line is off the screen while results are printed.
    cleared: AtomicBool,
    total: Arc<OnceLock<(u64, u64)>>,
    stop: Arc<AtomicBool>,
}

impl Line {
    /// A line, or none where standard error is no terminal. `again` yields the same entries once more, to count how
    /// much there is while the run goes on.
    pub fn open(wanted: bool, again: Option<Box<dyn Source>>) -> Option<Line> {
        if !wanted || !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // Nothing but the message: a spinner would be drawn alone, as a line of its own, before there is one.
        bar.set_style(style("{wide_msg}"));
        let (total, stop) = (Arc::new(OnceLock::new()), Arc::new(AtomicBool::new(false)));
        if let Some(again) = again {
            let (total, stop) = (total.clone(), stop.clone());
            // Best effort: without a thread there is no estimate, and nothing else is lost.
            let _ = std::thread::Builder::new().name("pfh-count".into()).spawn(move || {
                if let Some(found) = pfh::total(again, &stop) {
                    let _ = total.set(found);
                }
            });
        }
        Some(Line { bar, shares: std::io::stdout().is_terminal(), cleared: AtomicBool::new(false), total, stop })
    }

    /// Draws the state of a run.
    pub fn show(&self, now: &FileProgress) {
        let seconds = now.elapsed.as_secs_f64();
        let rate = if seconds > 0.0 { (now.bytes as f64 / seconds) as u64 } else { 0 };
        let mut text = format!("{}, {} files, {}/s", HumanBytes(now.bytes), now.files, HumanBytes(rate));
        if let Some((files, bytes)) = now.total.or_else(|| self.total.get().copied()) {
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
        self.stop.store(true, Ordering::Relaxed);
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
