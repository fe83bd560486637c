//! The same requests through the program and the library: rows and exits are equal. The table is
//! tests/conformance/table.json, which the Python package's test reads as well.
#![cfg(unix)]

mod library;

use crate::program::Room;
use library::library;
use pfh::manifest::row;
use pfh_inject::Trial;
use serde_json::Value;

const TABLE: &str = include_str!("../../../../tests/conformance/table.json");
/// The facts that a list and its tree can be, with the exit for each, and who is asked.
const FACTS: &str = include_str!("../../../../tests/conformance/facts.json");
const MAKE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/room.sh");

/// The cases of the table, and each question about each fact.
fn cases() -> Vec<Value> {
    let facts: Value = serde_json::from_str(FACTS).unwrap();
    let exits = facts["exits"].as_object().unwrap();
    let about = |(fact, exit): (&String, &Value)| {
        let asks = facts["asks"].to_string().replace("FACT", fact);
        let mut asks: Vec<Value> = serde_json::from_str(&asks).unwrap();
        asks.iter_mut().for_each(|ask| ask["exit"] = exit.clone());
        asks
    };
    let table: Vec<Value> = serde_json::from_str(TABLE).unwrap();
    table.into_iter().chain(exits.iter().flat_map(about)).collect()
}

/// The room of the table, made once for a test.
fn room() -> Room {
    let room = Room::new();
    let made =
        Trial::new("bash").args([MAKE, env!("CARGO_BIN_EXE_pfh")]).input("").directory(room.path()).run().unwrap();
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    room
}

/// The rows that the program prints, in the words of the table, and its exit.
fn program(room: &Room, case: &Value) -> (Vec<String>, i32) {
    let words = case["argv"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).input("").directory(room.path()).run().unwrap();
    let lines = String::from_utf8_lossy(&seen.stdout).into_owned();
    let rows = lines.lines().flat_map(|line| of_json(case, &serde_json::from_str(line).expect(line))).collect();
    let code = seen.code.expect("an exit");
    // A good verdict and a good exit are one.
    let last: Option<Value> = lines.lines().last().and_then(|line| serde_json::from_str(line).ok());
    if let Some(verdict) =
        last.filter(|line| line["type"] == "summary").and_then(|line| line["verdict"].as_str().map(str::to_owned))
    {
        assert_eq!(verdict == "verified", code == 0, "{}: {verdict}, exit {code}", case["id"]);
    }
    assert!(case["exit"].is_null() || case["exit"] == code, "{}: exit {code}\n{lines}{}", case["id"], seen.stderr);
    assert!(code == 0 || !lines.is_empty() || !seen.stderr.is_empty(), "{}: exit {code} without a word", case["id"]);
    (rows, code)
}

