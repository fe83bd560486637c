//! Errors of the system in sentences.

use pfh_source::errno_name;

/// The standard library ends an error's text with `(os error 2)`; here the number becomes its name.
pub fn with_names(text: &str) -> String {
    const MARK: &str = "(os error ";
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(MARK) {
        let (before, after) = (&rest[..at], &rest[at + MARK.len()..]);
        named.push_str(before);
        let number = after.split_once(')').and_then(|(digits, rest)| Some((digits.parse::<i32>().ok()?, rest)));
        match number {
            Some((number, behind)) => {
                named.push_str(&match errno_name(number) {
                    "E?" => format!("{MARK}{number})"),
                    name => format!("({name})"),
                });
                rest = behind;
            }
            None => {
                named.push_str(MARK);
                rest = after;
            }
        }
    }
    named + rest
}

#[cfg(all(test, unix))]
mod tests {
    use super::with_names;

    #[test]
    fn errors_of_the_system_have_names() {
        let of = |number| std::io::Error::from_raw_os_error(number).to_string();
        assert_eq!(with_names(&format!("a: {}; b", of(2))), "a: No such file or directory (ENOENT); b");
        assert_eq!(
            with_names(&format!("{} {}", of(21), of(28))),
            "Is a directory (EISDIR) No space left on device (ENOSPC)"
        );
        for same in ["", "nothing", "(os error ", "(os error x)", "(os error 9999)"] {
            assert_eq!(with_names(same), same);
        }
    }
}
