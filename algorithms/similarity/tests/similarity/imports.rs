//! Imports and exports of executables: compared with `readelf`, in hand-made files, and in hostile
//! ones.

use pfh_similarity::imports::{Features, Imports, read};
use pfh_similarity::{Hasher, Method};
use proptest::prelude::*;
use std::collections::BTreeSet;
#[cfg(unix)]
use std::process::Command;

/// The features that were handed on, as text.
#[derive(Default)]
struct Taken {
    names: BTreeSet<String>,
    sections: BTreeSet<(String, usize)>,
    count: usize,
}

impl Features for Taken {
    fn name(&mut self, parts: [&[u8]; 3]) {
        self.count += 1;
        self.names.insert(parts.map(|part| String::from_utf8_lossy(part).into_owned()).join(" "));
    }

    fn section(&mut self, name: &[u8], bytes: &[u8]) {
        self.sections.insert((String::from_utf8_lossy(name).into_owned(), bytes.len()));
    }
}

fn taken(bytes: &[u8]) -> Option<Taken> {
    let mut taken = Taken::default();
    read(bytes, &mut taken).then_some(taken)
}

/// This test itself, and the libraries that it is linked to. On Windows it has another format than
/// ELF.
#[cfg(unix)]
#[test]
fn elf_has_the_names_that_readelf_says() {
    let own = std::env::current_exe().unwrap();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let libraries = maps.lines().filter_map(|line| line.split_whitespace().nth(5)).filter(|path| path.contains(".so"));
    let files: BTreeSet<&str> = libraries.chain([own.to_str().unwrap()]).collect();
    assert!(files.len() > 2, "{files:?}");
    for file in files {
        let run =
            Command::new("readelf").args(["-W", "--dyn-syms", file]).output().expect("readelf of the linker's package");
        let text = String::from_utf8(run.stdout).unwrap();
        let mut expected = BTreeSet::new();
        for line in text.lines() {
            // Num: Value Size Type Bind Vis Ndx Name
            let fields: Vec<&str> = line.split_whitespace().collect();
            let [number, _, _, _, bind, _, index, name, ..] = fields[..] else { continue };
            if !number.ends_with(':') || number == "Num:" || bind == "LOCAL" {
                continue;
            }
            let name = name.split('@').next().unwrap();
            expected.insert(format!("{} {name}", if index == "UND" { "import " } else { "export " }));
        }
        let found = taken(&std::fs::read(file).unwrap()).expect("an executable");
        let names: BTreeSet<String> = found.names.into_iter().filter(|name| !name.starts_with("library")).collect();
        assert!(
            expected.len() > 20 && names == expected,
            "{file}: {:?}",
            names.symmetric_difference(&expected).collect::<Vec<_>>()
        );
        assert!(found.sections.iter().any(|(name, length)| name == ".text" && *length > 64), "{:?}", found.sections);
        assert!(!found.sections.iter().any(|(name, _)| name.starts_with(".dyn") || name.starts_with(".note")));
    }
}

/// PE for 64 bits with one section, which holds the directory of imports: of one library two names
/// and an ordinal.
fn pe() -> Vec<u8> {
    let mut file = vec![0u8; 0x400];
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"MZ");
    put(0x3c, &64u32.to_le_bytes());
    put(64, b"PE\0\0\x64\x86\x01\0");
    // The length of the optional header, and the kind of the file.
    put(64 + 20, &240u16.to_le_bytes());
    put(64 + 22, &0x0022u16.to_le_bytes());
    let optional = 64 + 24;
    put(optional, &0x20bu16.to_le_bytes());
    put(optional + 32, &0x1000u32.to_le_bytes());
    put(optional + 36, &0x200u32.to_le_bytes());
    put(optional + 108, &16u32.to_le_bytes());
    put(optional + 120, &0x1000u32.to_le_bytes());
    put(optional + 124, &40u32.to_le_bytes());
    let section = optional + 240;
    put(section, b".rdata\0\0");
    for (at, value) in [(8, 0x200u32), (12, 0x1000), (16, 0x200), (20, 0x200), (36, 0x4000_0040)] {
        put(section + at, &value.to_le_bytes());
    }
    // One library, its thunks, their names.
    for (at, value) in [(0, 0x1040u32), (12, 0x10a0), (16, 0x1040)] {
        put(0x200 + at, &value.to_le_bytes());
    }
    for (at, value) in [(0x40, 0x1080u64), (0x48, 0x1090), (0x50, 1 << 63 | 17)] {
        put(0x200 + at, &value.to_le_bytes());
    }
    put(0x280, b"\0\0ReadFile\0");
    put(0x290, b"\0\0WriteFile\0");
    put(0x2a0, b"KERNEL32.DLL\0");
    file
}

