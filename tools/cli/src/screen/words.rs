//! The words of the command line that does the work of the form.

use std::ffi::OsString;

/// The values of the form.
#[derive(Debug, Clone, Default)]
pub struct FormValues<'a> {
    /// The source.
    pub source: &'a str,
    /// The target; none is written if this is empty.
    pub target: &'a str,
    /// `e01`, `raw`, or `auto`.
    pub format: &'a str,
    /// Names of algorithms, by commas.
    pub digests: &'a str,
    /// Options of case data with their values; empty ones are left out.
    pub about: &'a [(&'static str, &'a str)],
    /// Whether the targets are read back.
    pub reads_back: bool,
    /// Further options, as a shell takes them.
    pub more: &'a str,
}

/// The words behind `pfh`.
///
/// # Errors
/// A quote that is not closed.
pub fn words(asked: &FormValues<'_>) -> Result<Vec<OsString>, String> {
    // A name that begins with a dash would be an option, and `-` standard input, which has the
    // keys.
    let source = if asked.source.starts_with('-') { format!("./{}", asked.source) } else { asked.source.to_owned() };
    let mut words = vec!["acquire".to_owned(), source];
    words.retain(|word| !word.is_empty());
    let mut option = |name: &str, value: &str| match value {
        "" => {}
        value if value.starts_with('-') => words.push(format!("{name}={value}")),
        value => words.extend([name.to_owned(), value.to_owned()]),
    };
    option("--to", asked.target);
    option("--format", if asked.format == "auto" { "" } else { asked.format });
    option("--algorithm", asked.digests);
    asked.about.iter().for_each(|(name, value)| option(name, value));
    if asked.reads_back {
        words.push("--verify".to_owned());
    }
    words.extend(split(asked.more)?);
    Ok(words.into_iter().map(OsString::from).collect())
}

/// A line as words, with the quotes of a shell. Nothing else of a shell is carried out.
fn split(line: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), close) if open == close => quote = None,
            (None | Some('"'), '\\') => {
                let escaped = letters.next().ok_or("a backslash stands at the end of the options")?;
                word.get_or_insert_default().push(escaped);
            }
            (None, ' ' | '\t') => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err("a quote in the options is not closed".to_owned());
    }
    words.extend(word);
    Ok(words)
}

/// The command line for a shell.
pub fn line(words: &[OsString]) -> String {
    let words: Vec<String> = words.iter().map(|word| crate::shell::quoted(word)).collect();
    format!("pfh {}", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_is_a_command_line() {
        let asked = FormValues {
            source: "/dev/sdb",
            target: "case 7.E01",
            format: "e01",
            digests: "md5,sha256",
            about: &[("--case", "7"), ("--evidence", ""), ("--notes", "-none-")],
            reads_back: true,
            more: r#"--split 2GiB --key 'a b' "c\"d""#,
        };
        let expected = "pfh acquire /dev/sdb --to 'case 7.E01' --format e01 --algorithm md5,sha256 --case 7 \
                        --notes=-none- --verify --split 2GiB --key 'a b' 'c\"d'";
        assert_eq!(line(&words(&asked).unwrap()), expected);
        let dash = FormValues { source: "-", ..FormValues::default() };
        assert_eq!(line(&words(&dash).unwrap()), "pfh acquire ./-");
        assert!(words(&FormValues { more: "'a", ..FormValues::default() }).is_err());
        assert!(words(&FormValues { more: "a\\", ..FormValues::default() }).is_err());
    }
}
