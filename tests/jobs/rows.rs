//! The outputs and rows of jobs, as values; names are those below the room.

use crate::room::Room;
use pfh::hash::{self, Manifest, ManifestOutcome};
use pfh::job::Error;
use pfh::{Algorithm, Control, Input, Recurse};
use std::path::PathBuf;
use std::process::Command;

pub fn algorithms(names: &str) -> Vec<Algorithm> {
    Algorithm::names(names).into_iter().filter(|name| !name.is_empty()).map(|name| name.parse().unwrap()).collect()
}

/// These files and directories of the room, all the way down.
pub fn input(room: &Room, names: &[&str]) -> Input {
    Input::new(names.iter().map(|name| room.at(name))).recurse(Recurse::Yes)
}

/// A name without the room in front.
pub fn below(room: &Room, name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name).into_owned();
    let root = format!("{}/", room.path().display());
    name.strip_prefix(&root).map(str::to_owned).unwrap_or(name)
}

/// Writes the list of these files and directories in this format.
pub fn listed(room: &Room, to: &str, by: &str, format: &str, names: &[&str]) -> Result<ManifestOutcome, Error> {
    let request = hash::Request::new(input(room, names), algorithms(by)).replace(true);
    let manifest = Manifest::new(room.at(to)).format(format.parse().unwrap(), Default::default());
    hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new())
}

/// The list of these files and directories, all of which are in it.
pub fn list(room: &Room, to: &str, by: &str, format: &str, names: &[&str]) -> PathBuf {
    let run = listed(room, to, by, format, names).unwrap().summary.run;
    assert_eq!(run.failed, 0, "{to}: {run:?}");
    room.at(to)
}

/// The output of a shell command in the room.
pub fn printed(room: &Room, command: &str) -> Vec<u8> {
    let output = Command::new("sh").args(["-c", command]).current_dir(room.path()).output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    output.stdout
}

/// The output of a comparison, in this form.
pub fn pairs_as(room: &Room, request: &pfh::compare::Request, form: &str) -> String {
    let mut request = request.clone().output(room.at("written")).replace(true);
    request.form = form.parse().unwrap();
    pfh::compare::write(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    String::from_utf8(std::fs::read(room.at("written")).unwrap()).unwrap()
}
