//! Types are nouns that a search finds: a participle or an adverb alone names nothing.

use super::{crates, root, rust_files};
use std::fs;
use std::path::Path;

/// Words that end as participles do, and are nouns.
const NOUNS_IN_ED: &[&str] = &["Deed", "Feed", "Need", "Seed", "Speed"];

/// Participles without that ending, adverbs and pronouns.
const REFUSED_WORDS: &[&str] = &[
    "About", "Again", "All", "Apart", "Aside", "Away", "Begun", "Behind", "Beside", "Both", "Bound", "Broken", "Built",
    "Chosen", "Cut", "Done", "Drawn", "Each", "Fed", "Found", "Given", "Gone", "Held", "Hidden", "Here", "How", "Into",
    "Kept", "Known", "Late", "Left", "Lost", "Made", "More", "Near", "Once", "Only", "Other", "Own", "Put", "Said",
    "Same", "Seen", "Sent", "Shown", "Spent", "Such", "Taken", "Then", "There", "Thrown", "Told", "Torn", "Under",
    "What", "When", "Where", "Which", "Who", "Whole", "Why", "With", "Within", "Without", "Written",
];

/// Classes of the Python module, which its users have imported by these names since its first
/// release, and traits that Rust's users know by such a name.
const EXCEPTIONS: &[(&str, &str)] = &[("tools/python", ""), ("algorithms/kernel", "Sealed")];

/// The name that a line declares a type by; associated types aside, which are indented and end an
/// `impl` of a trait that named them.
fn declared(line: &str) -> Option<&str> {
    let public =
        line.strip_prefix("pub ").or_else(|| line.strip_prefix("pub(")?.split_once(") ").map(|(_, rest)| rest));
    let line = public.unwrap_or(line);
    let rest = ["struct ", "enum ", "trait ", "type ", "union "].iter().find_map(|word| line.strip_prefix(word))?;
    Some(&rest[..rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len())])
}

/// Whether a name is one word, and that not a noun.
fn is_refused(name: &str) -> bool {
    let is_one_word = name.chars().filter(|c| c.is_uppercase()).count() == 1;
    let is_participle = name.ends_with("ed") && !NOUNS_IN_ED.contains(&name);
    is_one_word && (is_participle || REFUSED_WORDS.contains(&name))
}

#[test]
fn types_are_nouns() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for folder in crates() {
        for file in rust_files(&root().join(&folder).join("src")) {
            let text = fs::read_to_string(&file).expect("a source");
            for (number, name) in text.lines().enumerate().filter_map(|(at, line)| Some((at + 1, declared(line)?))) {
                seen += 1;
                let is_excepted =
                    |(place, word): &(&str, &str)| folder == Path::new(place) && (word.is_empty() || *word == name);
                if is_refused(name) && !EXCEPTIONS.iter().any(is_excepted) {
                    let file = file.strip_prefix(root()).expect("below the root");
                    wrong.push(format!("{}:{number}: {name}", file.display()));
                }
            }
        }
    }
    assert!(seen > 1000, "only {seen} types were looked at");
    wrong.sort();
    assert!(wrong.is_empty(), "these types are named by a participle, an adverb or a pronoun:\n{}", wrong.join("\n"));
}

#[test]
fn the_check_of_nouns_sees() {
    assert_eq!(declared("pub(crate) struct Held<'a> {"), Some("Held"));
    assert_eq!(declared("pub enum Found {"), Some("Found"));
    assert!(declared("    type Error = io::Error;").is_none() && declared("pub fn of(held: Held) {").is_none());
    assert!(is_refused("Held") && is_refused("Listed") && is_refused("Unparsed"));
    assert!(!is_refused("HeldSeal") && !is_refused("Feed") && !is_refused("Medium"));
}
