//! Tables: the same cells in another form, and texts that are none.

use pfh_similarity::cells::Cells;
use pfh_similarity::{Hasher, Method, NoDigest, Score};

/// A table of rows with a number, a name, a place and a day.
fn rows(seed: usize, count: usize) -> Vec<[String; 4]> {
    let row = |at: usize| {
        let number = (seed * 7919 + at) * 104_729 % 1_000_003;
        let place = format!("Place, {}", number % 97 + 100 * seed);
        [
            format!("{number:06}"),
            format!("Name {}", number % 5003),
            place,
            format!("2024-{:02}-{:02}", at % 12 + 1, at % 28 + 1),
        ]
    };
    (0..count).map(row).collect()
}

fn written(rows: &[Vec<&str>], separator: &str, end: &str) -> Vec<u8> {
    let cell = |cell: &&str| if cell.contains([',', ';']) { format!("\"{cell}\"") } else { (*cell).to_owned() };
    let line = |row: &Vec<&str>| row.iter().map(cell).collect::<Vec<_>>().join(separator) + end;
    rows.iter().map(line).collect::<String>().into_bytes()
}

fn score(a: &[u8], b: &[u8]) -> u32 {
    let Score::Similarity(score) = Cells.compare(&Cells.digest(a).unwrap(), &Cells.digest(b).unwrap()).score else {
        panic!("a similarity")
    };
    score.into()
}

#[test]
fn the_same_cells_in_another_form_are_the_same_table() {
    for count in [20, 3000] {
        let table = rows(1, count);
        let plain: Vec<Vec<&str>> = table.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let first = written(&plain, ",", "\n");
        for (separator, end) in [(";", "\n"), ("\t", "\r\n"), ("|", "\n"), (" , ", "\r")] {
            assert_eq!(score(&first, &written(&plain, separator, end)), 100, "{separator:?} {count}");
        }
        let fewer: Vec<Vec<&str>> = plain.iter().map(|row| vec![row[3], row[0], row[1]]).collect();
        let least = if count == 20 { 70 } else { 60 };
        assert!(score(&first, &written(&fewer, ";", "\n")) >= least);
        let mut other = plain.clone();
        other.sort_by_key(|row| row[1].to_owned());
        assert_eq!(score(&first, &written(&other, ",", "\n")), 100);
        let marked = [b"\xef\xbb\xbf", &first[..]].concat();
        assert_eq!(score(&first, &marked), 100);
        // A table of the same form has its days in common, and those of the year.
        let strange = rows(5, count);
        let strange: Vec<Vec<&str>> = strange.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        assert!(score(&first, &written(&strange, ",", "\n")) < 30, "{count}");
    }
}

#[test]
fn any_pieces_give_the_digest_of_the_whole() {
    let table = rows(3, 2000);
    let plain: Vec<Vec<&str>> = table.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    let bytes = written(&plain, ";", "\r\n");
    let whole = Cells.digest(&bytes);
    assert!(whole.is_ok());
    for size in [1, 7, 4096, 16 << 10, 20_000] {
        let mut hasher = Cells.hasher();
        bytes.chunks(size).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.finalize(), whole, "{size}");
    }
}

#[test]
fn other_texts_are_no_tables() {
    let prose = "It was late, and the lamps, one by one, went out.\nNobody spoke.\nThen, after a while, rain began.\n";
    let code = "fn main() {\n    let a = 1;\n    if a > 0 {\n        print(a, 2);\n    }\n}\n";
    for bytes in [
        prose.repeat(40).as_bytes(),
        code.repeat(40).as_bytes(),
        b"",
        b"a;b\n",
        b"\x7fELF;a;b\n;\n;\n",
        b"a,b\nc,d\ne\0,f\n",
    ] {
        assert_eq!(Cells.digest(bytes), Err(NoDigest::OtherKind));
    }
    // Also where the control character comes late.
    let mut late = b"anna;berlin\n".repeat(3000);
    assert!(Cells.digest(&late).is_ok());
    late.push(0);
    assert_eq!(Cells.digest(&late), Err(NoDigest::OtherKind));
}