#[test]
fn pe_has_names_and_ordinals_with_their_library() {
    let found = taken(&pe()).expect("an executable");
    let expected =
        ["import kernel32 #17", "import kernel32 ReadFile", "import kernel32 WriteFile", "library kernel32 "];
    assert_eq!(found.names.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(found.sections.into_iter().collect::<Vec<_>>(), [(".rdata".to_owned(), 0x200)]);
    // Another library's ordinal is another import.
    let mut other = pe();
    other[0x2a0..0x2a4].copy_from_slice(b"USER");
    assert!(taken(&other).unwrap().names.contains("import userel32 #17"));
}

/// All imports have the same name, which is as long as the file: it is not read for each of them.
#[test]
fn names_are_not_read_again_and_again() {
    let mut file = pe();
    let (thunks, name) = (10_000, 1 << 20);
    file.truncate(0x200);
    file.resize(0x200 + 0x100 + 8 * thunks + name, b'n');
    file.push(0);
    let size = (file.len() - 0x200) as u32;
    file.push(0);
    for at in [8, 16] {
        file[64 + 24 + 240 + at..][..4].copy_from_slice(&size.to_le_bytes());
    }
    for (at, value) in [(0, 0x1100u32), (12, 0x1040), (16, 0x1100)] {
        file[0x200 + at..][..4].copy_from_slice(&value.to_le_bytes());
    }
    file[0x200 + 20..0x200 + 40].fill(0);
    file[0x240..0x250].copy_from_slice(b"KERNEL32.DLL\0\0\0\0");
    for thunk in 0..thunks {
        let at = (0x1100 + 8 * thunks) as u64;
        file[0x300 + 8 * thunk..][..8].copy_from_slice(&at.to_le_bytes());
    }
    let found = taken(&file).expect("an executable");
    assert!((2..20).contains(&found.count), "{}", found.count);
}

#[test]
fn other_files_have_no_digest() {
    for bytes in [&b""[..], b"MZ", b"\x7fELF", b"\xca\xfe\xba\xbe\0\0\0\x34 a class of Java", b"text", &pe()[..0x180]] {
        assert!(Imports.digest(bytes).is_err(), "{bytes:?}");
    }
}

proptest! {
    /// A damaged executable is read or refused; pieces give the same as the whole.
    #[test]
    fn damaged_ones_are_read_or_refused(
        changes in prop::collection::vec((0usize..0x300, any::<u8>()), 0..12),
        cut in 0usize..0x400,
        pieces in prop::collection::vec(1usize..300, 1..9),
    ) {
        let mut file = pe();
        for (at, byte) in changes {
            file[at] = byte;
        }
        file.truncate(file.len() - cut / 4);
        let whole = Imports.digest(&file).ok();
        let (mut hasher, mut rest) = (Imports.hasher(), &file[..]);
        for piece in pieces.iter().cycle() {
            let (first, last) = rest.split_at((*piece).min(rest.len()));
            hasher.update(first);
            rest = last;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(hasher.finalize().ok(), whole);
    }
}
