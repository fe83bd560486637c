//! A shell script that treats the copies that do not stay as requested, for a user to read and run.

use super::event::Event;
use super::group::{Copy, Group};
use super::rule::Action;
use super::steps::{self, GROUP};
use crate::job::{Error, PathError};
use pfh_source::os::names::{OsStrExt, absolute, listed, resolved};
use pfh_source::{Output, terminal};
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A script. Each copy is compared with the one that is kept once more, and nothing is done to it
/// unless both are equal then; links and moved files are looked at again afterwards.
pub struct Script {
    path: PathBuf,
    action: Action,
    lines: Vec<u8>,
    /// Steps of the group of commands that is open; none is.
    open: Option<usize>,
}

impl Script {
    /// Of no group yet; it removes copies. The file is made at the end: the search does not meet
    /// it.
    pub fn new(path: impl Into<PathBuf>) -> Script {
        Script::doing(path, Action::Remove)
    }

    /// The same for another action.
    pub fn doing(path: impl Into<PathBuf>, action: Action) -> Script {
        let mut lines =
            b"#!/bin/sh\n# Made by `pfh dups`. Each step compares the two files once more, byte by byte.\n".to_vec();
        if let Ok(here) = pfh_source::os::names::working_directory() {
            lines.extend_from_slice(&[b"cd -- ", &quoted(here.as_os_str().as_bytes())[..], b" || exit\n"].concat());
        }
        lines.extend_from_slice(steps::functions(&action).as_bytes());
        Script { path: path.into(), action, lines, open: None }
    }

    /// Writes the group of an event, if it has one.
    pub fn take(&mut self, event: &Event<'_>) {
        if let Event::Group(group) = event {
            self.group(group);
        }
    }

    /// Takes a group: the copies of it that do not stay.
    pub fn group(&mut self, group: &Group) {
        let [kept, others @ ..] = &group.copies[..] else { return };
        let keep = &kept.names[0];
        if self.open.is_none() {
            self.lines.extend_from_slice(b"\n{\n");
        }
        let mut steps = self.open.unwrap_or_default();
        let (count, size) = (group.copies.len(), group.size);
        self.lines.extend_from_slice(
            format!("\n# {count} copies of {size} bytes; kept: {}\n", terminal::render(keep)).as_bytes(),
        );
        self.lines.extend_from_slice(&[b"keep=", &quoted(&plain(keep))[..], b"\n"].concat());
        for copy in others {
            if let Some(why) = self.left(kept, copy) {
                let names: Vec<String> = copy.names.iter().map(|name| terminal::render(name)).collect();
                self.lines.extend_from_slice(format!("# {}: {why}\n", names.join(", ")).as_bytes());
                continue;
            }
            let is_gone = matches!(self.action, Action::Remove | Action::Move(_));
            if let Some(link) = copy.linked.as_ref().filter(|_| is_gone) {
                let (name, link) = (terminal::render(&copy.names[0]), terminal::render(link));
                let line = format!("# {name}: the symbolic link {link} leads to it, and nowhere afterwards\n");
                self.lines.extend_from_slice(line.as_bytes());
            }
            for name in &copy.names {
                let step = self.step(name);
                self.lines.extend_from_slice(&step);
                steps += 1;
            }
        }
        self.open = Some(steps);
        if steps >= GROUP {
            self.close();
        }
    }

    /// Ends the group of commands that is open.
    fn close(&mut self) {
        if self.open.take().is_some() {
            self.lines.extend_from_slice(b"\nend\n} | work || status=1\n");
        }
    }

    /// Why nothing is done with a copy.
    fn left(&self, kept: &Copy, copy: &Copy) -> Option<&'static str> {
        if copy.stays {
            Some("stays, in a directory that is left alone")
        } else if copy.shared && !matches!(self.action, Action::HardLink | Action::Move(_)) {
            Some("shares its storage with another copy: nothing would be won")
        } else if self.action.is_link() && copy.device != kept.device {
            Some("on another file system, to which no link leads")
        } else if self.action == Action::HardLink && copy.elsewhere > 0 {
            Some("has names elsewhere, which a link would cut off")
        } else if self.action == Action::HardLink && copy.rights != kept.rights {
            Some("has another mode or owner, which a link would change")
        } else {
            None
        }
    }

    fn step(&self, name: &[u8]) -> Vec<u8> {
        let mut step = [b"drop ", &quoted(&plain(name))[..]].concat();
        if let Action::Move(directory) = &self.action {
            let target = target(directory, name);
            let parent = target.iter().rposition(|byte| *byte == b'/').map_or(&b"."[..], |at| &target[..at.max(1)]);
            for word in [&target[..], parent] {
                step.push(b' ');
                step.extend_from_slice(&quoted(word));
            }
        }
        step.push(b'\n');
        step
    }

    /// Writes the file, which appears whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> Result<(), Error> {
        self.close();
        self.lines.extend_from_slice(b"\nexit $status\n");
        let write = || {
            let mut output = Output::file(&self.path)?;
            output.write_all(&self.lines)?;
            output.commit()
        };
        write().map_err(|error| Error::output(PathError::new(&self.path, error)))
    }
}

/// Where a file is moved: below the directory, by its name, or by its whole path where the name
/// leads up.
fn target(directory: &Path, name: &[u8]) -> Vec<u8> {
    let leads_up = name.split(|byte| *byte == b'/').any(|part| part == b"..");
    let path = Path::new(OsStr::from_bytes(name));
    let path = leads_up.then(|| resolved(path).or_else(|_| absolute(path)).ok()).flatten();
    let name = path.as_deref().unwrap_or(name);
    let parts: Vec<&[u8]> =
        name.split(|byte| *byte == b'/').filter(|part| !matches!(*part, b"" | b"." | b"..")).collect();
    let directory = absolute(directory).unwrap_or_else(|_| listed(directory.to_owned()));
    [directory, parts.join(&b'/')].join(&b'/')
}

/// A name that no program takes for an option.
fn plain(name: &[u8]) -> Vec<u8> {
    if name.starts_with(b"-") { [b"./", name].concat() } else { name.to_vec() }
}

/// A word for the shell, of any bytes.
fn quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in word {
        if byte == b'\'' { quoted.extend_from_slice(b"'\\''") } else { quoted.push(byte) }
    }
    quoted.push(b'\'');
    quoted
}
