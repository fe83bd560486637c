//! Every runner whose runtime is installed is built and run on two messages; missing ones are
//! listed.

use pfh_bench::message::{Message, Method};
use pfh_bench::study::{Answer, Catalogue};
use std::path::Path;
use std::process::{Command, Output};

fn run(command: &[String], operands: &[&str]) -> Output {
    Command::new(&command[0]).args(&command[1..]).args(operands).output().unwrap()
}

#[test]
fn runners_give_right_digests_and_refuse_bad_input() {
    // Compilers of other languages: a minute of building, and the tier of foreign programs.
    if pfh_inject::lacks(&[pfh_inject::Need::Program("cc")]) {
        return;
    }
    let runners = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/runners");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runners");
    let catalogue = Catalogue::build(&runners, &out, &|_| true, &mut |_, _, _| ()).unwrap();
    for missing in &catalogue.missing {
        eprintln!("NOT TESTED: {}: {}; {}", missing.rows.join(", "), missing.reason, missing.install);
    }
    // Where the tools of all tests were installed, no runtime that `bench/runners/install` gets
    // from Debian may be missing.
    if std::env::var_os("PFH_REQUIRE_INJECTORS").is_some() {
        for row in ["c-openssl", "csharp-mono", "perl", "php", "python", "ruby"] {
            assert!(catalogue.rows.iter().any(|found| found.name == row), "{row} is missing; bench/runners/install");
        }
    }
    assert!(catalogue.rows.iter().any(|row| row.name == "pfh"), "cargo is here, so the Rust rows are: {catalogue:?}");

    let directory = tempfile::tempdir().unwrap();
    // `pfh-many` takes another number of messages from 1 MiB on.
    let messages = [0, 1_100_003].map(|bytes| Message::create(directory.path(), bytes, 9).unwrap());
    for row in &catalogue.rows {
        let name = &row.name;
        for method in Method::ALL {
            for message in &messages {
                let path = message.path.to_str().unwrap();
                let json = run(&row.command, &["--json", "3", "1", method.name(), path]);
                if !row.methods.contains(&method) {
                    assert_eq!(json.status.code(), Some(2), "{name} {method}");
                    continue;
                }
                let text = String::from_utf8(json.stdout).unwrap();
                let answer = Answer::parse(&text, 3).unwrap_or_else(|error| panic!("{name} {method}: {error}\n{text}"));
                let expected = message.expected(method).unwrap();
                assert_eq!(answer.fault(message.bytes, &expected), None, "{name} {method}");
                assert!(answer.repeats.iter().all(|repeat| repeat.wall_ns > 0), "{name} {method}: a clock that stands");

                // The study's own form: INDEX HEXDIGEST ELAPSED_MS.
                let lines = String::from_utf8(run(&row.command, &["2", "0", method.name(), path]).stdout).unwrap();
                let fields: Vec<Vec<&str>> = lines.lines().map(|line| line.split(' ').collect()).collect();
                assert_eq!(fields.len(), 2, "{name} {method}: {lines}");
                for (index, fields) in fields.iter().enumerate() {
                    assert_eq!(fields[..2], [index.to_string(), expected.clone()], "{name} {method}");
                    fields[2].parse::<u64>().unwrap();
                }
            }
        }
        let (method, path) = (row.methods[0].name(), messages[1].path.to_str().unwrap());
        let nowhere = directory.path().join("nowhere");
        let bad: &[&[&str]] = &[
            &[],
            &["--json"],
            &["1", "1", method],
            &["1", "1", method, path, "more"],
            &["0", "1", method, path],
            &["1", "-1", method, path],
            &["x", "1", method, path],
            &["1", "1", "md6", path],
            &["1", "1", method, nowhere.to_str().unwrap()],
            &["1", "1", method, directory.path().to_str().unwrap()],
        ];
        for operands in bad {
            let output = run(&row.command, operands);
            assert_eq!(output.status.code(), Some(2), "{name} {operands:?}");
            assert!(output.stdout.is_empty(), "{name} {operands:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("usage: "), "{name} {operands:?}");
        }
    }
    eprintln!("tested: {}", catalogue.rows.iter().map(|row| row.name.as_str()).collect::<Vec<_>>().join(", "));
}
