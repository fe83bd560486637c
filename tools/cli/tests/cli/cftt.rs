//! docs/tests/cftt.md names tests that exist, and a test for all that it does not call "not
//! offered".

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The rows of the page's tables: name, requirement, tests, state.
fn rows() -> Vec<[String; 4]> {
    let page = fs::read_to_string(here().join("../../docs/tests/cftt.md")).unwrap();
    let is_row = |line: &&str| ["| AM-", "| AO-", "| DA-"].iter().any(|start| line.starts_with(start));
    let cells = |line: &str| {
        let cells: Vec<String> = line.split('|').map(|cell| cell.trim().to_owned()).collect();
        let [_, name, asks, tests, state, _] = &cells[..] else { panic!("{line}") };
        [name, asks, tests, state].map(String::clone)
    };
    page.lines().filter(is_row).map(cells).collect()
}

fn tests(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[test]
fn every_test_that_the_matrix_names_exists() {
    let is_of_images = |name: &str| ["acquire_", "dd.", "verify"].iter().any(|start| name.starts_with(start));
    let folders = ["tests/cli", "../../tests/jobs"].map(|folder| fs::read_dir(here().join(folder)).unwrap());
    let sources: String = folders
        .into_iter()
        .flatten()
        .flatten()
        .filter(|file| is_of_images(&file.file_name().to_string_lossy()) && file.path().is_file())
        .map(|file| fs::read_to_string(file.path()).unwrap())
        .collect();
    let mut named = 0;
    for [name, _, cell, state] in rows() {
        for test in tests(&cell) {
            assert!(sources.contains(&format!("#[test]\nfn {test}()")), "{test} of {name}");
            named += 1;
        }
        assert_eq!(tests(&cell).count() == 0, state.starts_with("not offered"), "{name}: {state}");
    }
    assert!(named > 60, "{named}");
}

#[test]
fn every_assertion_has_its_row() {
    let named: BTreeSet<String> =
        rows().iter().flat_map(|[name, ..]| name.split(", ").map(str::to_owned).collect::<Vec<_>>()).collect();
    let all = (1..=10).map(|n| format!("AM-{n:02}")).chain((1..=24).map(|n| format!("AO-{n:02}")));
    for assertion in all {
        assert!(named.contains(&assertion), "{assertion}");
    }
}

/// `make cftt` takes its tests from the page: it would run the tests that the rows name.
#[test]
fn the_target_runs_the_tests_of_the_matrix() {
    let makefile = fs::read_to_string(here().join("../../Makefile")).unwrap();
    let recipe = makefile.split("\ncftt:").nth(1).expect("the target").split("\n\n").next().unwrap();
    assert!(recipe.contains("docs/tests/cftt.md") && recipe.contains("PFH_REQUIRE_INJECTORS=1"), "{recipe}");
}
