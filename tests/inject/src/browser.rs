//! Pages, as a browser sees them.

use std::path::Path;
use std::process::{Command, Output};

/// Debian's Chromium, or Google's, without a window.
pub struct Browser {
    program: &'static str,
    profile: tempfile::TempDir,
}

impl Browser {
    /// The browser of this machine, with a profile of its own that is gone afterwards. `None` where
    /// there is none: said as [`lacks`](crate::lacks) says it.
    ///
    /// # Panics
    /// Where `PFH_REQUIRE_INJECTORS` is set and there is none, or without a temporary directory.
    pub fn find() -> Option<Browser> {
        let starts = |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|seen| seen.status.success());
        let Some(program) = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(starts) else {
            crate::lacks(&[crate::Need::Program("chromium")]);
            return None;
        };
        Some(Browser { program, profile: tempfile::tempdir().expect("a temporary directory") })
    }

    /// The program, and the options that it always has.
    pub(crate) fn words(&self) -> Vec<String> {
        let options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--no-first-run",
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--disable-dev-shm-usage",
        ];
        let profile = format!("--user-data-dir={}", self.profile.path().display());
        [self.program].into_iter().chain(options).map(str::to_owned).chain([profile]).collect()
    }

    /// The directory of its profile.
    pub(crate) fn profile(&self) -> &Path {
        self.profile.path()
    }

    /// Opens a page with these options; gives the browser's output. Two minutes at most, and a
    /// second try: starting a browser may hang or fail on a busy machine.
    ///
    /// # Panics
    /// When the browser fails twice.
    pub fn open(&self, page: &Path, options: &[&str]) -> Output {
        let run = || {
            Command::new("timeout")
                .args(["--kill-after=5", "120"])
                .args(self.words())
                .args(options)
                .arg(format!("file://{}", page.display()))
                .output()
                .expect("timeout(1)")
        };
        let first = run();
        let output = if first.status.success() { first } else { run() };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output
    }

    /// The parsed document of a page, again as text.
    ///
    /// # Panics
    /// When the browser fails twice.
    pub fn document(&self, page: &Path) -> String {
        String::from_utf8(self.open(page, &["--dump-dom"]).stdout).expect("UTF-8")
    }
}
