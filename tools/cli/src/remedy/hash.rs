//! Remedies for a manifest.

use pfh::hash::Problem;
use pfh::job::Error;

/// The sentence with the options of `pfh hash` and `pfh plan`.
pub fn sentence(error: &Error) -> Option<String> {
    Some(match error.find::<Problem>()? {
        Problem::Pieces(format) => {
            format!("-f {} has no form for --piecewise: use hashdeep, dfxml, jsonl or csv", format.name())
        }
        Problem::Window => "--piecewise takes a size of at least one byte".into(),
        Problem::Format { format, why } => format!("-f {}: {why}", format.name()),
        Problem::KeyedCache(algorithm) => {
            format!("{algorithm} is under a key, which a cache does not know: leave out --cache")
        }
        Problem::ObjectCache(address) => format!(
            "{}: --cache keeps digests of files, not of objects: leave it out for them",
            pfh::terminal::render(address)
        ),
        Problem::UnusedSecret => "none of the algorithms takes a key or a context; hmac-sha256 and blake3-keyed take \
             --key-file, blake3-derive-key takes --derive-key"
            .into(),
        _ => return None,
    })
}
