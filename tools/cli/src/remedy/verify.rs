//! Options of `pfh verify`.

use pfh::job::Error;
use pfh::verify::Problem;

/// The sentence with the option that helps.
pub fn sentence(error: &Error) -> Option<String> {
    if let Some(pfh::image::OpenError::Io { error: why, path }) = error.find()
        && why.kind() == std::io::ErrorKind::IsADirectory
    {
        let name = crate::shell::quoted(path.as_os_str());
        return Some(format!("{error}: files in a directory are compared with a list: pfh check LIST {name}"));
    }
    match error.find::<Problem>()? {
        Problem::Unread(why) => Some(format!("{why}; --raw takes its bytes as they are")),
        Problem::List(path) => {
            let line = format!("pfh check {}", crate::shell::quoted(path.as_os_str()));
            Some(format!("{}; type this:\n  {line}", error))
        }
        Problem::Pieces => Some("--raw is for an image in one file".to_owned()),
        _ => None,
    }
}
