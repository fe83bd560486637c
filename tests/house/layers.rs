//! The crates depend on each other only along the arrows that docs/design.md draws.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

/// Each crate of the workspace with the crates that it may depend on: the drawing in
/// docs/design.md, line by line. An arrow reaches through: a crate that may depend on B may depend
/// on all crates that B may depend on.
const DRAWN: &[(&str, &[&str])] = &[
    ("pfh-kernel", &[]),
    ("pfh-digest", &["pfh-kernel"]),
    ("pfh-tree", &["pfh-digest"]),
    ("pfh-similarity", &["pfh-digest"]),
    ("pfh-container", &["pfh-digest"]),
    ("pfh-encrypted", &["pfh-container"]),
    ("pfh-bytes", &["pfh-container"]),
    ("pfh-archive", &["pfh-bytes"]),
    ("pfh-volume", &["pfh-bytes"]),
    ("pfh-source", &["pfh-digest", "pfh-container"]),
    ("pfh-prefetch", &["pfh-source"]),
    ("pfh-inside", &["pfh-archive", "pfh-encrypted", "pfh-source", "pfh-volume"]),
    ("pfh-remote", &["pfh-source"]),
    ("pfh-engine", &["pfh-prefetch", "pfh-tree"]),
    ("pfh-writer", &["pfh-engine"]),
    ("pfh-manifest", &["pfh-engine", "pfh-similarity"]),
    ("pfh-ledger", &["pfh-manifest"]),
    ("pfh-custody", &["pfh-manifest"]),
    ("pfh-report", &["pfh-manifest"]),
    ("pfh-sqlite", &[]),
    ("pfh-known", &["pfh-manifest", "pfh-sqlite"]),
    ("pfh-pairs", &["pfh-manifest"]),
    ("pfh-outboard", &["pfh-engine", "pfh-tree", "pfh-sqlite"]),
    ("pfh-cache", &["pfh-engine", "pfh-sqlite"]),
    ("pfh-audit", &["pfh-outboard"]),
    (
        "pfh",
        &[
            "pfh-inside",
            "pfh-remote",
            "pfh-writer",
            "pfh-custody",
            "pfh-ledger",
            "pfh-report",
            "pfh-known",
            "pfh-pairs",
            "pfh-audit",
            "pfh-cache",
        ],
    ),
    ("pfh-bench", &["pfh"]),
    ("pfh-cli", &["pfh-bench"]),
    ("pfh-python", &["pfh-cli"]),
    // The fault injectors are outside: they know the program only by running it, so that they
    // cannot share its mistakes.
    ("pfh-inject", &[]),
    ("pfh-schemas", &[]),
    ("pfh-unified", &["pfh-custody", "pfh-similarity"]),
    // The worlds know the jobs and the seam of the system below them.
    ("pfh-world", &["pfh"]),
];

/// The crates that a crate's tests may use beside its own arrows.
const TESTS_MAY_USE: &[&str] = &["pfh-inject", "pfh-schemas", "pfh-unified"];

/// The manifests of the workspaces, relative to the root.
const WORKSPACES: &[&str] = &["Cargo.toml", "media/Cargo.toml"];

/// The crates of the workspaces.
fn packages() -> Vec<Value> {
    WORKSPACES.iter().flat_map(|manifest| packages_of(manifest)).collect()
}

fn packages_of(manifest: &str) -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline", "--manifest-path", manifest])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    metadata["packages"].as_array().expect("packages").clone()
}

/// Everything reachable from `name` along the arrows.
fn reachable<'a>(drawn: &BTreeMap<&str, &'a [&'a str]>, name: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&str> = drawn.get(name).copied().unwrap_or_default().to_vec();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(drawn.get(next).copied().unwrap_or_default());
        }
    }
    found
}

