//! Documents that are containers: their members count as one content, and what all of them have
//! counts little.

use crate::compare::base;
use crate::inside::{ARCHIVERS, input};
use crate::room::Room;
use crate::rows::{algorithms, below};
use pfh::Control;
use pfh::compare::{self, Event, Relation, Request, Thresholds};
use pfh_inject::{content, lacks};

/// Documents that have more of their program than of their own: two of one original, and others. A
/// picture is in one of them, and an archive holds another.
fn room() -> Room {
    let room = Room::new();
    for (name, own) in [("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("six", 6)] {
        room.file(format!("{name}/styles.xml"), &content(99, 60_000));
        room.file(format!("{name}/theme.xml"), &content(98, 30_000));
        room.file(format!("{name}/text.xml"), &content(own, 40_000));
        room.sh(&format!("mkdir -p d; cd {name} && zip -q -r ../d/{name}.docx ."));
    }
    let mut edited = content(1, 40_000);
    edited[4_000] ^= 1;
    room.file("one/text.xml", &edited);
    room.sh("cd one && zip -q -9 -r ../d/edited.docx . && zip -q -0 -r ../d/stored.docx .");
    room.file("seven/picture.png", &content(7, 8_000));
    room.sh("cd seven && cp picture.png ../d && zip -q -r ../d/seven.odt . && cd ../d && zip -q all.zip two.docx");
    room
}

/// The pairs, and members of documents.
fn rows(request: &Request, room: &Room) -> (Vec<(String, String, Relation)>, u64) {
    let (rows, members, _) = opened(request, room);
    (rows, members)
}

/// The same, and documents that were opened though no other containers are.
fn opened(request: &Request, room: &Room) -> (Vec<(String, String, Relation)>, u64, [u64; 2]) {
    let (mut rows, mut members, mut opened) = (Vec::new(), 0, [0; 2]);
    let mut take = |event: Event<'_>| {
        match event {
            Event::Related(row) if row.listed => {
                let [a, b] = [row.a, row.b].map(|name| below(room, name).trim_start_matches("d/").to_owned());
                rows.push((a, b, row.relation));
            }
            Event::AllRelated(all) => (members, opened) = (all.members, [all.opened, all.closed]),
            _ => {}
        }
        Ok(())
    };
    let summary = compare::run(request, &mut take, &Control::new()).unwrap();
    assert_eq!(summary.faults, 0);
    rows.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    (rows, members, opened)
}

/// The pairs of that one method.
fn by_shingles(mut request: Request) -> Vec<[String; 2]> {
    request.algorithms = algorithms("shingles");
    let mut pairs = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            pairs.push([base(pair.a), base(pair.b)]);
        }
        Ok(())
    };
    compare::run(&request, &mut take, &Control::new()).unwrap();
    pairs
}

#[test]
fn documents_are_compared_by_what_is_in_them() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = room();
    let asked = || Request::new(input(&room, &["d"], |_| {}));
    let (found, members) = rows(&asked(), &room);
    let names: Vec<(&str, &str, Relation)> = found.iter().map(|row| (&*row.0, &*row.1, row.2)).collect();
    // The archive has the other document whole; two of one original are alike however they are
    // packed; content that all have makes no pair. A member is found as the file that it is.
    assert_eq!(
        names,
        [
            ("all.zip", "two.docx", Relation::NearlyEqual),
            ("all.zip!/two.docx", "two.docx", Relation::Equal),
            ("edited.docx", "one.docx", Relation::NearlyEqual),
            ("edited.docx", "stored.docx", Relation::NearlyEqual),
            ("one.docx", "stored.docx", Relation::NearlyEqual),
            ("picture.png", "seven.odt", Relation::NearlyEqual),
            ("picture.png", "seven.odt!/picture.png", Relation::Equal),
        ]
    );
    // Three of each of eight; the archive's one with its three; the picture.
    assert_eq!(members, 3 * 8 + 4 + 1);
    // Two sets: the same pairs, if they are of both.
    let mut across = Request::new(input(&room, &["d/one.docx", "d/five.docx", "d/two.docx"], |_| {}));
    across.against = ["d/stored.docx", "d/six.docx", "d/all.zip"].map(|name| room.at(name).into()).into();
    let across = rows(&across, &room).0;
    let across: Vec<(&str, &str)> = across.iter().map(|row| (&*row.0, &*row.1)).collect();
    assert_eq!(across, [("one.docx", "stored.docx"), ("two.docx", "all.zip"), ("two.docx", "all.zip!/two.docx")]);
    // A threshold of shared bytes is that of documents, too.
    let mut low = asked();
    low.thresholds = Thresholds::parse(&["shingles=1".into()], false).unwrap();
    assert!(rows(&low, &room).0.iter().any(|row| (&*row.0, &*row.1) == ("five.docx", "four.docx")));
    // One method by its name compares each member.
    let pairs = by_shingles(asked());
    assert!(pairs.iter().filter(|pair| **pair == ["styles.xml", "styles.xml"]).count() > 20, "{pairs:?}");
}

