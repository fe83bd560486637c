//! The results of a comparison of two trees: lines.

use pfh::diff::Difference;
use pfh::terminal::render;

/// A line for people: class, name, and where it came from.
pub fn text(difference: &Difference) -> String {
    let mut line = format!("{:<8}  {}", difference.class.name(), render(&difference.name));
    if let Some(from) = &difference.from {
        line += &format!("  (from {})", render(from));
    }
    if let Some(rot) = difference.rot {
        line += &format!("  ({})", rot.sentence());
    }
    if difference.partly {
        line += "  (some digests are the same)";
    }
    if let Some(cause) = &difference.cause {
        line += &format!("  ({cause})");
    }
    line + "\n"
}
