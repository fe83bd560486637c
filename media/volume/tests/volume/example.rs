//! The example `files`, which runs as it is.

#[path = "../../examples/files.rs"]
#[allow(dead_code, reason = "its main function")]
mod files;

use crate::image::{Bench, open, poke, run, run_with, text};
use crate::tree;
use pfh_inject::{Need, lacks};
use std::collections::BTreeSet;
use std::fs;

#[test]
fn it_prints_the_digests_that_sha256sum_prints() {
    if lacks(&[Need::Program("mke2fs"), Need::Program("sfdisk"), Need::Program("sha256sum")]) {
        return;
    }
    let bench = Bench::new();
    let root = bench.path("tree");
    tree::plain(&root);
    let part = bench.blank("part", 40 << 20);
    run("mke2fs", &["-q", "-F", "-t", "ext4", "-d", text(&root), text(&part)]);
    let sums = run("sh", &["-c", "cd \"$0\" && find * -type f -exec sha256sum {} +", text(&root)]);
    let expected: BTreeSet<(String, String)> = sums
        .lines()
        .filter_map(|line| line.split_once("  "))
        .map(|(sum, name)| (format!("p1/{name}"), sum.to_owned()))
        .collect();
    assert!(expected.len() > 400);

    let disk = bench.blank("disk", 48 << 20);
    run_with("sfdisk", &["--quiet", text(&disk)], b"label: gpt\nstart=2048,size=81920\n");
    poke(&disk, 1 << 20, &fs::read(&part).unwrap());
    let found: BTreeSet<(String, String)> = files::files(&open(&disk)).into_iter().map(Result::unwrap).collect();
    assert_eq!(found, expected);

    // A partition without a file system is named.
    poke(&disk, 1 << 20, &[0; 8192]);
    let found = files::files(&open(&disk));
    assert!(found.iter().any(|line| line.as_ref().is_err_and(|cause| cause.starts_with("p1/"))), "{found:?}");
}