/// A line of the program's JSON as rows.
fn of_json(case: &Value, line: &Value) -> Vec<String> {
    let text = |key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let one = match (case["job"].as_str().unwrap(), line["type"].as_str().unwrap_or_default()) {
        ("hash", "file") => {
            let digests = line["digests"].as_object().unwrap();
            let mut digests: Vec<String> =
                digests.iter().map(|(name, hex)| format!("{name}:{}", hex.as_str().unwrap())).collect();
            digests.sort();
            format!("hashed {} {}", text("path"), digests.join(" "))
        }
        ("hash", "error") => format!("failed {} {}", text("path"), text("code")),
        ("hash", "skipped") => format!("skipped {}", text("path")),
        ("check", "check") => format!("{} {}", text("result"), text("path")),
        ("check", "audit") => format!("{} {}", text("class"), text("path")),
        ("list", "file") => format!("file {} {}", text("path"), line["size"]),
        ("list", "error") => format!("failed {} {}", text("path"), text("code")),
        ("list", "skipped") => format!("skipped {}", text("path")),
        ("extract", "file") => format!("file {} {} {}", text("member"), line["size"], line["digests"]["sha256"]),
        ("extract", word @ ("error" | "skipped")) => format!("{word} {} {}", text("path"), text("code")),
        ("cat", "run") => format!("run {} {} {}", text("path"), line["offset"], line["length"]),
        ("disks", "disk") => {
            let parts = line["partitions"].as_array().unwrap().iter();
            let parts: Vec<&str> = parts.map(|part| part["content"]["state"].as_str().unwrap()).collect();
            format!("{} {} {} {} {}", text("path"), line["size"], text("model"), text("serial"), parts.join(" "))
        }
        ("tree", "checked") => format!("{} {} {}", text("verdict"), text("path"), line["corrupt"]),
        ("receive", "received") => format!("{} {} {}", text("path"), text("root"), line["length"]),
        ("compare", "pair") => format!("{} {} {}", text("a"), text("b"), line["similarity"]),
        ("compare", "related") => {
            let shared = line["shared_bytes"].as_u64().map_or("-".into(), |bytes| bytes.to_string());
            let contained = line["a_in_b"].as_u64().zip(line["b_in_a"].as_u64()).map(|(a, b)| [a, b]);
            format!("{} {} {} {} {shared} {contained:?}", text("a"), text("b"), text("relation"), line["score"])
        }
        ("groups", "cluster") => {
            let members: Vec<&str> =
                line["members"].as_array().unwrap().iter().map(|of| of["path"].as_str().unwrap()).collect();
            format!("{} {} {}", line["cluster"], line["weakest"], members.join(" "))
        }
        ("diff", "diff") => format!("{} {}", text("class"), text("path")),
        ("bag", "finding") => format!("{} {} {}", text("severity"), text("path"), text("what")),
        ("dups", "group") => format!("{} {}", text("digest"), line["copies"].as_array().unwrap().len()),
        ("dups", "shared") => {
            format!("{} {} {}", line["files"][0]["path"], line["files"][1]["path"], line["bytes"])
        }
        ("match", "match") => format!("{} {}", text("verdict"), text("path")),
        ("sectors", "fragment") => {
            format!("{} {} {} {}", text("verdict"), text("path"), line["offset"], line["length"])
        }
        ("lookup", "lookup") => format!("{} {}", text("verdict"), text("digest")),
        ("audit", "audit") => format!("{} {}", text("verdict"), text("audit")),
        ("verify", _) => format!("{} {}", text("verdict"), line["compared"].as_array().unwrap().len()),
        _ => return Vec::new(),
    };
    vec![one]
}

/// Set for the process that answers in the room.
const IN_ROOM: &str = "PFH_CONFORMANCE_ROOM";

/// Not a test by itself: the process below runs it in the room, so that names are relative.
#[test]
fn library_in_the_room() {
    if std::env::var_os(IN_ROOM).is_none() {
        return;
    }
    for case in cases() {
        let (rows, exit) = library(&case);
        println!("CASE {}", row::object(&(case["id"].as_str().unwrap(), rows, exit)));
    }
}

#[test]
fn the_program_and_the_library_give_the_same_answers() {
    let room = room();
    let own = std::env::current_exe().unwrap();
    let words = ["--exact", "conformance::library_in_the_room", "--nocapture"];
    let seen = Trial::new(own)
        .under(["env", &format!("{IN_ROOM}=1")])
        .args(words)
        .input("")
        .directory(room.path())
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(0), "{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    let stdout = String::from_utf8_lossy(&seen.stdout).into_owned();
    let answers = stdout.lines().filter_map(|line| line.split_once("CASE ")).map(|(_, json)| json);
    let answers: Vec<(String, Vec<String>, i32)> =
        answers.map(|json| serde_json::from_str(json).expect(json)).collect();
    let cases = cases();
    assert!(cases.len() >= 40 && answers.len() == cases.len(), "{} of {} cases", answers.len(), cases.len());
    let mut wrong = Vec::new();
    for (case, (id, rows, exit)) in cases.iter().zip(answers) {
        assert_eq!(case["id"], id);
        let (printed, code) = program(&room, case);
        if (&printed, code) != (&rows, exit) {
            wrong.push(format!("{id}\n  program {code} {printed:?}\n  library {exit} {rows:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
