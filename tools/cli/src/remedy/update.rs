//! Remedies for a manifest that is brought up to date.

use crate::shell::quoted;
use pfh::job::Error;
use pfh::manifest::amend::Unamendable;
use pfh::terminal::render;
use pfh::update::Problem;
use std::path::Path;

/// The command that makes a list that can be brought up to date.
const NEW: &str = "`pfh hash -r -o NEW DIR` makes a list that can be";

/// The command to type where the list cannot be.
fn instead(why: &Unamendable, list: Option<&Path>) -> String {
    let name = list.map_or_else(|| "LIST".to_owned(), |list| quoted(list.as_os_str()));
    let plain = list.and_then(|list| list.as_os_str().to_str()?.strip_suffix(".gz"));
    match (why, plain) {
        (Unamendable::Packed, Some(plain)) => {
            format!("`gunzip {name}` and then `pfh hash --update {} DIR`", quoted(plain.as_ref()))
        }
        (Unamendable::Packed, None) => {
            format!("`zcat` or `iconv -f UTF-16 -t UTF-8` with `{name} > NEW`, and then `pfh hash --update NEW DIR`")
        }
        (Unamendable::Volumes, _) => "`pfh hash -r --inside -f dfxml -o NEW DIR` makes a new one".to_owned(),
        _ => NEW.to_owned(),
    }
}

/// The sentence with the options of `pfh hash --update` and `pfh check --update`.
pub fn sentence(error: &Error) -> Option<String> {
    let said = error.to_string();
    Some(match error.find::<Problem>()? {
        Problem::Unfit(why) => format!("{said}; {}", instead(why, error.path())),
        Problem::NotWhole => format!("{said}; {NEW}"),
        Problem::Uncomputed(name) if name.contains("key") => format!("{said}: give the key by --key-file"),
        Problem::Unsigned => format!("{said}: `pfh hash --update MANIFEST --seal --key FILE` has it"),
        Problem::OtherKey => format!("{said}: remove the seal to sign the next one with this key"),
        Problem::List => format!("{said}, and leave out --files-from"),
        Problem::Operand(operand) => {
            format!("{}: --update takes files, directories and objects, no stream or image", render(operand))
        }
        Problem::Timeless => format!("{said}: leave out --trust-times, or use --cache"),
        Problem::Unnamed(_) => format!("{said}; -a names it"),
        Problem::AllGone(_) => format!("{said}; --force takes them off the list"),
        _ => return None,
    })
}
