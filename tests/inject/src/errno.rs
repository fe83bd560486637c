//! Errnos at chosen calls, through strace's fault injection: the program runs unchanged, the call
//! is not made.

use std::path::{Path, PathBuf};

/// An errno in place of a system call's result.
#[derive(Debug, Clone)]
pub struct Injection {
    calls: String,
    errno: String,
    when: String,
    only_path: Option<PathBuf>,
}

impl Injection {
    /// `errno` ("EIO") in place of the `nth` call (from 1) of one of `calls` ("read,pread64"),
    /// counted per thread and per kind of call, as strace counts.
    pub fn nth(calls: &str, errno: &str, nth: u32) -> Self {
        Injection { calls: calls.into(), errno: errno.into(), when: nth.to_string(), only_path: None }
    }

    /// `errno` in place of every call of `calls`.
    pub fn always(calls: &str, errno: &str) -> Self {
        Injection { calls: calls.into(), errno: errno.into(), when: "1+".into(), only_path: None }
    }

    /// `errno` in place of the `nth` call and of every one after it.
    pub fn from(calls: &str, errno: &str, nth: u32) -> Self {
        Injection { calls: calls.into(), errno: errno.into(), when: format!("{nth}+"), only_path: None }
    }

    /// `errno` in place of every second call of `calls`, from the first on: a storm that retries
    /// survive.
    pub fn every_second(calls: &str, errno: &str) -> Self {
        Injection { calls: calls.into(), errno: errno.into(), when: "1+2".into(), only_path: None }
    }

    /// Only calls on this file count and fail.
    pub fn on(mut self, path: &Path) -> Self {
        self.only_path = Some(path.to_owned());
        self
    }

    /// The command line in front of the program's own; the log of strace goes to `log`.
    pub(crate) fn prefix(&self, log: &Path) -> Vec<std::ffi::OsString> {
        let mut words: Vec<std::ffi::OsString> = vec!["strace".into(), "-f".into(), "-qq".into()];
        words.push("-o".into());
        words.push(log.into());
        words.push("-e".into());
        words.push(format!("trace={}", self.calls).into());
        words.push("-e".into());
        words.push(format!("inject={}:error={}:when={}", self.calls, self.errno, self.when).into());
        if let Some(path) = &self.only_path {
            words.push("-P".into());
            words.push(path.into());
        }
        words.push("--".into());
        words
    }
}