/// One sentence for each dependency between our crates that the drawing does not allow.
fn undrawn(drawn: &[(&str, &[&str])], packages: &[Value]) -> Vec<String> {
    let arrows: BTreeMap<&str, &[&str]> = drawn.iter().copied().collect();
    let mut wrong = Vec::new();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        if !arrows.contains_key(name) {
            wrong.push(format!("{name} is not drawn"));
        }
        let allowed = reachable(&arrows, name);
        for dependency in package["dependencies"].as_array().expect("dependencies") {
            let other = dependency["name"].as_str().expect("a name");
            let ours = dependency["path"].is_string();
            // A crate's tests may ask for its own features, which reads as a dependency on itself.
            let for_tests = dependency["kind"] == "dev" && (TESTS_MAY_USE.contains(&other) || other == name);
            if ours && !allowed.contains(other) && !for_tests {
                wrong.push(format!("{name} -> {other} is not drawn"));
            }
        }
    }
    wrong
}

#[test]
fn every_dependency_is_drawn_in_the_design() {
    for manifest in WORKSPACES {
        assert!(packages_of(manifest).len() >= 5, "cargo metadata lists the workspace of {manifest}");
    }
    let packages = packages();
    assert_eq!(undrawn(DRAWN, &packages), Vec::<String>::new());
    // The other way round, a crate that went is still drawn.
    let names: BTreeSet<&str> = packages.iter().filter_map(|package| package["name"].as_str()).collect();
    let gone: Vec<_> = DRAWN.iter().filter(|(name, _)| !names.contains(name)).collect();
    assert!(gone.is_empty(), "drawn, and not there: {gone:?}");
}

#[test]
fn an_arrow_too_many_is_found() {
    // The same workspace against a drawing that lacks engine -> prefetch must fail: this check can
    // see.
    let without: Vec<_> = DRAWN
        .iter()
        .map(|&(name, arrows)| if name == "pfh-engine" { (name, &[][..]) } else { (name, arrows) })
        .collect();
    assert!(undrawn(&without, &packages()).iter().any(|wrong| wrong == "pfh-engine -> pfh-prefetch is not drawn"));
}

/// The crates of a build of `pfh` with these features, by name.
fn built_with(features: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--package=pfh", "--edges=normal", "--prefix=none", "--format={p}", "--offline"])
        .args(["--no-default-features", "--features", features])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

#[test]
fn without_features_neither_sqlite_nor_http_nor_signatures_nor_decompressors_are_built() {
    let heavy = ["libsqlite3-sys", "lzma-rust2", "ureq", "ed25519-dalek", "image-webp"];
    let of = |features| built_with(features).into_iter().filter(|name| heavy.contains(&&**name)).collect::<Vec<_>>();
    assert!(of("").is_empty(), "{:?}", of(""));
    assert_eq!(of("known"), ["libsqlite3-sys"]);
    assert_eq!(of("inside"), ["lzma-rust2"]);
    assert_eq!(of("image"), ["ed25519-dalek"]);
    assert_eq!(of("pictures"), ["image-webp"]);
    // Catalogues of directories are kept by SQLite.
    assert_eq!(of("audit"), ["ed25519-dalek", "libsqlite3-sys"]);
    assert_eq!(of("serve"), ["ed25519-dalek", "libsqlite3-sys", "ureq"]);
}

/// The first build has the arguments of `pfh bench`, and not the dependencies of `pfh-bench`.
#[test]
fn the_program_is_built_without_what_the_benchmark_needs() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--edges=normal", "--prefix=none", "--format={p} {f}", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "cargo tree: {}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("UTF-8");
    let built: BTreeSet<&str> = lines.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(built.contains("pfh-cli") && built.contains("pfh-bench"), "{built:?}");
    for heavy in ["md-5", "sha1", "sha3", "parquet", "rustls"] {
        assert!(!built.contains(heavy), "{heavy}");
    }
    // The file of defaults needs the parser alone; the benchmark's studies bring serde's part.
    let toml: BTreeSet<&str> = lines.lines().filter(|line| line.starts_with("toml v")).collect();
    let with_serde = toml.iter().any(|line| line.contains("serde"));
    assert!(toml.len() == 1 && !with_serde, "{toml:?}");
}

#[test]
fn the_drawing_has_no_cycle() {
    let arrows: BTreeMap<&str, &[&str]> = DRAWN.iter().copied().collect();
    for &(name, _) in DRAWN {
        assert!(!reachable(&arrows, name).contains(name), "{name} reaches itself");
    }
}
