//! Options of `pfh verify`.

use pfh::job::Error;
use pfh::verify::Problem;

/// The sentence with the option that helps.
pub fn sentence(error: &Error) -> Option<String> {
    match error.find::<Problem>()? {
        Problem::Unread(why) => Some(format!("{why}; --raw takes its bytes as they are")),
        Problem::List(path) => {
            let line = format!("pfh check {}", crate::guess::quoted(path.as_os_str()));
            Some(format!("{}; type this:\n  {line}", error))
        }
        Problem::Pieces => Some("--raw is for an image in one file".to_owned()),
        _ => None,
    }
}
