//! The judge, over rows that contradict the claims.

use pfh_bench::papers::claims::{Evidence, JudgedClaim, Verdict, csv, html, judge, of_item, text};
use pfh_bench::papers::items::ITEMS;
use pfh_bench::papers::{Cell, PartOutcome, Table};

/// Title, rows with their seconds, conditions.
type Rows<'a> = (&'a str, &'a [(&'a str, f64)], &'a [&'a str]);

fn part(name: &str, tables: &[Rows<'_>]) -> PartOutcome {
    let cells = |row: &(&str, f64)| vec![Cell::Text(row.0.into()), Cell::Number(row.1), Cell::Text("run".into())];
    let table = |(title, rows, conditions): &Rows<'_>| Table {
        table: (*title).into(),
        columns: ["row", "here, s", "what was run here"].map(str::to_owned).to_vec(),
        rows: rows.iter().map(cells).collect(),
        paper: None,
        notes: vec![],
        conditions: conditions.iter().map(|word| (*word).into()).collect(),
        bars: None,
    };
    let found = Ok(tables.iter().map(table).collect());
    PartOutcome { name: name.into(), paper: "P".into(), what: "T".into(), command: vec![], found }
}

fn judged(parts: &[PartOutcome]) -> Vec<JudgedClaim> {
    judge(&Evidence { repeated: parts, study: None, plain: None })
}

fn verdict<'a>(judged: &'a [JudgedClaim], item: &str, says: &str) -> &'a JudgedClaim {
    let found: Vec<_> = judged.iter().filter(|one| one.item == item && one.claim.contains(says)).collect();
    assert_eq!(found.len(), 1, "{item} {says}: {found:?}");
    found[0]
}

/// Table VI, mrsh, as it came out on flash: MTP took 143, 102 and 162 % of SMT. That some other row
/// is fast does not answer it.
#[test]
fn rows_that_contradict_the_main_claim() {
    let rows = [
        ("SMT, -t 2", 1.0),
        ("MTP, -t 2", 1.43),
        ("adaptive, -t 2", 0.5),
        ("SMT, -t 4", 0.92),
        ("MTP, -t 4", 0.94),
        ("SMT, -t 8", 0.64),
        ("MTP, -t 8", 1.04),
    ];
    let parts = [part("pfh-VI", &[("pfh Table VI: threads, mrsh", &rows, &["cold", "flash", "few processors"])])];
    let judged = judged(&parts);
    let main = verdict(&judged, "Table VI", "mrsh: MTP takes less than SMT");
    assert_eq!(main.verdict, Verdict::HoldsNot);
    for word in ["143 %", "102 %", "162 %", "no moving head"] {
        assert!(main.why.contains(word), "{word}: {}", main.why);
    }
    // The half that was not measured is not summed up with the other.
    let sdhash = verdict(&judged, "Table VI", "sdhash: MTP takes less");
    assert_eq!(sdhash.verdict, Verdict::Unshown, "{sdhash:?}");
}

/// Tables IX (a second prefetcher took 67 %), VIII (size had an influence) and XIII (adaptive is
/// not ppss).
#[test]
fn rows_that_contradict_other_claims() {
    let parts = [
        part("pfh-IX", &[("pfh Table IX", &[("-p 1", 1.0), ("-p 2", 0.67), ("adaptive", 0.57)], &["cold", "flash"])]),
        part(
            "pfh-VIII",
            &[(
                "pfh Table VIII",
                &[
                    ("SMT, -m 128", 1.0),
                    ("SMT, -m 256", 0.9),
                    ("SMT, -m 512", 0.71),
                    ("MTP, -m 128", 1.0),
                    ("MTP, -m 256", 1.01),
                    ("MTP, -m 512", 1.02),
                ],
                &["cold"],
            )],
        ),
        part("pfh-XIII", &[("pfh Table XIII", &[("adaptive", 0.1)], &["cold"])]),
    ];
    let judged = judged(&parts);
    assert_eq!(verdict(&judged, "Table IX", "second prefetcher").verdict, Verdict::HoldsNot);
    let memory = verdict(&judged, "Table VIII", "SMT");
    assert_eq!(memory.verdict, Verdict::HoldsNot);
    assert!(memory.why.contains("41 %") && memory.why.contains("no cause is known"), "{}", memory.why);
    assert_eq!(verdict(&judged, "Table VIII", "MTP").verdict, Verdict::Holds);
    let large = verdict(&judged, "Table XIII", "16 large files");
    assert_eq!(large.verdict, Verdict::Unshown);
    assert!(large.why.contains("\"ppss\""), "{}", large.why);
}

