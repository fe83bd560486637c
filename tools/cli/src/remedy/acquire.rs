//! Options of `pfh acquire` and `pfh dd`.

use pfh::acquire::{Foreign, LogError, Problem};
use pfh::imaging::RingError;
use pfh::job::Error;
use pfh::terminal::shown;

/// The sentence with the option that helps.
pub fn sentence(error: &Error) -> Option<String> {
    let said = error.to_string();
    if let Some(LogError::Finished { .. } | LogError::OtherTargets { .. }) = error.find() {
        return Some(format!("{said} with --log"));
    }
    if let Some(pfh::dd::Problem::Algorithm(unknown)) = error.find() {
        return Some(format!("{unknown}; `pfh algorithms` lists them"));
    }
    Some(match error.find::<Problem>()? {
        Problem::Foreign { path, why: Foreign::Part { theirs, mine } } => format!(
            "{}: the map of another acquisition: of {theirs}, and this is one of {mine}; name another map with --map, or start over with --force",
            shown(path)
        ),
        Problem::Foreign { why: Foreign::Unnamed { .. }, .. } => {
            format!("{said}: if that is this source, resume with --adopt-map; --force starts over")
        }
        Problem::Foreign { why: Foreign::Unknown, .. } => {
            format!("{said}: resume with --adopt-map, or start over with --force")
        }
        Problem::Foreign { why: Foreign::Source { .. } | Foreign::Targets, .. }
        | Problem::Another { .. }
        | Problem::Changed { .. } => format!("{said} with --force"),
        Problem::NotInPlace(path) => format!(
            "{}: the chunks of an E01 image lie one behind the other and cannot be changed in place: acquire the source again with --force, or retry into a raw image",
            shown(path)
        ),
        Problem::StreamStart => format!("{said}: leave out --skip"),
        Problem::Directory(_) => format!("{said}; `pfh hash -r` hashes the files in a directory"),
        Problem::NoFile(_) => format!("--log {said}"),
        Problem::Piece => "--split takes a size of at least one byte".to_owned(),
        Problem::Numbers => {
            "--split: this --suffix has too few names: make the pieces larger or the suffix longer".to_owned()
        }
        Problem::Segment { segment, least } => {
            format!("--split {segment}: E01 segments must have at least {least} bytes")
        }
        Problem::Segments { segment, bytes } => {
            format!("--split {segment}: {bytes} bytes make more segments than E01 can count")
        }
        Problem::Later(path) => {
            format!("{}: the name of a later segment: name the first segment, ….E01, or say -f raw", shown(path))
        }
        Problem::NotWritten { path, format } => {
            format!("{}: {format} is not written: name a .E01 or a raw image, or say -f raw", shown(path))
        }
        Problem::RawOnly => "--seek and --sparse are for raw targets".to_owned(),
        Problem::OnePiece => "--seek and --sparse are for images in one piece".to_owned(),
        Problem::Suffix => "--suffix takes 000, 111 or aaa, of two places or more".to_owned(),
        Problem::Window => "--piecewise takes a size of at least one byte".to_owned(),
        _ => return None,
    })
}

/// Whether a target's disk is full, or its owner may write no more.
pub fn is_full(error: &Error) -> bool {
    use std::io::ErrorKind;
    let full = |error: &std::io::Error| matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded);
    error.find::<std::io::Error>().is_some_and(full)
}

/// The sentence on blocks that cannot be.
pub fn ring(error: &RingError) -> String {
    match error {
        RingError::Block(_) => error.to_string().replacen("a block has", "--block takes", 1),
        RingError::Blocks(blocks) => {
            format!("--blocks takes a number from 2 (one is read while one is written) to 65536, not {blocks}")
        }
        other => other.to_string(),
    }
}
