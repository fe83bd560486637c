//! Pages of help that are of no command: what the exit codes mean, words of other programs, and one
//! option alone.

use crate::exit::Failure;
use crate::{findings, guess, help, pieces};
use clap::{Arg, Command};
use std::ffi::OsString;

/// The page of `pfh help exit-codes`.
const EXIT_CODES: &str = "\
0        all good: everything was read, and everything that was compared is equal
1        a negative verdict: something differs, is missing, or is not known
2        usage: the line makes no sense or was refused; nothing was changed
3        finished, but something was unreadable, not understood or not compared
4        aborted: the output is incomplete
128 + n  ended by signal n, as by Ctrl-C (130)

The last lines on standard error name each file of a 3, with the offset and the cause. The help of
a command says what its codes mean there: pfh help COMMAND.
";

/// The page that these words ask for, if it is one of no command.
///
/// # Errors
/// If it is that of a finding which there is not.
pub fn page(typed: &[OsString]) -> Option<Result<String, Failure>> {
    let words: Vec<&str> = typed.iter().map(|word| word.to_str()).collect::<Option<_>>()?;
    match &words[..] {
        ["help", "coming-from"] | ["coming-from"] => Some(Ok(guess::page())),
        ["help", "finding" | "findings"] => Some(Ok(findings::list())),
        ["help", "finding" | "findings", id] => Some(findings::one(id)),
        ["help", "exit-codes" | "exit-code" | "exitcodes" | "exit" | "codes"] | ["exit-codes" | "exitcodes"] => {
            Some(Ok(EXIT_CODES.to_owned()))
        }
        ["help", path @ .., option] if option.starts_with('-') => of_option(path, option).map(Ok),
        _ => None,
    }
}

/// The help of one option: of a command, or of all that have it.
fn of_option(path: &[&str], name: &str) -> Option<String> {
    let name = name.split('=').next()?;
    if ["-h", "--help", "--help-all", "-V", "--version"].contains(&name) {
        return None;
    }
    let root = help::command_for(&["--help-all".into()]);
    let words: Vec<OsString> = path.iter().map(OsString::from).collect();
    let (page, path, used) = pieces::page(&root, &words);
    if used < words.len() {
        return None;
    }
    let mut found = Vec::new();
    pages(page, &path, &mut |path, page| {
        if let Some(arg) = pieces::option(page, name) {
            found.push((path.to_owned(), arg.clone()));
        }
    });
    let (first, arg) = found.first()?.clone();
    let others: Vec<&str> = found.iter().skip(1).map(|(path, _)| &**path).collect();
    let mut text = format!("pfh {first}\n{}", alone(arg));
    if !others.is_empty() {
        text += &format!("\nAlso an option of {}\n", others.join(", "));
    }
    Some(text + &format!("\nAll options: pfh help {first}\n"))
}

/// One option as the help shows it.
fn alone(arg: Arg) -> String {
    let arg = arg.hide_long_help(false).hide(false).help_heading(None::<&str>);
    let mut command = Command::new("pfh").disable_help_flag(true).help_template("{options}").arg(arg);
    command.render_long_help().to_string()
}

/// Visits the pages of a command and of all below it.
fn pages(command: &Command, path: &str, visit: &mut dyn FnMut(&str, &Command)) {
    if !path.is_empty() {
        visit(path, command);
    }
    for below in command.get_subcommands() {
        let space = if path.is_empty() { "" } else { " " };
        pages(below, &format!("{path}{space}{}", below.get_name()), visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(line: &str) -> Option<String> {
        let page = page(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        page.and_then(Result::ok)
    }

    #[test]
    fn one_option_has_a_page_of_its_own() {
        let of_hash = page_of("help hash --inside").unwrap();
        assert!(of_hash.contains("--inside") && of_hash.contains("pfh help hash"), "{of_hash}");
        assert!(of_hash.lines().count() < 20 && !of_hash.contains("--recursive"), "{of_hash}");
        let of_all = page_of("help --inside").unwrap();
        assert!(of_all.contains("Also an option of"), "{of_all}");
        // One for experts has it as well.
        assert!(page_of("help hash --io").unwrap().contains("--io"));
        assert!(page_of("help hash -t").unwrap().contains("--threads"));
        for line in ["help hash", "help hash --help", "help hash --nosuch", "help nosuch --inside", "hash --inside"] {
            assert_eq!(page_of(line), None, "{line}");
        }
        assert!(page_of("help finding audit/new").unwrap().contains("audit/new=ignore"));
        assert!(page_of("help findings").unwrap().contains("zip/unlisted-member"));
        assert!(page_of("help exit-codes").unwrap().contains("128 + n"));
    }
}
