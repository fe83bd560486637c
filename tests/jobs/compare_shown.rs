//! Groups that grow from run to run, and the page of all methods.

use crate::compare::base;
use crate::compare_all::{asked, room};
use crate::room::missing;
use crate::rows::input;
use pfh::Control;
use pfh::compare::{self, Event, Linkage, Problem, Request};
use pfh::report::pairs::Format;

/// Groups of an earlier run keep their numbers and members beside any new files.
#[test]
fn earlier_groups_grow() {
    let room = room();
    let kept = room.at("groups");
    let run = |names: &[&str], earlier: bool, to: &str| {
        let mut request = Request::new(input(&room, names)).output(room.at(to));
        (request.cluster, request.form) = (true, Format::Jsonl);
        request.earlier = earlier.then(|| kept.clone());
        request.page = Some(room.at(format!("{to}.html")));
        let mut missing = Vec::new();
        let mut take = |event: Event<'_>| {
            if let Event::Missing { algorithm, members } = event {
                missing.push((algorithm.to_owned(), members));
            }
            Ok(())
        };
        compare::write(&request, &mut take, &Control::new()).unwrap();
        let text = std::fs::read_to_string(room.at(to)).unwrap();
        let row = |line: &str| -> (u64, Vec<String>) {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = |of: &serde_json::Value| base(of["path"].as_str().unwrap().as_bytes());
            (row["cluster"].as_u64().unwrap(), row["members"].as_array().unwrap().iter().map(name).collect())
        };
        (text.lines().map(row).collect::<Vec<_>>(), missing)
    };
    let of = |number: u64, names: &[&str]| (number, names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
    let first = ["s/a-whole", "s/b-copy", "s/i-tiny", "s/h-tiny", "s/n-strange"];
    let (groups, _) = run(&first, false, "groups");
    assert_eq!(groups, [of(1, &["a-whole", "b-copy"]), of(2, &["i-tiny", "h-tiny"])]);
    // One more is like both of the first group, others are a new one; a member is gone.
    let second = ["s/j-small", "s/k-small", "s/n-strange", "s/c-edited", "s/b-copy", "s/a-whole", "s/h-tiny"];
    let (groups, missing) = run(&second, true, "again");
    let expected = [of(1, &["c-edited", "b-copy", "a-whole"]), of(2, &["h-tiny"]), of(3, &["j-small", "k-small"])];
    assert_eq!(groups, expected, "the rest of an earlier group is listed");
    assert_eq!(missing, [("auto".to_owned(), 1)]);
    // Two groups of before stay apart, even if all of their members are equal.
    let text = std::fs::read_to_string(&kept).unwrap();
    let path = |name: &str| room.at(name).to_str().unwrap().to_owned();
    let line = |number: u64, name: &str| serde_json::json!({"type": "cluster", "algorithm": "auto", "cluster": number, "size": 1, "members": [{"path": path(name)}]});
    std::fs::write(&kept, format!("{}\n{}\n", line(7, "s/a-whole"), line(4, "s/b-copy"))).unwrap();
    let (groups, _) = run(&["s/a-whole", "s/b-copy", "s/c-edited"], true, "apart");
    assert_eq!(groups, [of(4, &["b-copy"]), of(7, &["a-whole", "c-edited"])]);
    // The page has their numbers.
    let page = std::fs::read_to_string(room.at("apart.html")).unwrap();
    assert!(page.contains("data-g=\"auto-7\">7</td>") && !page.contains("data-g=\"auto-1\""), "{page}");
    // Groups of another algorithm are not passed over in silence.
    std::fs::write(&kept, line(1, "s/a-whole").to_string().replace("auto", "ssdeep")).unwrap();
    let (_, missing) = run(&["s/a-whole", "s/b-copy"], true, "other");
    assert_eq!(missing, [("ssdeep".to_owned(), 1)]);
    for wrong in ["{}\n", "no JSON\n", &format!("{text}{text}")] {
        std::fs::write(&kept, wrong).unwrap();
        let mut request = Request::new(input(&room, &["s"]));
        (request.cluster, request.earlier) = (true, Some(kept.clone()));
        let error = compare::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert!(matches!(error.find::<Problem>(), Some(Problem::NoGroups(_))), "{error}");
        request.linkage = Linkage::Single;
        let error = compare::run(&request, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!(error.find::<Problem>(), Some(&Problem::NotGrouped));
    }
}

/// A page has every row, and shows where the files of a pair have bytes in common.
#[test]
fn a_page_shows_where_bytes_are_shared() {
    let room = room();
    let mut request = asked(&room).output(room.at("pairs"));
    request.page = Some(room.at("page.html"));
    let mut rows = 0;
    let mut take = |event: Event<'_>| {
        rows += u64::from(matches!(event, Event::Related(_)));
        Ok(())
    };
    compare::write(&request, &mut take, &Control::new()).unwrap();
    let page = std::fs::read_to_string(room.at("page.html")).unwrap();
    assert_eq!(page.matches("<tr data-r=").count() as u64, rows);
    let row = |a: &str, b: &str| {
        let is_of = |row: &&str| [a, b].iter().all(|name| row.contains(&format!("</span><wbr>{name} <")));
        page.split("<tr data-r=").skip(1).find(is_of).unwrap_or_else(|| panic!("{a} {b}"))
    };
    // The part lies 20,000 bytes into the whole; the bytes shared with the other are at its end.
    assert!(row("a-whole", "d-part").contains("<li>12000 bytes at 20000, and at 0</li>"));
    assert!(row("a-whole", "e-shares").contains("<li>9000 bytes at 0, and at 40000</li>"));
    let edited = row("a-whole", "c-edited");
    assert!(edited.contains("<li>30000 bytes at 0, and at 0</li><li>29999 bytes at 30001, and at 30001</li>"));
    // Equal files, and files that are only alike, share no places.
    for (a, b) in [("a-whole", "b-copy"), ("f-text", "g-spread")] {
        assert!(!row(a, b).contains("<details>"), "{a} {b}");
    }
    assert!(row("f-text", "g-spread").contains("data-v="), "how often unrelated files are so much alike");
    for relation in ["equal", "nearly-equal", "b-in-a", "shares", "alike"] {
        assert!(page.contains(&format!("<option>{relation}</option>")), "{relation}");
    }
    // A file that is gone: the row says why there is no drawing.
    let mut take = |event: Event<'_>| {
        if matches!(event, Event::Relating(_)) {
            std::fs::remove_file(room.at("s/d-part")).unwrap();
        }
        Ok(())
    };
    compare::write(&request.clone().replace(true), &mut take, &Control::new()).unwrap();
    let page = std::fs::read_to_string(room.at("page.html")).unwrap();
    let gone = format!("d-part: open: {}", missing());
    assert!(page.contains("(places not shown)") && page.contains(&gone), "{page}");
}