/// Under load, in one round and over runs of milliseconds only a clear result counts.
#[test]
fn noise_decides_nothing() {
    let judged_as = |noise: &[&str], mtp: f64| {
        let rows = [("original", 1.0), ("SMT", 0.9), ("MTP", mtp)];
        let judged = judged(&[part("pfh-III", &[("pfh Table III", &rows, noise)])]);
        let one = verdict(&judged, "Table III", "MTP takes 62.37").clone();
        (one.verdict, one.why)
    };
    for noise in ["loaded", "one round", "short"] {
        let (word, why) = judged_as(&["cold", noise], 0.7);
        assert!(word == Verdict::Unshown && why.starts_with("needs an idle machine") && why.contains("70 %"), "{why}");
        assert_eq!(judged_as(&["cold", noise], 0.6).0, Verdict::Unshown);
        assert_eq!(judged_as(&["cold", noise], 0.2).0, Verdict::Holds);
        assert_eq!(judged_as(&["cold", noise], 0.9).0, Verdict::HoldsNot);
    }
    assert_eq!((judged_as(&["cold"], 0.7).0, judged_as(&["cold"], 0.6).0), (Verdict::HoldsNot, Verdict::Holds));
}

/// Tables IV and V without the originals of sdhash and mrsh-v2; parts that failed or are empty.
#[test]
fn what_is_missing_is_never_reached() {
    let mut parts = [
        part("pfh-IV", &[("pfh Table IV: the five hashes", &[("MTP sdhash", 1.0), ("MTP ssdeep", 0.5)], &["cold"])]),
        part("pfh-V", &[("pfh Table V: FULL mode, sdhash", &[("MTP (sdhash)", 1.0)], &["cold"])]),
        part("pfh-III", &[]),
        part("pfh-XII", &[]),
    ];
    let Ok(tables) = &mut parts[0].found else { unreachable!() };
    tables[0].rows.push(vec![
        Cell::Text("original sdhash".into()),
        Cell::Nothing(()),
        Cell::Text("not run; sdhash is not installed".into()),
    ]);
    parts[3].found = Err("needs root".into());
    let judged = judged(&parts);
    let sdhash = verdict(&judged, "Table IV", "sdhash's original");
    assert_eq!(sdhash.verdict, Verdict::Unshown);
    assert!(sdhash.why.contains("is not installed"), "{}", sdhash.why);
    assert_eq!(verdict(&judged, "Table IV", "too slow for sdhash").verdict, Verdict::Holds);
    assert_eq!(verdict(&judged, "Table V", "69 minutes").verdict, Verdict::Unshown);
    assert_eq!(verdict(&judged, "Table III", "SMT takes 82.52").verdict, Verdict::Unshown);
    assert_eq!(verdict(&judged, "Table XII", "MTP takes 62.20").why, "needs root");
    let item = ITEMS.iter().find(|item| item.number == "Table V").unwrap();
    assert_eq!(of_item(item, &judged).unwrap(), "3 cannot be shown here");
}

/// On an emulated rotating disk the main claim holds, with the figures of its record.
#[test]
fn rows_that_agree() {
    let rows = [
        ("SMT, -t 2", 10.0),
        ("SMT, -t 4", 10.4),
        ("SMT, -t 8", 10.7),
        ("MTP, -t 2", 6.2),
        ("MTP, -t 4", 6.3),
        ("MTP, -t 8", 6.4),
        ("MTP, -t 8 -p 2", 7.3),
    ];
    let judged = judged(&[part("pfh-rotating", &[("pfh Table VI on an emulated rotating disk", &rows, &["cold"])])]);
    let about: Vec<_> = judged.iter().filter(|one| one.item == "main claim").collect();
    assert!(about.len() == 5 && about.iter().all(|one| one.verdict == Verdict::Holds), "{about:?}");
}

/// Threads that share a processor do not show whether more are faster.
#[test]
fn scaling_needs_processors() {
    let rows = [("SMT, -t 2", 1.0), ("SMT, -t 4", 0.9), ("SMT, -t 8", 0.8)];
    let with = |conditions: &[&str]| {
        let judged = judged(&[part("pfh-VII", &[("pfh Table VII: threads, mrsh", &rows, conditions)])]);
        verdict(&judged, "Table VII", "mrsh: SMT gains").verdict
    };
    assert_eq!((with(&["cached", "few processors"]), with(&["cached"])), (Verdict::Unshown, Verdict::Holds));
}

