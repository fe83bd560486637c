//! Defaults of options from `~/.config/pfh/config.toml`: put in front of the typed words, named in
//! records, and never read with `--no-config`.

mod file;

use crate::exit::Failure;
use crate::pieces::{self, Flag, Piece};
use clap::Command;
use pfh::terminal::shown;
use std::ffi::OsString;
use std::sync::{Mutex, PoisonError};

/// The defaults of this run, as they are recorded.
static USED: Mutex<Option<String>> = Mutex::new(None);

/// The defaults that this run goes by, as one line: profile, file, its SHA-256, and the options.
pub fn used() -> Option<String> {
    USED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A command line as it is recorded: with the defaults behind it.
pub fn recorded(mut line: Vec<u8>) -> Vec<u8> {
    if let Some(used) = used() {
        line.extend_from_slice(format!(" (defaults: {used})").as_bytes());
    }
    line
}

/// The arguments with the defaults in front of the options that were typed. The page that they lead
/// to is open in `root`; the file may name options of any page, which `whole` has.
///
/// # Errors
/// When the file makes no sense, or has no such profile.
pub fn with_defaults(
    root: &Command,
    whole: &dyn Fn() -> Command,
    arguments: Vec<OsString>,
) -> Result<Vec<OsString>, Failure> {
    *USED.lock().unwrap_or_else(PoisonError::into_inner) = None;
    let (page, path, used) = pieces::page(root, &arguments);
    let typed = pieces::pieces(page, &arguments[used..], &|_| None);
    let flags = || {
        typed.iter().filter_map(|piece| match piece {
            Piece::Flag(flag) => Some(flag),
            _ => None,
        })
    };
    let profile = flags().filter(|flag| flag.name == "--profile").find_map(|flag| flag.value.clone());
    let asks_help =
        |flag: &Flag| ["-h", "--help", "--help-all", "--no-config", "-V", "--version"].contains(&&*flag.name);
    if path.is_empty() || flags().any(asks_help) {
        return Ok(arguments);
    }
    let absent = || match &profile {
        Some(name) => {
            Err(Failure::usage(format_args!("--profile {}: there is no file of profiles", shown(name.as_ref()))))
        }
        None => Ok(()),
    };
    let Some(place) = file::place() else { return absent().map(|()| arguments) };
    // A home directory that this user may not look into has no file for it.
    let is_absent = place.metadata().is_err() && profile.is_none();
    let text = match std::fs::read_to_string(&place) {
        Ok(text) => text,
        Err(_) if is_absent => return Ok(arguments),
        Err(error) => return Err(Failure::usage(format_args!("{}: {error}", shown(&place)))),
    };
    let name = profile.as_ref().map(|name| name.to_string_lossy().into_owned());
    let defaults = file::File::read(&place, &text, &whole())?;
    let defaults = defaults.defaults(root, &path, name.as_deref())?;
    let given: Vec<&clap::Arg> = flags().filter_map(|flag| pieces::option(page, &flag.name)).collect();
    let excludes = |one: &clap::Arg, other: &clap::Arg| {
        page.get_arg_conflicts_with(one).iter().any(|excluded| excluded.get_id() == other.get_id())
    };
    let mut words: Vec<OsString> = Vec::new();
    for default in &defaults {
        let Some(arg) = pieces::option(page, &default.option) else { continue };
        // A typed option wins, also where it excludes the default.
        if given.iter().any(|other| other.get_id() == arg.get_id() || excludes(arg, other) || excludes(other, arg)) {
            continue;
        }
        match &default.values[..] {
            [] => words.push(default.option.clone().into()),
            values => words.extend(values.iter().map(|value| format!("{}={value}", default.option).into())),
        }
    }
    if words.is_empty() {
        return Ok(arguments);
    }
    let profile = name.map_or_else(String::new, |name| format!("profile {name} of "));
    let sha256 = pfh::sha256(text.as_bytes());
    let options: Vec<String> = words.iter().map(|word| crate::shell::quoted(word)).collect();
    let said = format!("{}; {profile}{}, sha256 {sha256}", options.join(" "), shown(&place));
    *USED.lock().unwrap_or_else(PoisonError::into_inner) = Some(said);
    let mut arguments = arguments;
    let rest = arguments.split_off(used);
    Ok(arguments.into_iter().chain(words).chain(rest).collect())
}
