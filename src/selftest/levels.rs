//! The digests on each instruction set.

use super::request::Request;
use super::room::cause;
use super::row::{Group, Row, Standing};
use super::vectors::{Digests, digests};
use pfh_engine::Control;
use pfh_kernel::{Isa, UnusedReason, tables};
use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

/// The meaning of a wrong digest.
const CONSEQUENCE: &str = "digests made on this machine cannot be relied on";
const REMEDY: &str = "test memory and processor, and take another machine meanwhile";
/// Between two looks at a child.
const TICK: Duration = Duration::from_millis(10);

/// A row for each level that the processor has, the highest last, and one for the kernels.
pub(super) fn rows<'a>(request: &'a Request, control: &'a Control<'a>) -> impl Iterator<Item = Row> + 'a {
    let levels = Isa::ALL.iter().filter(|isa| isa.detected());
    let by_level = levels.filter(|_| !request.again.is_empty()).map(|isa| {
        let found = child(request, *isa, control);
        row(isa.name(), found)
    });
    let own = request.again.is_empty().then(|| row("the level in use", Ok(digests())));
    by_level.chain(own).chain([()].map(|()| kernels()))
}

fn row(level: &str, found: io::Result<Digests>) -> Row {
    let row = |standing, detail| Row::new(Group::Digests, level, standing, detail);
    match found {
        Ok(found) if found.wrong.is_empty() && found.vectors > 0 => {
            let Digests { vectors, algorithms, .. } = found;
            row(Standing::Holds, format!("{vectors} known digests of {algorithms} algorithms"))
        }
        Ok(found) => row(Standing::Wrong, format!("wrong: {}", found.wrong.join(", "))).but(CONSEQUENCE, REMEDY),
        Err(error) => {
            let detail = format!("it could not be tried: {}", cause(&error));
            row(Standing::Untried, detail).but(CONSEQUENCE, "run pfh from the file that it is installed as")
        }
    }
}

/// The digests of a process of its own, which has this level: one process has one.
fn child(request: &Request, isa: Isa, control: &Control<'_>) -> io::Result<Digests> {
    let (program, words) = request.again.split_first().ok_or(io::ErrorKind::NotFound)?;
    let mut command = Command::new(program);
    command.args(words).env("PFH_ISA", isa.name()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    // A line is far below the room of a pipe: it ends without a reader.
    let status = loop {
        match child.try_wait()? {
            Some(status) => break status,
            None if control.is_cancelled() => {
                child.kill()?;
                child.wait()?;
                return Err(io::ErrorKind::Interrupted.into());
            }
            None => std::thread::sleep(TICK),
        }
    };
    let mut text = String::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(1 << 16).read_to_string(&mut text)?;
    }
    let found = text.lines().find_map(Digests::parse);
    found.ok_or_else(|| io::Error::other(format!("the process for it ended with {status}, and without an answer")))
}

/// Kernels that gave a wrong answer when they were tested before their first use.
fn kernels() -> Row {
    let all: Vec<(&str, &str, Option<UnusedReason>)> = tables()
        .into_iter()
        .flat_map(|table| table.rows.into_iter().map(move |row| (table.function, row.kernel, row.unused)))
        .collect();
    let refused = all.iter().filter(|(.., unused)| matches!(unused, Some(UnusedReason::Refused)));
    let refused: Vec<String> = refused.map(|(function, kernel, _)| format!("{function} {kernel}")).collect();
    let used = all.iter().filter(|(.., unused)| unused.is_none()).count();
    if refused.is_empty() {
        return Row::new(Group::Digests, "kernels", Standing::Holds, format!("{used} kernels gave right answers"));
    }
    let detail = format!("wrong answers: {}", refused.join(", "));
    Row::new(Group::Digests, "kernels", Standing::Wrong, detail).but(CONSEQUENCE, REMEDY)
}
