//! Split WIMs: made of a whole one, and by wimlib.

use super::{Outcomes, read, whole};
use pfh_archive::{Format, part_of_wim};
use pfh_inject::{Need, lacks, random};
use std::path::Path;
use std::process::Command;

const HEADER: usize = 208;
const ENTRY: usize = 50;

fn outsider() -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outsiders/xpress.wim")).unwrap()
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// A WIM in this many parts: names in the first, streams in turn.
pub fn split(count: u16) -> Vec<Vec<u8>> {
    let whole = outsider();
    let (table, size) = (number(&whole, 56) as usize, number(&whole, 64) as usize);
    let entries: Vec<&[u8]> = whole[table..table + size].chunks(ENTRY).collect();
    let part = |of: u16| {
        let mut all = whole[..HEADER].to_vec();
        let mut own = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let is_metadata = entry[7] & 2 != 0;
            if of != if is_metadata { 1 } else { index as u16 % count + 1 } {
                continue;
            }
            let (stored, offset) = ((number(entry, 0) & 0xff_ffff_ffff_ffff) as usize, number(entry, 8) as usize);
            let mut entry = entry.to_vec();
            entry[8..16].copy_from_slice(&(all.len() as u64).to_le_bytes());
            entry[24..26].copy_from_slice(&of.to_le_bytes());
            own.extend(entry);
            all.extend(&whole[offset..offset + stored]);
        }
        let size = own.len() as u64;
        let place = all.len() as u64;
        let flags = number(&whole, 48) & !0xff_ffff_ffff_ffff;
        all[40..44].copy_from_slice(&[of.to_le_bytes(), count.to_le_bytes()].concat());
        all[48..72].copy_from_slice(&[flags | size, place, size].map(u64::to_le_bytes).concat());
        [all, own].concat()
    };
    (1..=count).map(part).collect()
}

fn wrong(found: &Outcomes) -> Vec<String> {
    found.iter().filter_map(|(name, is)| Some(format!("{name}: {}", is.as_ref().err()?))).collect()
}

#[test]
fn a_split_image_is_read_as_the_whole_one() {
    let expected = whole(read(Format::Wim, &[outsider()]));
    for count in [1, 2, 3, 7] {
        let parts = split(count);
        assert!(whole(read(Format::Wim, &parts)) == expected, "{count}");
        assert_eq!(part_of_wim(parts.last().unwrap()), (count > 1).then_some((count, count)));
    }
    // In any order but for the first.
    let [first, second, third] = &split(3)[..] else { panic!() };
    assert!(whole(read(Format::Wim, &[first.clone(), third.clone(), second.clone()])) == expected);
}

#[test]
fn parts_that_are_missing_or_of_another_set_are_named() {
    let parts = split(3);
    let found = wrong(&read(Format::Wim, &[parts[0].clone(), parts[2].clone()]));
    let missing = found.iter().filter(|why| why.contains("part 2 of 3 (NAME2.swm) is not beside it")).count();
    let lost = found.iter().filter(|why| why.contains("it is in another part, or lost")).count();
    assert!(missing == 1 && lost > 0 && missing + lost == found.len(), "{found:?}");
    let found = wrong(&read(Format::Wim, &parts[1..2]));
    for part in ["part 1 of 3 (NAME.swm)", "part 3 of 3 (NAME3.swm)", "the names of 0"] {
        assert!(found.iter().any(|why| why.contains(part)), "{part}: {found:?}");
    }
    let mut other = parts.clone();
    other[1][24] ^= 1;
    let found = wrong(&read(Format::Wim, &other));
    assert!(found.iter().any(|why| why.contains("a part 2 of another set") && why.contains("offset")), "{found:?}");
    assert!(found.iter().any(|why| why.contains("part 2 of 3 (NAME2.swm)")), "{found:?}");
    let found = wrong(&read(Format::Wim, &[&parts[..2], &parts[1..]].concat()));
    assert!(found.len() == 1 && found[0].contains("a second part 2"), "{found:?}");
    let found = wrong(&read(Format::Wim, &split(300)[..1]));
    assert!(found.iter().any(|why| why.contains("199 further parts of 300")), "{found:?}");
}

fn run(room: &Path, line: &str) {
    let output = Command::new("sh").args(["-ec", line]).current_dir(room).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// wimlib captures and splits; of solid resources each name says that it is not read.
#[test]
fn sets_of_another_program_are_read_back() {
    if lacks(&[Need::Program("wimlib-imagex")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(room.path().join("t/d")).unwrap();
    let mut expected =
        vec![("1/rows".to_owned(), (0..40_000).map(|at| format!("{at}\n")).collect::<String>().into_bytes())];
    expected.extend((0..6).map(|at| (format!("1/d/{at}"), random(at, 700_000))));
    for (name, bytes) in &expected {
        std::fs::write(room.path().join(name.replacen('1', "t", 1)), bytes).unwrap();
    }
    expected.sort();
    for packing in ["none", "XPRESS", "LZX"] {
        run(
            room.path(),
            &format!(
                "rm -f x*.swm a.wim; wimlib-imagex capture t a.wim --compress={packing} >&2; wimlib-imagex split a.wim x.swm 1 >&2"
            ),
        );
        let parts: Vec<Vec<u8>> = (1..)
            .map_while(|at| {
                let name = if at == 1 { "x.swm".to_owned() } else { format!("x{at}.swm") };
                std::fs::read(room.path().join(name)).ok()
            })
            .collect();
        assert!(parts.len() > 3, "{packing}: {}", parts.len());
        let mut found = whole(read(Format::Wim, &parts));
        found.sort();
        assert!(found == expected, "{packing}");
    }
    let solid = |options: &str| {
        run(room.path(), &format!("rm -f a.wim; wimlib-imagex capture t a.wim --solid {options} >&2"));
        wrong(&read(Format::Wim, &[std::fs::read(room.path().join("a.wim")).unwrap()]))
    };
    // The names are in another resource than the contents.
    let found = solid("--compress=LZX");
    for (name, _) in &expected {
        let said: Vec<_> = found.iter().filter(|why| why.starts_with(&format!("{name}: "))).collect();
        assert!(said.len() == 1 && said[0].contains("solid resource") && said[0].contains("not read"), "{found:?}");
    }
    assert_eq!(found.len(), expected.len());
    // The names themselves are packed by LZMS: the image says so.
    let found = solid("");
    assert!(found.len() == 1 && found[0].starts_with("1: ") && found[0].contains("LZMS: not read"), "{found:?}");
}