/// Documents are opened where nothing else is, and have the pairs of a run that opens everything.
#[test]
fn documents_are_opened_where_nothing_else_is() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = room();
    // One that cannot be opened stays as it is.
    room.sh("cd d && head -c 110000 five.docx > cut.docx && cp five.docx again.docx");
    let (found, members, [opened, closed]) = opened(&Request::new(crate::rows::input(&room, &["d"])), &room);
    assert_eq!((members, opened, closed), (0, 10, 2));
    let is_opened = |name: &str| !["all.zip", "cut.docx"].contains(&name);
    let documents = found.iter().filter(|row| is_opened(&row.0) && is_opened(&row.1));
    let names: Vec<(&str, &str, Relation)> = documents.map(|row| (&*row.0, &*row.1, row.2)).collect();
    assert_eq!(
        names,
        [
            ("again.docx", "five.docx", Relation::Equal),
            ("edited.docx", "one.docx", Relation::NearlyEqual),
            ("edited.docx", "stored.docx", Relation::NearlyEqual),
            ("one.docx", "stored.docx", Relation::NearlyEqual),
            ("picture.png", "seven.odt", Relation::NearlyEqual),
        ]
    );
    assert!(found.contains(&("cut.docx".into(), "five.docx".into(), Relation::AInB)), "{found:?}");
    // By one method files are compared as they are.
    let pairs = by_shingles(Request::new(crate::rows::input(&room, &["d"])));
    assert!(pairs.contains(&["five.docx".into(), "four.docx".into()]), "{pairs:?}");
}

/// A pair that is found where nothing is opened is found where everything is: releases of a
/// package, of whose members a part is the same.
#[test]
fn opening_finds_no_less() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = Room::new();
    for release in 0..2u64 {
        for class in 0..30u64 {
            let own = if class < 3 { class } else { 100 + 50 * release + class };
            room.file(format!("{release}/{class:02}.class"), &content(own, 5_000));
        }
        room.sh(&format!("mkdir -p d; cd {release} && zip -q -r ../d/{release}.jar ."));
    }
    let closed = rows(&Request::new(crate::rows::input(&room, &["d"])), &room).0;
    let opened = rows(&Request::new(input(&room, &["d"], |_| {})), &room).0;
    let pair = |rows: &[(String, String, Relation)]| rows.iter().any(|row| (&*row.0, &*row.1) == ("0.jar", "1.jar"));
    assert!(pair(&closed) && pair(&opened), "{closed:?} {opened:?}");
    // Digests of outer forms do not count as scores.
    for request in [Request::new(crate::rows::input(&room, &["d"])), Request::new(input(&room, &["d"], |_| {}))] {
        let mut scores = None;
        let mut take = |event: Event<'_>| {
            if let Event::Related(row) = event {
                scores = Some(row.scores.len());
            }
            Ok(())
        };
        compare::run(&request, &mut take, &Control::new()).unwrap();
        assert_eq!(scores, Some(0));
    }
}
