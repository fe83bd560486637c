//! pfh's answer in place of clap's words: why a line is refused, and the line to type.

use super::advice::{Advice, line};
use super::{meant, spelling};
use crate::pieces;
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use pfh::terminal::render;
use std::error::Error as _;
use std::ffi::OsString;

/// The words of a context of an error.
fn context(error: &clap::Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(one)) => vec![one.clone()],
        Some(ContextValue::Strings(several)) => several.clone(),
        _ => Vec::new(),
    }
}

/// An option or operand as it is typed: `--keep`, `IMAGE`.
fn bare(argument: &str) -> String {
    let first = argument.split(['=', ' ', '[']).find(|word| !word.is_empty()).unwrap_or_default();
    first.trim_matches(['<', '>', '.', '[', ']']).to_owned()
}

/// A line that shows the help of a command, or of one option of it.
fn help(path: &str, option: Option<&str>) -> (String, String) {
    let words: Vec<&str> = path.split(' ').chain(option).filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        return ("pfh --help".to_owned(), "the commands".to_owned());
    }
    (format!("pfh help {}", words.join(" ")), String::new())
}

/// The answer to a line that clap refuses; `None` for help. It never says
/// that an option can be written as an operand.
pub fn refused(error: &clap::Error, root: &mut Command, words: &[OsString]) -> Option<Advice> {
    let (page, path, used) = pieces::page(root, words);
    let command = if path.is_empty() { "pfh".to_owned() } else { format!("pfh {path}") };
    let first = |kind| context(error, kind).into_iter().next();
    let shown = |text: &str| render(text.as_bytes());
    Some(match error.kind() {
        ErrorKind::UnknownArgument => {
            let wrong = first(ContextKind::InvalidArg)?;
            let wrong = wrong.split(['=', ' ']).next().unwrap_or_default();
            let why = if wrong.starts_with('-') {
                format!("{command} has no option {}", shown(wrong))
            } else {
                format!("{command}: there is one operand too many, {}", shown(wrong))
            };
            Advice::new(why, vec![help(&path, None)])
        }
        ErrorKind::InvalidSubcommand => {
            let wrong = first(ContextKind::InvalidSubcommand)?;
            let why = match &*path {
                "" => format!("pfh has no command {}, and there is no such file", shown(&wrong)),
                path => format!("pfh {path} has no command {}", shown(&wrong)),
            };
            let near = spelling::command(page, &path, &wrong);
            let near = near.map(|near| {
                let front = words[..used].iter().cloned().chain([near.into()]);
                front.chain(words[used + 1..].iter().cloned()).collect::<Vec<OsString>>()
            });
            let mut lines = match near.map(|words| meant(root, &words)) {
                // The word that was meant asks itself.
                Some(Err(advice)) => return Some(advice.because(why)),
                Some(Ok(words)) => vec![(line("", &words), String::new())],
                None => Vec::new(),
            };
            lines.push(help(&path, None));
            if path.is_empty() {
                lines.push(("pfh help coming-from".to_owned(), "words of other programs".to_owned()));
            }
            Advice::new(why, lines)
        }
        ErrorKind::InvalidValue | ErrorKind::ValueValidation => {
            let option = bare(&first(ContextKind::InvalidArg)?);
            let value = first(ContextKind::InvalidValue).unwrap_or_default();
            let (valid, near) = (context(error, ContextKind::ValidValue), first(ContextKind::SuggestedValue));
            let of = Some(&*option).filter(|option| option.starts_with('-'));
            let why = match error.source().map(ToString::to_string) {
                _ if value.is_empty() && valid.is_empty() => format!("{command}: {option} needs a value"),
                _ if value.is_empty() => format!("{command}: {option} needs one of {}", valid.join(", ")),
                _ if !valid.is_empty() => {
                    format!("{command}: {option} takes one of {}, not {}", valid.join(", "), shown(&value))
                }
                Some(cause) if cause.contains(&value) => format!("{command}: {option}: {}", shown(&cause)),
                Some(cause) => format!("{command}: {option} {}: {}", shown(&value), shown(&cause)),
                None => format!("{command}: {option} does not take {}", shown(&value)),
            };
            let put = near.and_then(|near| {
                let at = words.iter().rposition(|word| word.to_string_lossy().ends_with(&value))?;
                let mut words = words.to_vec();
                let text = words[at].to_string_lossy().into_owned();
                words[at] = format!("{}{near}", text.strip_suffix(&value)?).into();
                Some((line("", &words), String::new()))
            });
            Advice::new(why, vec![put.unwrap_or_else(|| help(&path, of))])
        }
        ErrorKind::MissingRequiredArgument => {
            let missing: Vec<String> = context(error, ContextKind::InvalidArg).iter().map(|one| bare(one)).collect();
            let what = |name: &String| {
                let found = page.get_arguments().find(|arg| match name.strip_prefix("--") {
                    Some(long) => arg.get_long() == Some(long),
                    None => arg.get_value_names().is_some_and(|names| names.iter().any(|one| one.as_str() == name)),
                });
                let help = found.and_then(|arg| arg.get_help().map(ToString::to_string)).unwrap_or_default();
                let help = help.split(['.', ':']).next().unwrap_or_default().to_owned();
                let is_short = !help.is_empty() && help.len() < 60;
                if is_short { format!("{name} ({})", lowered(&help)) } else { name.clone() }
            };
            let missing: Vec<String> = missing.iter().map(what).collect();
            let screen = path == "acquire" && cfg!(not(feature = "screen"));
            let screen = if screen { "; a screen asks for it in a build with --features screen" } else { "" };
            let is = if missing.len() == 1 { "is" } else { "are" };
            let mut lines = vec![help(&path, None)];
            if path == "acquire" {
                lines.insert(0, ("pfh disks".to_owned(), "the disks of this machine".to_owned()));
            }
            Advice::new(format!("{command}: {} {is} missing{screen}", missing.join(", ")), lines)
        }
        ErrorKind::ArgumentConflict => {
            let option = bare(&first(ContextKind::InvalidArg)?);
            let others: Vec<String> = context(error, ContextKind::PriorArg).iter().map(|one| bare(one)).collect();
            let others = if others.is_empty() { "another option".to_owned() } else { others.join(", ") };
            let why = if others == option {
                format!("{command}: {option} is given twice")
            } else {
                format!("{command}: {option} does not go with {others}")
            };
            Advice::new(why, vec![help(&path, Some(&*option).filter(|option| option.starts_with('-')))])
        }
        ErrorKind::NoEquals | ErrorKind::TooFewValues | ErrorKind::TooManyValues | ErrorKind::WrongNumberOfValues => {
            let option = bare(&first(ContextKind::InvalidArg)?);
            let why = match error.kind() {
                ErrorKind::NoEquals => format!("{command}: the value of {option} follows =, as in {option}=VALUE"),
                ErrorKind::TooManyValues => format!("{command}: {option} takes no such value"),
                _ => format!("{command}: {option} needs a value"),
            };
            Advice::new(why, vec![help(&path, Some(&*option).filter(|option| option.starts_with('-')))])
        }
        ErrorKind::InvalidUtf8 => {
            Advice::new(format!("{command}: an option holds bytes that are not UTF-8"), vec![help(&path, None)])
        }
        _ => return None,
    })
}

/// A sentence as it stands within another: its first letter small, unless it is an abbreviation.
fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), text.chars().nth(1)) {
        (Some(first), Some(second)) if second.is_lowercase() || second == ' ' => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}
