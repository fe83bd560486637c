//! What helps a manifest that is brought up to date.

use pfh::job::Error;
use pfh::terminal::render;
use pfh::update::Problem;

/// The sentence with the options of `pfh hash --update` and `pfh check --update`.
pub fn sentence(error: &Error) -> Option<String> {
    let said = error.to_string();
    Some(match error.find::<Problem>()? {
        Problem::Unfit(_) | Problem::NotWhole => format!("{said}; `pfh hash -o` makes a new one"),
        Problem::Uncomputed(name) if name.contains("key") => format!("{said}: give the key by --key-file"),
        Problem::Unsigned => format!("{said}: `pfh hash --update MANIFEST --seal --key FILE` has it"),
        Problem::OtherKey => format!("{said}: remove the seal to sign the next one with this key"),
        Problem::List => format!("{said}, and leave out --files-from"),
        Problem::Operand(operand) => {
            format!("{}: --update takes files and directories, no stream, image or object", render(operand))
        }
        Problem::Timeless => format!("{said}: leave out --trust-times, or use --cache"),
        Problem::AllGone(_) => format!("{said}; --force takes them off the list"),
        _ => return None,
    })
}
