//! docs/cftt.md names tests that exist.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_matrix_names_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let matrix = fs::read_to_string(here.join("../../docs/cftt.md")).unwrap();
    let sources: String =
        ["acquire_sources.rs", "acquire_targets.rs", "acquire_resumed.rs", "acquire_images.rs", "dd.rs"]
            .iter()
            .map(|name| fs::read_to_string(here.join("tests").join(name)).unwrap())
            .collect();
    let mut named = 0;
    for line in matrix.lines().filter(|line| line.starts_with("| A")) {
        let tests = line.split('|').nth(3).unwrap();
        for test in tests.split('`').skip(1).step_by(2) {
            assert!(sources.contains(&format!("fn {test}(")), "{test} of {line}");
            named += 1;
        }
    }
    assert!(named > 25, "{named}");
}
