//! Programs by their imports, and the table of several methods.

use crate::compare_all::{found, rows};
use crate::executable::elf;
use crate::room::Room;
use crate::rows::{algorithms, input, list};
use pfh::Control;
use pfh::compare::{self, Request};
use pfh_inject::content;

/// Programs whose bytes say nothing, as those that were packed or encrypted.
fn packed() -> Room {
    let room = Room::new();
    let names = |from: u32, to: u32| (from..to).map(|n| format!("function_{n}")).collect::<Vec<_>>();
    room.file("p/a-first", &elf(&names(0, 40), &content(1, 30_000)));
    room.file("p/b-second", &elf(&names(4, 43), &content(2, 31_000)));
    room.file("p/c-other", &elf(&names(30, 70), &content(3, 30_000)));
    room.file("p/d-none", &content(4, 5_000));
    room
}

#[test]
fn programs_are_found_by_their_imports() {
    let room = packed();
    let mut request = Request::new(input(&room, &["p"]));
    request.algorithms = algorithms("imports");
    let pairs = found(&request);
    let [pair] = &pairs[..] else { panic!("{pairs:#?}") };
    // 36 of 43 names; each has a section of its own, too.
    assert_eq!((&*pair.0, &*pair.1, pair.2), ("a-first", "b-second", 80));
    assert_eq!((pair.3.shared_features, pair.3.contained), (Some(36), Some([87, 90])));
    for format in ["csv", "jsonl", "sums"] {
        let list = list(&room, &format!("imports.{format}"), "imports", format, &["p"]);
        assert_eq!(found(&Request::new(pfh::Input::new([&list]))), pairs, "{format}");
    }
    // Modules of one host import the same: without `-a` imports are not asked. Names are strings.
    let (all, _, _) = rows(&Request::new(input(&room, &["p"])));
    let [row] = &all[..] else { panic!("{all:#?}") };
    assert!(!row.5.contains_key("imports") && row.5.get("strings") == Some(&21), "{all:#?}");
}

/// The text of several methods is one table with a heading; that of one is its tool's.
#[test]
fn several_methods_are_one_table() {
    let room = packed();
    room.file("p/e-whole", &content(9, 30_000));
    room.file("p/f-part", &content(9, 30_000)[..20_000]);
    let text = |methods: &str, parity: bool| {
        let to = room.at(format!("pairs-{methods}-{parity}"));
        let mut request = Request::new(input(&room, &["p"])).output(&to);
        (request.algorithms, request.parity) = (algorithms(methods), parity);
        compare::write(&request, &mut |_| Ok(()), &Control::new()).unwrap();
        let text = std::fs::read_to_string(to).unwrap();
        text.replace(room.at("p/").to_str().unwrap(), "")
    };
    let table = text("ssdeep,imports,shingles", false);
    let heading = "algorithm        score         shared  a in b  b in a  resemblance  a\tb\n";
    let row = "\nimports             80       36 names      87      90           79  a-first\tb-second\n";
    assert!(table.starts_with(heading) && table.contains(row), "{table}");
    let table = text("ssdeep,sdhash,shingles", false);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.len(), 4, "{table}");
    assert!(rows.iter().skip(1).all(|row| row[row.len() - 2..] == ["e-whole", "f-part"]), "{table}");
    assert_eq!(rows.iter().skip(1).map(|row| row[0]).collect::<Vec<_>>(), ["ssdeep", "sdhash", "shingles"], "{table}");
    // Those who asked for the tools' answers have the tools' forms.
    assert!(text("ssdeep,sdhash", true).starts_with("f-part matches e-whole ("));
    assert!(text("ssdeep", false).starts_with("f-part matches e-whole ("));
}
