//! An algorithm stands in three places: its constructor, its line in the registry, its vectors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use pfh_digest::Algorithm;

const HERE: &str = env!("CARGO_MANIFEST_DIR");

fn files(directory: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_name_stands_in_one_line_of_the_registry_and_nowhere_else() {
    // The grid of lengths and the vectors under every kernel are tests that need the crate's
    // inside.
    let is_test = |path: &std::path::PathBuf| path.ends_with("many/grid.rs") || path.ends_with("many/cavp.rs");
    let sources: Vec<_> = files(&Path::new(HERE).join("src")).into_iter().filter(|path| !is_test(path)).collect();
    assert!(sources.len() > 5);
    for algorithm in Algorithm::all() {
        let quoted = format!("\"{}\"", algorithm.name());
        let mut places = Vec::new();
        for source in &sources {
            for line in fs::read_to_string(source).unwrap().lines() {
                // Documentation may name anything.
                if line.contains(&quoted) && !line.trim_start().starts_with("//") {
                    places.push(source.file_name().unwrap().to_owned());
                }
            }
        }
        assert_eq!(places, ["registry.rs"], "{quoted}");
    }
}

#[test]
fn every_row_has_vectors_and_all_vectors_have_a_row() {
    let rows: BTreeSet<String> = Algorithm::all().map(|algorithm| algorithm.name().to_owned()).collect();
    let vectors: BTreeSet<String> = files(&Path::new(HERE).join("../../vectors/digest"))
        .iter()
        .filter_map(|path| path.file_name().unwrap().to_str().unwrap().strip_suffix(".txt.gz").map(str::to_owned))
        .collect();
    assert_eq!(rows, vectors);
}
