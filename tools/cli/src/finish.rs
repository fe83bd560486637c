//! `--on-finish COMMAND`: a shell that waits from the start, and runs the command at the end with
//! the exit code and the counts in its environment.

use crate::exit::{self, Exit};
use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Reads the variables, and runs the command only after the last of them: not when this program was
/// killed.
const WAIT: &str = r#"
while IFS= read -r line; do
    [ "$line" = . ] && eval "$PFH_ON_FINISH"
    [ "$line" = . ] && exit
    export "$line"
done"#;

/// The counts of the command.
static COUNTS: Mutex<BTreeMap<&'static str, u64>> = Mutex::new(BTreeMap::new());

/// Keeps counts for the command: `files`, `bytes`, `errors` …
pub fn count(counts: &[(&'static str, u64)]) {
    COUNTS.lock().unwrap_or_else(PoisonError::into_inner).extend(counts.iter().copied());
}

/// The shell that waits.
pub struct OnFinish(Child);

impl OnFinish {
    /// Starts it: before the sandbox, which would hold for it too, and in a process group of its
    /// own, so that `^C` ends this program alone.
    ///
    /// # Errors
    /// When there is no shell.
    pub fn wait(command: &str) -> std::io::Result<OnFinish> {
        COUNTS.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let mut shell = Command::new("sh");
        shell.args(["-c", WAIT]).env("PFH_ON_FINISH", command);
        // Standard output has results, and nothing else.
        shell.stdin(Stdio::piped()).stdout(std::io::stderr());
        pfh::process::start_apart(&mut shell).map(OnFinish)
    }

    /// Runs the command, and waits for it. That it failed is said; the exit stays.
    pub fn run(mut self, name: &str, exit: Exit) {
        let mut lines = format!("PFH_COMMAND={name}\nPFH_EXIT={}\n", exit.code());
        for (name, count) in COUNTS.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            lines += &format!("PFH_{}={count}\n", name.to_uppercase());
        }
        lines += ".\n";
        let written = self.0.stdin.take().map_or(Ok(()), |mut input| input.write_all(lines.as_bytes()));
        match written.and_then(|()| self.0.wait()) {
            Ok(status) if status.success() => {}
            Ok(status) => exit::say(format_args!("--on-finish: {status}")),
            Err(error) => exit::say(format_args!("--on-finish: {error}")),
        }
    }
}