/// The gain of every size that was measured, and 20 GB only where they were copied.
#[test]
fn the_cloner_by_its_sizes() {
    let title = "Table II and Figure 2, IDE: cloning";
    let table = |rows: &str| {
        let columns =
            r#"["size","dd bs=64M, s","threads, 64 MB x 5, s","threads, 1 MiB x 64 (default), s","bound, s"]"#;
        Table::parse(&format!(r#"{{"table":"{title}","columns":{columns},"rows":{rows}}}"#)).unwrap()
    };
    let mut cloner = part("cloner-ide", &[]);
    cloner.found = Ok(table(r#"[["64 MB",1.9,1.8,1.3,1.1],["256 MB",7.5,7.0,5.6,4.5]]"#));
    let small = judged(&[cloner]);
    let gain = verdict(&small, "Table II", "more than 40 %");
    assert!(gain.verdict == Verdict::HoldsNot && gain.why.contains("256 MB 1.34 x"), "{gain:?}");
    assert!(!gain.why.contains("never waits"), "the threads could be faster: {gain:?}");
    assert_eq!(verdict(&small, "Table II", "43, 47").verdict, Verdict::Unshown);
    assert_eq!(verdict(&small, "Table II", "187 s").verdict, Verdict::Unshown);
    assert_eq!(verdict(&small, "Fig. 2", "proportion to the size, dd").verdict, Verdict::Holds);
    assert_eq!(verdict(&small, "Fig. 3", "size, dd").verdict, Verdict::Unshown);

    // The paper's sizes, where dd is faster than reading and writing one after the other: the
    // threads reach the bound, and gain less than 40 %.
    let rows = [1024, 5120, 10240, 20480].map(|size| {
        let bound = f64::from(size) / 57.0;
        format!(r#"["{size} MB",{},{},{},{bound}]"#, bound * 1.38, bound * 1.02, bound * 1.001)
    });
    let mut cloner = part("cloner-ide", &[]);
    cloner.found = Ok(table(&format!("[{}]", rows.join(","))));
    let full = judged(&[cloner]);
    let gain = verdict(&full, "Table II", "more than 40 %");
    assert!(gain.verdict == Verdict::HoldsNot && gain.why.contains("the slower device never waits"), "{gain:?}");
    let printed = verdict(&full, "Table II", "43, 47");
    assert!(printed.verdict == Verdict::HoldsNot, "{printed:?}");
    assert!(printed.why.contains("20480 MB 1.35 x (printed 1.48, the rates allow 1.38)"), "{printed:?}");
    let saved = verdict(&full, "Table II", "187 s");
    assert!(saved.verdict == Verdict::HoldsNot && saved.why.contains("; the rates allow 28 %)"), "{saved:?}");
}

/// Disks at the rates of each row of the paper: gains that exceed the paper's own times are
/// misprints, and so is a proportion that these have not.
#[test]
fn the_cloner_at_the_rates_of_each_row() {
    let columns = r#"["size","dd bs=64M, s","threads, 64 MB x 5, s","threads, 1 MiB x 64 (default), s","bound, s"]"#;
    let printed =
        [(1024, 25.8861, 18.1065), (5120, 132.729, 90.6395), (10240, 272.7912, 184.539), (20480, 571.5106, 384.621)];
    let row = |more: f64| {
        let rows = printed.map(|(size, dd, threads)| {
            format!(r#"["{size} MB",{dd},{},{},{threads}]"#, threads * more, threads * more)
        });
        format!("[{}]", rows.join(","))
    };
    let with = |more: f64| {
        let title = "Table II and Figure 2, IDE: cloning, each row at its own rates";
        let text = format!(r#"{{"table":"{title}","columns":{columns},"rows":{},"paper":{}}}"#, row(more), row(1.0));
        let mut cloner = part("cloner-ide", &[]);
        cloner.found = Ok(Table::parse(&text).unwrap());
        judged(&[cloner])
    };
    let same = with(1.0);
    let gain = verdict(&same, "Table II", "43, 47");
    assert!(
        gain.verdict == Verdict::Holds && gain.why.contains("1.46 x (printed 1.47, its times give 1.46"),
        "{gain:?}"
    );
    assert_eq!(verdict(&same, "Table II", "187 s").verdict, Verdict::Holds);
    let dd = verdict(&same, "Fig. 2", "proportion to the size, dd");
    assert!(dd.verdict == Verdict::HoldsNot && dd.why.contains("the paper's own times are 10 % apart"), "{dd:?}");
    let slower = with(1.02);
    assert_eq!(verdict(&slower, "Table II", "43, 47").verdict, Verdict::HoldsNot);
    assert_eq!(verdict(&slower, "Table II", "187 s").verdict, Verdict::HoldsNot);
}

/// A table of another size costs time by the pages and the memory that it touches, and by nothing
/// else; and threads that wait are counted.
#[test]
fn counts_decide_where_the_clock_does_not() {
    let memory = |faults: [u32; 3]| {
        let rows = ["SMT", "MTP"].map(|mode| {
            let each = [(128, 1.0, faults[0]), (256, 0.9, faults[1]), (512, 1.2, faults[2])];
            each.map(|(m, seconds, faults)| format!(r#"["{mode}, -m {m}",{seconds},{faults},80.5,"run"]"#)).join(",")
        });
        let columns = r#"["row","here, s","page faults","peak MiB","what was run here"]"#;
        let text = format!(r#"{{"table":"pfh Table VIII","columns":{columns},"rows":[{}]}}"#, rows.join(","));
        let mut part = part("pfh-VIII", &[]);
        part.found = Ok(Table::parse(&text).unwrap());
        verdict(&judged(&[part]), "Table VIII", "MTP").clone()
    };
    let alike = memory([20_000, 20_100, 20_500]);
    assert!(alike.verdict == Verdict::Holds && alike.why.contains("the clock's differences are not"), "{alike:?}");
    let more = memory([20_000, 40_000, 60_000]);
    assert!(more.verdict == Verdict::HoldsNot && more.why.contains("20000, 40000, 60000"), "{more:?}");

    let columns = r#"["row","here, s","waits","what was run here"]"#;
    let rows = r#"["MTP, -t 2",2.0,1600,"run"],["MTP, -t 4",2.2,2000,"run"],["MTP, -t 8",2.85,4500,"run"]"#;
    let conditions = r#"["cold","few processors"]"#;
    let title = "pfh Table VI: threads, mrsh";
    let text = format!(r#"{{"table":"{title}","columns":{columns},"rows":[{rows}],"conditions":{conditions}}}"#);
    let mut part = part("pfh-VI", &[]);
    part.found = Ok(Table::parse(&text).unwrap());
    let threads = verdict(&judged(&[part]), "Table VI", "does not depend on the threads").clone();
    assert_eq!(threads.verdict, Verdict::HoldsNot);
    for words in ["more threads than processors", "MTP, -t 8 4500"] {
        assert!(threads.why.contains(words), "{threads:?}");
    }
}

/// A cause of the program itself needs no condition of the machine; a claim that holds has none.
#[test]
fn causes_of_our_own_kernels() {
    let words = "the kernels are pfh's";
    let table = |sdhash| {
        let rows = [("sha1", 0.37), ("mrsh-v2", 0.63), ("ssdeep", 0.23), ("sdhash", sdhash)];
        let mut part = part("pfh-I", &[("pfh Table I", &rows, &["cached"])]);
        for table in part.found.as_mut().unwrap() {
            table.columns[1] = "pfh here, s".into();
        }
        judged(&[part])
    };
    let found = table(2.0);
    for says in ["in this order: pfh", "9.78 times SHA-1"] {
        let one = verdict(&found, "Table I", says);
        assert!(one.verdict == Verdict::HoldsNot && one.why.contains(words), "{one:?}");
    }
    let found = table(3.7);
    let holds = verdict(&found, "Table I", "9.78 times SHA-1");
    assert!(holds.verdict == Verdict::Holds && !holds.why.contains(words), "{holds:?}");
}

/// Each claim is of an item of the list, and the text of none is empty.
#[test]
fn the_claims_are_of_the_papers_items() {
    let judged = judged(&[]);
    assert!(judged.len() >= 40, "{}", judged.len());
    for one in &judged {
        let known = ITEMS.iter().any(|item| item.paper == one.paper && item.number == one.item);
        assert!(known || one.item == "text", "{one:?}");
        assert!(!one.claim.is_empty() && !one.why.is_empty(), "{one:?}");
        let is_computed = one.why.starts_with("computed from the printed tables");
        assert!(is_computed || one.verdict == Verdict::Unshown, "nothing was measured: {one:?}");
    }
    let all: std::collections::HashSet<_> = judged.iter().map(|one| (one.paper, one.item, one.claim)).collect();
    assert_eq!(all.len(), judged.len(), "a claim stands there twice");
    let (text, html, csv) = (text(&judged), html(&judged), csv(&judged));
    assert_eq!((html.matches("class=\"claim\"").count(), csv.lines().count() - 1), (judged.len(), judged.len()));
    assert!(text.contains("does not hold here") && text.contains("cannot be shown here"));
}
