//! Extracted files as lines of digests, and the sentence at the end.

use pfh::Digest;
use pfh::extract::{Problem, Summary};
use pfh::manifest::escape;
use pfh::name_bytes::OsStrExt;
use pfh::terminal::{counted, shown, size_text};
use std::path::Path;

/// A line of `sha256sum` for a file.
pub fn line(path: &Path, digest: &Digest) -> Vec<u8> {
    let name = path.as_os_str().as_bytes();
    let front = if escape::is_needed(name) { "\\" } else { "" };
    [format!("{front}{digest}  ").as_bytes(), &escape::escape(name), b"\n"].concat()
}

/// Why a member is not in a file, with the option that helps.
pub fn problem(problem: &Problem) -> String {
    match problem {
        Problem::Unread(problem) => crate::remedy::problem(problem),
        Problem::Bytes(_) => format!("{problem} (--most-bytes)"),
        Problem::Files(_) => format!("{problem} (--most-files)"),
        problem => problem.to_string(),
    }
}

/// How much is where, and how much is not.
pub fn sentence(summary: &Summary, to: &Path) -> String {
    let to = shown(to);
    if (summary.files, summary.failed, summary.skipped) == (0, 0, 0) {
        return "nothing to extract: no image, file system or archive that is known, or it has no files".to_owned();
    }
    let mut text =
        format!("{}, {}, written below {to} and read back", counted(summary.files, "file"), size_text(summary.bytes));
    if summary.skipped > 0 {
        text += &format!("; {} or other special files were not made", counted(summary.skipped, "link"));
    }
    if summary.failed > 0 {
        text += &format!("; {} could not be written, see above", counted(summary.failed, "member"));
    }
    text
}
