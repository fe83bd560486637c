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

/// The pairs, members of documents, and whether it may be trusted.
fn rows(request: &Request, room: &Room) -> (Vec<(String, String, Relation)>, u64) {
    let (mut rows, mut members) = (Vec::new(), 0);
    let mut take = |event: Event<'_>| {
        match event {
            Event::Related(row) if row.listed => {
                let [a, b] = [row.a, row.b].map(|name| below(room, name).trim_start_matches("d/").to_owned());
                rows.push((a, b, row.relation));
            }
            Event::AllRelated(all) => members = all.members,
            _ => {}
        }
        Ok(())
    };
    let summary = compare::run(request, &mut take, &Control::new()).unwrap();
    assert_eq!(summary.faults, 0);
    rows.sort_by(|x, y| (&x.0, &x.1).cmp(&(&y.0, &y.1)));
    (rows, members)
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
    let mut each = asked();
    each.algorithms = algorithms("shingles");
    let mut pairs = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Pair(pair) = event {
            pairs.push([base(pair.a), base(pair.b)]);
        }
        Ok(())
    };
    compare::run(&each, &mut take, &Control::new()).unwrap();
    assert!(pairs.iter().filter(|pair| **pair == ["styles.xml", "styles.xml"]).count() > 20, "{pairs:?}");
}

/// Without the members documents are files like others.
#[test]
fn documents_are_files_where_nothing_is_opened() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = room();
    let (found, members) = rows(&Request::new(crate::rows::input(&room, &["d"])), &room);
    assert_eq!(members, 0);
    // Equal compressed members are equal bytes.
    assert!(found.iter().any(|row| (&*row.0, &*row.1) == ("five.docx", "four.docx")), "{found:?}");
}
