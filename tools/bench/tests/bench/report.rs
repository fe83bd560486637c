//! The report of a small study of known times: its tables, and its page in a real browser.

use pfh_bench::machine::Machine;
use pfh_bench::message::Method;
use pfh_bench::papers::{PartOutcome, Table};
use pfh_bench::report;
use pfh_bench::study::{Cell, Entry, Header, Plan, Row, StudyResult, Time};
use pfh_inject::Browser;
use std::path::PathBuf;

/// Three rows, one of them with a name that HTML must not take literally and one wrong cell; seeded
/// noise.
fn study() -> StudyResult {
    let row = |name: &str, label: &str| Row {
        name: name.into(),
        label: label.into(),
        command: vec![],
        methods: vec![Method::Md5, Method::Sha256],
    };
    let rows = [row("c", "C <fast> & \"new\""), row("java", "Java"), row("mono", "C# (Mono)")];
    let mut random = pfh_bench::random::Random::new(1);
    let (mut cells, mut entries) = (Vec::new(), Vec::new());
    for (index, row) in rows.iter().enumerate() {
        for &method in &row.methods {
            for bytes in [1u64 << 18, 1 << 20, 1 << 22, 1 << 24] {
                let cell = Cell { row: row.name.clone(), method, bytes };
                cells.push(cell.clone());
                for process in 0..4 {
                    let wrong = row.name == "mono" && method == Method::Sha256 && process == 2;
                    let cost = (1.0 + index as f64) * if method == Method::Md5 { 2.0 } else { 1.0 };
                    let mut time = || {
                        let exact = 20_000.0 + cost * bytes as f64;
                        (exact * (1.0 + random.below(200) as f64 / 1e4)) as u64
                    };
                    let (algorithm, provider) = (method.name().to_owned(), "made up".to_owned());
                    entries.push(Entry {
                        cell: cell.clone(),
                        process,
                        header: Some(Header {
                            runtime: row.label.clone(),
                            version: "1".into(),
                            provider,
                            algorithm,
                            bytes,
                        }),
                        times: if wrong { vec![] } else { (0..3).map(|_| time()).map(|t| (t, t)).collect() },
                        fault: wrong.then(|| "digest 00 in place of 11".to_owned()),
                        load: 0.5,
                        stolen: 0.0,
                        took: 0.1,
                    });
                }
            }
        }
    }
    let plan = Plan { cells, processes: 4, repeats: 3, warmups: 1, warm_bytes: 0, seed: 7 };
    let machine = Machine { processor: "fake".into(), processors: 2, memory: 1 << 34, ..Machine::default() };
    StudyResult::gather(plan, machine, &rows, &entries)
}

/// A part of the papers that could be repeated, and one that could not.
fn repeated() -> Vec<PartOutcome> {
    let line = r#"{"table":"Table II <of>","columns":["size","dd"],"rows":[["1 GB",12.5]],"paper":[["1 GB",30]]}"#;
    let part = |name: &str, found| PartOutcome {
        name: name.into(),
        paper: "A paper".into(),
        what: "Table II".into(),
        command: vec![],
        found,
    };
    vec![part("cloner", Ok(Table::parse(line).unwrap())), part("tree", Err("no <cargo>".into()))]
}

#[test]
fn the_tables_say_what_was_measured() {
    let result = study();
    let text = report::text(&result, Time::Wall);
    let golden = include_str!("../fixtures/tables.txt");
    if std::env::var_os("PFH_BLESS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/tables.txt"), &text).unwrap();
    } else {
        assert_eq!(text, golden, "PFH_BLESS=1 writes the new one; look at the difference");
    }
    // This must hold in any layout: the wrong cell never shows a time, and Mono has no line for it.
    assert!(text.contains("WRONG") && text.contains("FAULT mono sha256"));
    let sha256 = text.split("sha256: MB/s on the longest").nth(1).unwrap().split("\n\n").next().unwrap();
    assert!(sha256.contains("Java") && !sha256.contains("Mono"), "{sha256}");
}

#[test]
fn the_values_have_a_line_per_repeat() {
    let csv = report::csv(&study());
    assert_eq!(csv.lines().next(), Some("row,algorithm,bytes,process,repeat,wall_ns,cpu_ns"));
    // 3 rows × 2 algorithms × 4 sizes × 4 processes × 3 repeats, without the wrong ones.
    assert_eq!(csv.lines().count() - 1, (6 - 1) * 4 * 4 * 3);
    assert!(csv.lines().skip(1).all(|line| line.split(',').count() == 7));
}

/// The study's Figure 1 is of Linux, its Figure 2 of Windows, where nothing is measured.
#[test]
fn the_figures_are_those_of_the_two_systems() {
    let linux = report::linux(&study(), Time::Wall);
    assert!(linux.contains("Figure 1: time against size, Linux") && linux.contains("java"), "{linux}");
    let windows = report::windows();
    assert!(windows.contains("Figure 2: time against size, Windows") && windows.contains("c_wincrypto"));
    // 6 languages, 4 algorithms, 13 means.
    assert_eq!(windows.matches("<circle").count(), 6 * 4 * 13);
}

#[test]
fn the_page_needs_nothing_else() {
    let html = report::html(Some(&study()), &[], &[], Time::Wall);
    for forbidden in ["<script", "src=", "href=", "@import", "url(http", "<fast>"] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert!(html.contains("C &lt;fast&gt; &amp; &quot;new&quot;"));
}

/// The page in Debian's Chromium: it must draw every figure with the size that it says, and load
/// nothing. The picture stays in the target directory, to be looked at.
#[test]
fn a_browser_draws_the_page() {
    let Some(browser) = Browser::find() else { return };
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("report");
    std::fs::create_dir_all(&out).unwrap();
    report::write(&out, Some(&study()), &repeated(), &[], Time::Wall).unwrap();
    let page = out.join("report.html");
    // The document as the browser understood it, not as it was written: parsed, and again as text.
    let document = browser.document(&page);
    for (tag, count) in [("<svg", 4), ("<h2", 12), ("<polygon", 10), ("</table>", 6), ("</html>", 1)] {
        assert_eq!(document.matches(tag).count(), count, "{tag}");
    }
    assert!(!document.contains("parsererror"));
    let picture = out.join("report.png");
    std::fs::remove_file(&picture).ok();
    browser.open(&page, &["--window-size=1200,4200", &format!("--screenshot={}", picture.display())]);
    let png = std::fs::read(&picture).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let dimension = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    assert_eq!((dimension(16), dimension(20)), (1200, 4200));
    assert!(png.len() > 50_000, "{} bytes: an empty page", png.len());
}
