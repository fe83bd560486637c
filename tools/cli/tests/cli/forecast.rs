//! `pfh bench forecast`, `bench sizes` and `bench fit`: each reads the output of the one before.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::Room;
use pfh_inject::{Need, Outcome, Trial, lacks};
use serde_json::Value;

fn bench(room: &Room, arguments: &[&str]) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .arg("bench")
        .args(arguments)
        .directory(room.path())
        .limit(Duration::from_secs(300))
        .run()
        .unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8(seen.stdout.clone()).unwrap()
}

fn json(seen: &Outcome) -> Value {
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    serde_json::from_str(&text(seen)).unwrap()
}

/// A case of 66 files of nine sizes.
fn case(room: &Room) {
    for n in 0..66_usize {
        room.file(format!("d/{}/{n}", n % 3), &vec![n as u8; n % 9 * 700]);
    }
    fs::create_dir(room.path().join("scratch")).unwrap();
}

const QUICK: [&str; 5] = ["--rounds", "2", "--scratch", "scratch", "--json"];

fn is_left(room: &Room) -> usize {
    fs::read_dir(room.path().join("scratch")).unwrap().count()
}

#[test]
fn a_list_of_sizes_gives_the_case_that_the_directory_gives() {
    if lacks(&[Need::Time]) {
        return;
    }
    let room = Room::new();
    case(&room);
    let listed = bench(&room, &["sizes", "d"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    room.file("sizes", &listed.stdout);
    // As `find -printf '%s\n'` prints them.
    let found = Command::new("find").args(["d", "-type", "f", "-printf", "%s\\n"]).current_dir(room.path()).output();
    room.file("found", &found.unwrap().stdout);
    let mut cases = Vec::new();
    for options in [["--like", "d"], ["--histogram", "sizes"], ["--histogram", "found"]] {
        let seen = json(&bench(&room, &[&["forecast", "-a", "md5"], &options[..], &QUICK].concat()));
        cases.push((seen["files"].clone(), seen["bytes"].clone(), seen["sample"].clone()));
    }
    let bytes: usize = (0..66).map(|n| n % 9 * 700).sum();
    assert_eq!((&cases[0].0, &cases[0].1), (&Value::from(66), &Value::from(bytes)));
    assert!(cases.iter().all(|case| *case == cases[0]), "{cases:?}");
    assert_eq!(is_left(&room), 0);
}

#[test]
fn what_a_case_can_be_like() {
    let room = Room::new();
    case(&room);
    fs::create_dir_all(room.path().join("empty/inside")).unwrap();
    room.file("notes", b"not a list\n");
    for (option, path, code, said) in [
        ("--like", "empty", 2, "no files"),
        ("--like", "missing", 4, "missing"),
        ("--like", "/dev/null", 2, "neither"),
        ("--histogram", "missing", 4, "missing"),
        ("--histogram", "notes", 4, "line 1"),
        ("--histogram", "d", 4, "d:"),
        ("--fit", "notes", 4, "no saved fit"),
    ] {
        let seen = bench(&room, &["forecast", option, path, "-a", "md5"]);
        assert_eq!((seen.code, seen.stdout.len()), (Some(code), 0), "{option} {path}: {}", seen.stderr);
        assert!(seen.stderr.contains(said), "{option} {path}: {}", seen.stderr);
    }
    // A file is a case of one; an absolute path is as good.
    room.file("one", &[7; 5000]);
    let one = room.path().join("one");
    let seen = json(&bench(&room, &[&["forecast", "--like", one.to_str().unwrap(), "-a", "md5"], &QUICK[..]].concat()));
    assert_eq!((&seen["files"], &seen["bytes"]), (&Value::from(1), &Value::from(5000)));
    for bad in
        [&["forecast", "--like", "d", "--rounds", "1"][..], &["forecast", "--like", "d", "-a", "md6"], &["sizes"]]
    {
        assert_eq!(bench(&room, bad).code, Some(2), "{bad:?}");
    }
}

#[test]
fn the_answer_has_its_schema() {
    let room = Room::new();
    case(&room);
    let seen = json(&bench(&room, &[&["forecast", "--like", "d", "-a", "md5,ssdeep"], &QUICK[..]].concat()));
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let sorted = |words: &str| {
        let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        words.sort();
        words
    };
    let of = |value: &Value| sorted(&keys(value).join(" "));
    assert_eq!(
        of(&seen),
        sorted("pfh_forecast bytes files sizes sample machine measured_on_another_machine unread notes lines")
    );
    assert_eq!((&seen["pfh_forecast"], &seen["measured_on_another_machine"]), (&Value::from(1), &Value::from(false)));
    let lines = seen["lines"].as_array().unwrap();
    assert_eq!(lines.iter().map(|line| &line["algorithm"]).collect::<Vec<_>>(), ["md5", "ssdeep"]);
    for line in lines {
        let all = "who algorithm cpu_warm cpu_cold device takes_warm takes_cold fit scaled_as_in_the_study";
        assert_eq!(of(line), sorted(all));
        assert_eq!(of(&line["fit"]), sorted("start table per_file per_byte r2 spread runs"));
        for name in ["cpu_warm", "cpu_cold", "device", "takes_warm", "takes_cold"] {
            // The device is not known where the sample lies in memory.
            let Some(expected) = line[name].as_object() else { continue };
            let value = |key: &str| expected[key].as_f64().unwrap();
            assert!(0.0 <= value("low") && value("low") <= value("seconds") && value("seconds") <= value("high"));
        }
        assert!(line["cpu_warm"].is_object() && line["takes_warm"].is_object());
    }
}

#[test]
fn what_was_measured_is_kept_and_forecasts_other_cases() {
    if lacks(&[Need::Time]) {
        return;
    }
    let room = Room::new();
    case(&room);
    let save = [&["forecast", "--like", "d", "-a", "sha1,md5", "--save", "fit.json"], &QUICK[..]].concat();
    let first = json(&bench(&room, &save));
    let kept = fs::read(room.path().join("fit.json")).unwrap();
    // Read back: the same forecast, and nothing is measured.
    let again = json(&bench(&room, &["forecast", "--fit", "fit.json", "--json"]));
    assert_eq!(again, first);
    let larger = json(&bench(&room, &["forecast", "--fit", "fit.json", "--bytes", "4TB", "-a", "md5", "--json"]));
    assert_eq!(larger["bytes"], Value::from(4_000_000_000_000_u64));
    assert_eq!(larger["lines"].as_array().unwrap().len(), 1);
    assert!(larger["lines"][0]["cpu_warm"]["seconds"].as_f64() > first["lines"][1]["cpu_warm"]["seconds"].as_f64());
    // It names the algorithm that it does not have, and those that it has.
    let lacking = bench(&room, &["forecast", "--fit", "fit.json", "-a", "sha256"]);
    assert!(lacking.code == Some(2) && lacking.stderr.contains("sha1, md5"), "{}", lacking.stderr);
    // A file that is there is not replaced, and nothing is measured for nothing.
    let refused = bench(&room, &save);
    assert!(refused.code == Some(2) && refused.stderr.contains("fit.json"), "{}", refused.stderr);
    assert_eq!(fs::read(room.path().join("fit.json")).unwrap(), kept);
    assert_eq!(bench(&room, &[&save[..], &["--force"]].concat()).code, Some(0));
    // Another machine's fit says so; one that was changed otherwise is refused.
    let mut other: Value = serde_json::from_slice(&kept).unwrap();
    other["machine"]["processor"] = "Core2 Duo E6400".into();
    room.file("other.json", other.to_string().as_bytes());
    let seen = json(&bench(&room, &["forecast", "--fit", "other.json", "--json"]));
    assert_eq!(seen["measured_on_another_machine"], Value::from(true));
    assert_eq!(seen["machine"]["processor"], "Core2 Duo E6400");
    assert!(seen["notes"][0].as_str().unwrap().contains("another machine: Core2 Duo E6400"), "{}", seen["notes"]);
    let table = bench(&room, &["forecast", "--fit", "other.json"]);
    assert!(text(&table).contains("note: measured on another machine: Core2 Duo E6400"), "{}", text(&table));
    other["pfh_forecast_fit"] = 2.into();
    room.file("later.json", other.to_string().as_bytes());
    let later = bench(&room, &["forecast", "--fit", "later.json"]);
    assert!(later.code == Some(4) && later.stderr.contains("form 2"), "{}", later.stderr);
}

#[test]
fn an_interrupted_measurement_leaves_nothing() {
    let room = Room::new();
    case(&room);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["bench", "forecast", "--bytes", "40GB", "--files", "9000000", "--rounds", "900", "--scratch", "scratch"])
        .args(["--save", "fit.json", "--sample", "64MiB"])
        .current_dir(room.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let from = Instant::now();
    while is_left(&room) == 0 && from.elapsed() < Duration::from_secs(100) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let asked = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(is_left(&room), 0);
    assert!(!room.path().join("fit.json").exists());
}

#[test]
fn directories_that_cannot_be_read_are_named_and_in_the_exit_code() {
    if lacks(&[Need::Program("setpriv")]) {
        return;
    }
    let room = Room::new();
    case(&room);
    // Root reads everything: a directory that is gone below a broken mount remains, and /proc has
    // such.
    let closed = room.path().join("d/closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
    let pfh = env!("CARGO_BIN_EXE_pfh");
    let root = fs::read_dir(&closed).is_ok();
    let seen = match root {
        false => bench(&room, &["sizes", "d"]),
        // As somebody else, who can reach the room.
        true => {
            for (name, program) in [("pfh", pfh), ("pfh-bench", env!("CARGO_BIN_EXE_pfh-bench"))] {
                room.executable(name, &fs::read(program).unwrap());
            }
            for path in room.path().ancestors().take(1) {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            }
            let words = ["--reuid", "65534", "--clear-groups", "./pfh", "bench", "sizes", "d"];
            Trial::new("setpriv").args(words).directory(room.path()).run().unwrap()
        }
    };
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(seen.stderr.contains("not read: d/closed"), "{}", seen.stderr);
    assert!(text(&seen).lines().count() == 10, "{}", text(&seen));
}

#[test]
fn a_list_of_runners_builds_nothing() {
    let room = Room::new();
    let row = "[[row]]\nname='x'\nlabel='X'\nrun=['{out}/x']\nalgorithms=['md5']\n";
    let build = format!("build=['sh','-c','echo built >>{}/builds; exit 1']", room.path().display());
    room.file("runners/x/runner.toml", format!("needs=['sh']\ninstall='apt'\n{build}\n{row}").as_bytes());
    let listed = bench(&room, &["languages", "--runners", "runners", "--list"]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    assert!(text(&listed).starts_with("x ") && text(&listed).contains("md5"), "{}", text(&listed));
    assert!(!room.path().join("builds").exists() && !room.path().join("pfh-bench").exists());
    // Asked to measure, it builds, says so, and names the parts that failed.
    let built = bench(&room, &["languages", "--runners", "runners"]);
    assert!(room.path().join("builds").exists());
    assert!(built.stderr.contains("building X (1 of 1)"), "{}", built.stderr);
}

#[test]
fn a_fit_has_seconds_and_r_squared_and_a_form_for_programs() {
    let room = Room::new();
    // The study's own means of MD5 with C on Linux: a = 0.209, b = 2.752, 2036 s for 722 GB.
    let means = [
        (2, 5),
        (4, 12),
        (8, 23),
        (16, 44),
        (32, 87),
        (64, 177),
        (128, 353),
        (256, 705),
        (512, 1409),
        (640, 1761),
        (768, 2114),
        (896, 2465),
        (1024, 2820),
    ];
    let lines: String = means.iter().map(|(size, ms)| format!("md5 {size} {ms}\n")).collect();
    room.file("table", format!("algo MB c\n{lines}").as_bytes());
    let seen = bench(&room, &["fit", "table"]);
    let fields: Vec<String> = text(&seen).lines().last().unwrap().split_whitespace().map(str::to_owned).collect();
    assert_eq!(fields[..4], ["md5", "c", "0.209", "2.752"]);
    assert_eq!(fields[6..], ["0.999999", "2036"]);
    let seen = json(&bench(&room, &["fit", "table", "--json"]));
    assert_eq!(seen["pfh_fit"], Value::from(1));
    let line = &seen["lines"][0];
    assert_eq!((line["algorithm"].as_str(), line["language"].as_str()), (Some("md5"), Some("c")));
    assert!((line["line"]["b"].as_f64().unwrap() - 2.752).abs() < 0.0005, "{line}");
    assert!((line["seconds_722gb"].as_f64().unwrap() - 2036.04).abs() < 0.001 && line["r2"].as_f64().unwrap() > 0.9999);
    assert!(line["weighted"]["a"].is_number() && line["sizes"] == 13, "{line}");
}

/// Devices that are not here: their sizes are the case, their rates the cold time; and the papers'
/// cases print the figures of the papers.
#[test]
fn a_case_of_named_devices_and_those_of_the_papers() {
    let room = Room::new();
    case(&room);
    let save = ["forecast", "-a", "md5", "--bytes", "1MB", "--save", "fit.json"];
    assert_eq!(bench(&room, &[&save[..], &QUICK].concat()).code, Some(0));
    let forecast = |options: &[&str]| bench(&room, &[&["forecast", "--fit", "fit.json"], options].concat());
    let seen = json(&forecast(&["--device", "disk=512GB@128MB/s", "--device", "card=8GB@20MB", "--json"]));
    assert_eq!(
        (&seen["bytes"], &seen["devices"][1]["rate"]),
        (&Value::from(520_000_000_000u64), &Value::from(20_000_000))
    );
    let seconds = seen["lines"][0]["device"]["seconds"].as_f64().unwrap();
    // 4,000 s and 400 s at the rates given, and the cost of opening a file here, which only the fit
    // knows: at twice the rates half of the former is left.
    let twice = json(&forecast(&["--device", "disk=512GB@256MB/s", "--device", "card=8GB@40MB", "--json"]));
    let twice = twice["lines"][0]["device"]["seconds"].as_f64().unwrap();
    assert!(seconds >= 4400.0 && (seconds - twice - 2200.0).abs() < 1e-3, "{seconds} {twice}");
    let study = String::from_utf8(forecast(&["--preset", "study-722gb"]).stdout).unwrap();
    // 722 GB are 722 × 2^30 bytes on both sides, and the printed time stands beside each program.
    assert!(study.contains("device: SD card, 8.6 GB") && study.contains("775.2 GB"), "{study}");
    let row = study.lines().find(|line| line.starts_with("C, OpenSSL (Linux, 2014)")).expect("a row of the study");
    assert!(row.contains("md5") && row.trim_end().ends_with("2036 s"), "{row}");
    assert!(!study.contains("sha512"), "md5 alone was asked for: {study}");
    let study = json(&forecast(&["--preset", "study-722gb", "--json"]));
    assert_eq!((&study["bytes"], study["printed"].as_array().map(Vec::len)), (&Value::from(722u64 << 30), Some(10)));
    let mac = String::from_utf8(forecast(&["--preset", "pfh-mac"]).stdout).unwrap();
    assert!(mac.contains("Table XI: MTP, ssdeep: 56min 43\n") && mac.contains("322531 files"), "{mac}");
    for wrong in [
        &["--device", "disk=1GB@1MB", "--device", "card=1GB"][..],
        &["--device", "disk=1GB", "--bytes", "1GB"],
        &["--device", "disk=1GB", "--preset", "pfh-mac"],
        &["--device", "disk=1GB", "--device", "image"],
        &["--device", "disk=0"],
        &["--device", "image"],
    ] {
        let seen = forecast(wrong);
        assert_eq!((seen.code, seen.stdout.len()), (Some(2), 0), "{wrong:?}: {}", seen.stderr);
    }
}
