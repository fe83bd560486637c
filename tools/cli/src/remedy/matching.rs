//! Remedies for the comparison of files with known ones.

use pfh::job::Error;
use pfh::matching::{Problem, similar};
use pfh::terminal::render;

/// The sentence with the options of `pfh match`.
pub fn sentence(error: &Error) -> Option<String> {
    #[cfg(feature = "inside")]
    if let Some(problem) = error.find() {
        return sectors(problem);
    }
    if let Some(similar::Problem::IsIndex(_)) = error.find() {
        return Some("--write-index needs a list; this is an index already".into());
    }
    Some(match error.find::<Problem>()? {
        Problem::NoSet => "nothing to compare with: give --known FILE or --digest HEX".into(),
        Problem::Digest { text, fault } => format!("--digest {}: {fault}", render(text.as_bytes())),
        Problem::Format { form, why } => format!("-f {form}: {why}"),
        _ => return None,
    })
}

/// The sentence with the options of `pfh match --sectors`.
#[cfg(feature = "inside")]
fn sectors(problem: &pfh::matching::sectors::Problem) -> Option<String> {
    use pfh::matching::sectors::Problem;
    Some(match problem {
        Problem::NoImage => "--sectors needs the name of an image".into(),
        Problem::NoSet => {
            "nothing to compare with: give --known FILE, which `pfh known build --blocks SIZES` makes".into()
        }
        Problem::Size(size) => {
            format!("--sectors {size}: a size of blocks is a power of two from 512 to 1048576")
        }
        Problem::NoBlocks(path) => format!(
            "{}: holds no blocks of files: make a set of them with `pfh known build --blocks 512,4096 SET --bad FILES`",
            pfh::terminal::shown(path)
        ),
        Problem::NoSums(path) => format!(
            "{}: an earlier version built it, without what --any-offset needs: build it again with `pfh known build --blocks`",
            pfh::terminal::shown(path)
        ),
        Problem::NoSuchBlocks { size, others } => {
            let others: Vec<String> = others.iter().map(u32::to_string).collect();
            format!("--sectors {size}: no set has blocks of that size, but of {}", others.join(", "))
        }
        _ => return None,
    })
}
