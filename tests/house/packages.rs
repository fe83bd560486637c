//! Packages are built with every feature that a user can ask for, wherever a script names
//! features: a package without stores would only say so at the first `s3://`.

use super::root;
use std::collections::BTreeSet;
use std::fs;

/// Features of the program that only tests ask for.
const OF_TESTS: &[&str] = &["portable-os", "schema"];

/// Where features are named, how, and which cannot be had there: the page says so.
const LISTS: &[(&str, &str, &[&str])] = &[
    ("dist/build", "-p pfh-cli --features ", &[]),
    ("dist/sbom", "sys.argv[1:] or (host, \"", &[]),
    // One file, and `pfh bench` starts a second program.
    ("dist/windows", "\nfeatures=", &["bench"]),
    // The same.
    ("dist/macos", "-p pfh-cli --features ", &["bench"]),
    ("dist/macos", "dist/sbom \"$arch-apple-darwin\" ", &["bench"]),
    // Those of the tests.
    (".ci/run", "\nfeatures=", &[]),
    ("Makefile", ".ci/further \"$(CARGO) test --locked\" --features ", &[]),
];

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A table of a Cargo.toml: its lines, each a name and the rest.
fn table(path: &str, header: &str) -> Vec<(String, String)> {
    let text = read(path);
    let lines = text.lines().skip_while(|line| *line != header).skip(1).take_while(|line| !line.starts_with('['));
    let pairs = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = "));
    pairs.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
}

/// The texts in quotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The features of the program that no default has and no test alone asks for.
fn optional() -> BTreeSet<String> {
    let all = table("tools/cli/Cargo.toml", "[features]");
    let default = all.iter().find(|(name, _)| name == "default").map(|(_, list)| quoted(list)).expect("a default");
    let names = all.into_iter().map(|(name, _)| name);
    names.filter(|name| name != "default" && !default.contains(name) && !OF_TESTS.contains(&&**name)).collect()
}

#[test]
fn the_optional_features_are_read_as_cargo_has_them() {
    let known = ["bench", "parquet", "remote", "screen"].map(str::to_owned);
    assert!(optional().is_superset(&known.into()), "{:?}", optional());
}

#[test]
fn each_package_has_every_feature_that_can_be_had() {
    for (path, before, without) in LISTS {
        let text = read(path);
        let (_, behind) = text.split_once(before).unwrap_or_else(|| panic!("{path}: no {before:?}"));
        let list = behind.split([' ', '"', '\n']).next().unwrap_or_default();
        let named = list.split(',').filter_map(|one| match one.split_once('/') {
            None => Some(one),
            Some(("pfh-cli", one)) => Some(one),
            Some(_) => None,
        });
        let named: BTreeSet<String> = named.map(str::to_owned).filter(|one| !OF_TESTS.contains(&&**one)).collect();
        let wanted: BTreeSet<String> = optional().into_iter().filter(|one| !without.contains(&&**one)).collect();
        assert_eq!(named, wanted, "{path}: {before:?}");
    }
}

#[test]
fn the_wheel_has_every_feature() {
    let program = table("tools/python/Cargo.toml", "[dependencies]");
    let (_, program) = program.into_iter().find(|(name, _)| name == "pfh-cli").expect("the program");
    let always = quoted(program.split_once("features").expect("features").1);
    let asked = table("pyproject.toml", "[tool.maturin]");
    let asked = quoted(&asked.into_iter().find(|(name, _)| name == "features").expect("features").1);
    // Each that pyproject.toml asks for is one of the module, and hands the program's on.
    let own = table("tools/python/Cargo.toml", "[features]");
    let handed = own.iter().filter(|(name, _)| asked.contains(name));
    let handed = handed.flat_map(|(_, list)| quoted(list));
    let handed = handed.filter_map(|one| one.strip_prefix("pfh-cli/").map(str::to_owned));
    assert_eq!(always.into_iter().chain(handed).collect::<BTreeSet<String>>(), optional());
    let dev = read("tools/python/cargo");
    assert!(asked.iter().all(|name| dev.contains(&format!("pfh-python/{name}"))), "tools/python/cargo: {asked:?}");
    assert_eq!(asked, own.into_iter().map(|(name, _)| name).collect());
}

#[test]
fn the_pages_say_where_a_feature_is_missing() {
    let macos = read("docs/macos.md");
    // Of the wheels; the program has them.
    assert!(macos.contains("without stores of objects") && !read("dist/macos.txt").contains("stores of objects"));
    assert!(macos.contains("pfh bench") && read("docs/windows.md").contains("pfh bench"));
}

/// `media/` is a workspace of its own, so that its version, lints and profiles stand there again.
#[test]
fn the_two_workspaces_agree() {
    for header in ["[workspace.package]", "[workspace.lints.rust]", "[workspace.lints.clippy]", "[profile.release]"] {
        assert_eq!(table("media/Cargo.toml", header), table("Cargo.toml", header), "{header}");
        assert!(!table("Cargo.toml", header).is_empty(), "{header}");
    }
    let whole = table("Cargo.toml", "[profile.dev]");
    assert_eq!(table("media/Cargo.toml", "[profile.dev]"), whole);
    let whole = table("Cargo.toml", "[profile.dev.package]");
    let part = table("media/Cargo.toml", "[profile.dev.package]");
    let other: Vec<_> = part.iter().filter(|line| !whole.contains(line)).collect();
    assert!(part.len() > 20 && other.is_empty(), "{other:?}");
}

/// A crate is tested in the version that the program has.
#[test]
fn media_is_tested_with_the_crates_of_the_program() {
    let [whole, part] = ["Cargo.lock", "media/Cargo.lock"].map(|path| {
        let text = read(path);
        let packages = text.split("[[package]]\n").skip(1).map(|package| {
            let lines: Vec<&str> = package.lines().take(2).collect();
            lines.join(" ")
        });
        packages.collect::<BTreeSet<String>>()
    });
    let other: Vec<_> = part.difference(&whole).collect();
    assert!(part.len() > 50 && other.is_empty(), "only in media/Cargo.lock: {other:?}");
}
