//! docs/cftt.md names tests that exist.

use std::fs;
use std::path::Path;

#[test]
fn every_test_that_the_matrix_names_exists() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let matrix = fs::read_to_string(here.join("../../docs/cftt.md")).unwrap();
    let is_of_images = |name: &str| ["acquire_", "dd.", "verify."].iter().any(|start| name.starts_with(start));
    let files = fs::read_dir(here.join("tests/cli")).unwrap().flatten();
    let sources: String = files
        .filter(|file| is_of_images(&file.file_name().to_string_lossy()))
        .map(|file| fs::read_to_string(file.path()).unwrap())
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
