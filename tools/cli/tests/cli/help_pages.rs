//! The parts of every page of the manual and of every command's help, and which commands print
//! JSON.

use crate::program::Room;
use pfh_inject::Trial;
use std::collections::BTreeMap;
use std::fs;

/// Commands without `--json`, and why.
const WITHOUT: &[(&str, &str)] = &[
    ("pfh", "it is the list of commands"),
    ("info", "it prints the statements of an image for people; verify has them as JSON"),
    ("audit", "it is a list of commands"),
    ("audit-challenge", "it writes files and prints nothing"),
    ("audit-commit", "it writes files and prints nothing"),
    ("audit-prove", "it writes files and prints nothing"),
    ("audit-renew", "it writes files and prints nothing"),
    ("audit-serve", "it answers over HTTP"),
    ("audit-tokens", "it writes files and prints nothing"),
    ("bag", "it is a list of commands"),
    ("bench", "it is a list of commands"),
    ("bench-languages", "it writes a study, whose results are CSV"),
    ("bench-report", "it writes a page"),
    ("bench-sizes", "it prints CSV, which `bench forecast --histogram` reads"),
    ("completions", "a shell reads it"),
    ("dd", "it prints what dd prints"),
    ("export", "its output is the export"),
    ("known", "it is a list of commands"),
    ("known-build", "it writes a file; `known info --json` describes it"),
    ("known-export", "it writes a file"),
    ("man", "it writes files"),
    ("merge", "it writes the manifest, in the format of the plan"),
    ("paper", "its output is the paper's"),
    ("report", "it writes a page of what others printed"),
    ("run", "it writes a part of the plan"),
    ("schema", "it prints JSON, and nothing else"),
    ("tree", "it is a list of commands"),
    ("tree-export", "it writes a file"),
    ("tree-prove", "it writes a file"),
];

fn pages() -> BTreeMap<String, String> {
    let room = Room::new();
    let seen =
        Trial::new(env!("CARGO_BIN_EXE_pfh")).args(["man", "pages"]).directory(room.path()).run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let named = |page: fs::DirEntry| {
        let name = page.file_name().into_string().expect("a name");
        let text = fs::read_to_string(page.path()).expect("a page");
        (name.trim_start_matches("pfh-").trim_end_matches(".1").to_owned(), text)
    };
    fs::read_dir(room.path().join("pages")).expect("pages").flatten().map(named).collect()
}

/// Phrases that `tests/house/main.rs` refuses in documents and comments.
#[test]
fn the_help_is_plain_english_within_80_columns() {
    let mut wrong = Vec::new();
    for (name, page) in pages() {
        let text = page.replace("\\-", "-").replace('\n', " ");
        for phrase in [
            " told ",
            " of which ",
            "hoever ",
            " anew",
            " is no ",
            " are no ",
            " so many ",
            " What is ",
            " what is ",
            " whatever ",
            "that which ",
        ] {
            for (at, _) in text.match_indices(phrase) {
                let after = &text[at + phrase.len()..];
                let is_plain = text[..at].to_lowercase().ends_with("there") || after.starts_with("longer");
                if !is_plain {
                    let from = text[..at].char_indices().rev().nth(30).map_or(0, |(at, _)| at);
                    wrong.push(format!(
                        "{name}: …{}{phrase}{}",
                        &text[from..at],
                        after.chars().take(20).collect::<String>()
                    ));
                }
            }
        }
        // Lines that roff does not fill.
        let (mut is_fixed, mut long) = (false, 0);
        for line in page.lines() {
            match line {
                ".nf" => is_fixed = true,
                ".fi" => is_fixed = false,
                // Its margin is seven columns.
                _ => {
                    let shown = line.replace("\\(aq", "'").replace("\\e", "/").replace('\\', "");
                    // A root of 64 digits has no place to break.
                    let is_long = shown.chars().count() > 73 && !shown.contains("--root af1349b9");
                    long += usize::from(is_fixed && is_long);
                }
            }
        }
        if long > 0 {
            wrong.push(format!("{name}: {long} lines beyond 80 columns"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The lines of a section.
fn section<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let from = page.find(&format!("\n.SH {name}\n"))? + 1;
    let text = &page[from..];
    Some(&text[..text[4..].find("\n.SH ").map_or(text.len(), |at| at + 4)])
}

#[test]
fn every_page_has_three_examples_and_says_what_exit_codes_mean() {
    let pages = pages();
    assert!(pages.len() > 55, "{}", pages.len());
    for (name, page) in &pages {
        let examples = section(page, "EXAMPLES").unwrap_or_else(|| panic!("{name}: no examples"));
        assert_eq!(examples.lines().filter(|line| line.starts_with("pfh ")).count(), 3, "{name}: {examples}");
        let codes = section(page, "EXIT STATUS").unwrap_or_else(|| panic!("{name}: no exit codes"));
        assert!(codes.contains('0') && codes.contains("2 "), "{name}: {codes}");
    }
}

#[test]
fn options_have_the_headings_of_the_help_in_their_order() {
    let pages = pages();
    for name in ["hash", "match", "check", "compare", "dups", "diff"] {
        let headings: Vec<&str> = pages[name].lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
        let ours: Vec<&str> =
            headings.into_iter().filter(|name| ["INPUT", "TASK", "OUTPUT", "TUNING"].contains(name)).collect();
        assert_eq!(ours, ["INPUT", "TASK", "OUTPUT", "TUNING"], "{name}");
    }
    let has = |page: &str, heading: &str, option: &str| {
        section(&pages[page], heading).is_some_and(|text| text.contains(&option.replace('-', "\\-")))
    };
    assert!(
        has("hash", "INPUT", "--recursive") && has("hash", "OUTPUT", "--json") && has("hash", "TUNING", "--threads")
    );
    assert!(has("check", "OUTPUT", "--dry-run") && has("acquire", "OUTPUT", "--dry-run"));
    // One word, two meanings: verdicts that are printed, and rows that are measured.
    assert!(has("match", "OUTPUT", "--only") && has("bench-languages", "TASK", "--only"));
    for page in ["known-build", "known-export"] {
        assert!(has(page, "OUTPUT", "--output"), "{page}");
    }
}

/// A command that prints results prints them as JSON by `--json`, or is named above with a reason.
#[test]
fn what_prints_results_has_json() {
    let mut without: Vec<&str> = Vec::new();
    let pages = pages();
    for (name, page) in &pages {
        // In a list of options, and not in an example.
        if !page.lines().any(|line| line.starts_with("\\fB\\-") && line.contains("\\-\\-json\\fR")) {
            without.push(name);
        }
    }
    let mut expected: Vec<&str> = WITHOUT.iter().map(|(name, _)| *name).collect();
    expected.sort_unstable();
    assert_eq!(without, expected);
}
