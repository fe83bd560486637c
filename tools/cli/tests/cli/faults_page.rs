//! docs/tests/faults.md names tests that exist, and every test of `faults_*.rs`. Its last section
//! has the faults that no test causes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The tests that a line of the page names: words in backquotes with an underscore and without
/// capitals or punctuation.
fn named(line: &str) -> Vec<&str> {
    let is_test = |word: &&str| {
        word.contains('_') && word.chars().all(|c| c == '_' || c.is_ascii_lowercase() || c.is_ascii_digit())
    };
    line.split('`').skip(1).step_by(2).filter(is_test).collect()
}

/// The names of the tests in a Rust or Python source.
fn defined(source: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut is_test = false;
    for line in source.lines().map(str::trim_start) {
        is_test |= line.starts_with("#[test]");
        if let Some(rest) = line.strip_prefix("fn ") {
            if is_test {
                found.extend(rest.split('(').next());
            }
            is_test = false;
        } else if let Some(rest) = line.strip_prefix("def ").filter(|rest| rest.starts_with("test_")) {
            found.extend(rest.split('(').next());
        }
    }
    found
}

/// The sources below a folder, without build output and environments.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "target" && !name.starts_with('.') {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "py") {
            found.push(path);
        }
    }
}

#[test]
fn the_page_and_the_tests_agree() {
    let page = fs::read_to_string(root().join("docs/tests/faults.md")).expect("the page");
    let mut files = Vec::new();
    for folder in ["algorithms", "media", "pipeline", "records", "src", "stores", "tests", "tools"] {
        sources(&root().join(folder), &mut files);
    }
    let (mut all, mut of_faults) = (BTreeSet::new(), BTreeSet::new());
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let is_of_faults = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("faults_"));
        for test in defined(&text).into_iter().map(str::to_owned) {
            if is_of_faults {
                of_faults.insert(test.clone());
            }
            all.insert(test);
        }
    }
    // This file's own test is about the page, not about a fault.
    of_faults.remove("the_page_and_the_tests_agree");
    let mut on_page = BTreeSet::new();
    let (caused, _) = page.split_once("## Faults that no test causes\n").expect("the section at the end");
    for line in caused.lines().filter(|line| line.starts_with("- ")) {
        assert!(!named(line).is_empty(), "no test: {line}");
        on_page.extend(named(line).into_iter().map(str::to_owned));
    }
    let unknown: Vec<&String> = on_page.difference(&all).collect();
    assert!(unknown.is_empty(), "the page names tests that do not exist: {unknown:?}");
    let missing: Vec<&String> = of_faults.difference(&on_page).collect();
    assert!(missing.is_empty(), "the page lacks these tests: {missing:?}");
    assert!(on_page.len() > 100 && of_faults.len() > 40, "{} {}", on_page.len(), of_faults.len());
}
