//! The crate against the plain implementations, and against ssdeep itself where there is one, over
//! real files.
//!
//! `PFH_CORPUS` names a directory with files (all below it are taken), `PFH_SSDEEP` a program that
//! is ssdeep 2.14. Without them the files of this crate and of its vectors are taken, and ssdeep is
//! left out.

use pfh_similarity::mrsh_v2::MrshV2;
use pfh_similarity::sdhash::Sdhash;
use pfh_similarity::ssdeep::{self, Ssdeep};
use pfh_similarity::{Method, naive};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    match std::env::var_os("PFH_CORPUS") {
        Some(corpus) => collect(Path::new(&corpus), &mut files),
        None => {
            let here = Path::new(env!("CARGO_MANIFEST_DIR"));
            collect(&here.join("src"), &mut files);
            collect(&here.join("tests"), &mut files);
            collect(&here.join("../../vectors/similarity"), &mut files);
        }
    }
    files.sort();
    assert!(files.len() > 20);
    files
}

fn check(path: &Path) {
    let data = std::fs::read(path).unwrap();
    let name = path.display();
    assert_eq!(Ssdeep.digest(&data).unwrap().to_string(), naive::ssdeep::digest(&data, false, false), "ssdeep {name}");
    for (method, network) in [(MrshV2::PLAIN, false), (MrshV2::NETWORK, true)] {
        let plain = naive::mrsh_v2::print(&naive::mrsh_v2::digest(&data, 160, 160, network), "");
        assert!(method.digest(&data).unwrap().to_string() == plain, "{} {name}", method.name());
    }
    for (method, plain) in [
        (Sdhash::STREAM, naive::sdhash::stream(&data, "")),
        (Sdhash::BLOCKS, naive::sdhash::blocks(&data, "", 16 << 10)),
    ] {
        let found = method.digest(&data).ok().map(|digest| digest.to_string());
        assert!(found == plain.map(|digest| naive::sdhash::print(&digest)), "{} {name}", method.name());
    }
}

#[test]
fn digests_are_those_of_the_plain_implementations() {
    let files = files();
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    check(path);
                }
            });
        }
    });
    println!("{} files", files.len());
}

#[test]
fn digests_are_those_of_ssdeep() {
    let Some(program) = std::env::var_os("PFH_SSDEEP") else {
        println!("no PFH_SSDEEP");
        return;
    };
    let files = files();
    let mut found = BTreeMap::new();
    for files in files.chunks(500) {
        let output = Command::new(&program).arg("-s").args(files).output().unwrap();
        let text = output.stdout;
        for line in text.split(|&c| c == b'\n').skip(1).filter(|line| !line.is_empty()) {
            let (digest, name) = ssdeep::parse_line(line).unwrap();
            found.insert(String::from_utf8(name).unwrap(), digest);
        }
    }
    assert_eq!(found.len(), files.len());
    for path in &files {
        let data = std::fs::read(path).unwrap();
        assert_eq!(found[path.to_str().unwrap()], Ssdeep.digest(&data).unwrap(), "{}", path.display());
    }
    println!("{} files", files.len());
}
