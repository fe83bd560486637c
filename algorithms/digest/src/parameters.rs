//! Parameters of an algorithm that a user may state beside the length of its output:
//! `sakura-li-128,leaves=32`.

use crate::State;

/// Parameters that a row has at most.
pub const PARAMETERS: usize = 3;

/// Values of a row's parameters in the order of their names; `None` where none is stated.
pub type ParameterValues = [Option<u32>; 3];

/// A family of functions that has a row of the registry as a member, for [`Row::with_parameters`].
///
/// [`Row::with_parameters`]: crate::Row::with_parameters
pub trait Parametric: Sync {
    /// The parameters' names, at most [`PARAMETERS`]: lower case, no comma, colon or equals sign.
    fn names(&self) -> &'static [&'static str];

    /// The values of all parameters: those stated, and the row's own for the others.
    ///
    /// # Errors
    /// The fault of a stated value, and the possible values.
    fn resolve(&self, stated: ParameterValues) -> Result<[u32; 3], String>;

    /// The state of the empty message under values that were resolved.
    fn start(&self, values: [u32; 3]) -> Box<dyn State>;
}

/// Splits a list of algorithms at its commas; those before `key=value` belong to the name:
/// `sha256,sakura-li-128,leaves=32,block=1344,md5` names three.
///
/// ```
/// assert_eq!(pfh_digest::names("a,b:7,k=1,l=2,c"), ["a", "b:7,k=1,l=2", "c"]);
/// ```
pub fn names(list: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let (mut start, mut at) = (0, 0);
    for piece in list.split(',') {
        if at > start && !piece.contains('=') {
            names.push(&list[start..at - 1]);
            start = at;
        }
        at += piece.len() + 1;
    }
    names.push(&list[start..]);
    names
}

/// One `key=value`, whose value prints back as it was.
pub(crate) fn assignment(text: &str) -> Option<(String, u32)> {
    let (key, value) = text.split_once('=')?;
    let number: u32 = value.parse().ok()?;
    (number.to_string() == value).then(|| (key.to_ascii_lowercase(), number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names() {
        assert_eq!(names("a"), ["a"]);
        assert_eq!(names("a,b"), ["a", "b"]);
        assert_eq!(names("a,x=1"), ["a,x=1"]);
        assert_eq!(names("a,x=1,b,y=2,z=3"), ["a,x=1", "b,y=2,z=3"]);
        // Text that is not a list is split all the same, and refused as names.
        assert_eq!(names("x=1,a"), ["x=1", "a"]);
        assert_eq!(names("a,,b,"), ["a", "", "b", ""]);
        assert_eq!(names(""), [""]);
    }

    #[test]
    fn assignments_print_back() {
        assert_eq!(assignment("Leaves=32"), Some(("leaves".into(), 32)));
        for wrong in ["leaves", "leaves=", "leaves=+1", "leaves=01", "leaves=-1", "leaves=4294967296", "leaves=8KiB"] {
            assert_eq!(assignment(wrong), None, "{wrong}");
        }
    }
}
