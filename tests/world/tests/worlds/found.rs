//! The worlds that once broke a law.

use pfh_world::play::{Keep, play};
use pfh_world::script::Script;
use std::path::Path;

/// Each file in `found` is a shrunk script; its first line has the seed and the defect.
#[test]
fn the_worlds_that_broke_a_law_keep_it_now() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("found");
    let mut played = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let script: Script = std::fs::read_to_string(&path).unwrap().parse().unwrap();
        let world = play(&script, Keep::Breaches).unwrap();
        let broken: Vec<String> = world.breaches.iter().map(ToString::to_string).collect();
        assert!(broken.is_empty(), "{}: {broken:#?}", path.display());
        played += 1;
    }
    assert!(played > 2, "{played} scripts");
}
