//! The functions of an ELF.

use crate::tlsh::{self, Tlsh};
use crate::{Method, imports};
use object::read::elf::{ElfFile, FileHeader, SectionHeader, Sym};
use object::{FileKind, elf};

/// Names of functions that compilers and systems choose, which do not count.
const LEFT_OUT: [&[u8]; 7] = [b"main", b"abort", b"cachectl", b"cacheflush", b"puts", b"atol", b"malloc_trim"];
/// Bytes of all names, at most for each byte of the file: names may share their bytes.
const NAMES: usize = 4;

/// The TLSH of the names of the global functions; none of other files, and where too few are named.
pub fn telfhash(bytes: &[u8]) -> Option<tlsh::Digest> {
    if bytes.len() as u64 > imports::LARGEST {
        return None;
    }
    let names = match FileKind::parse(bytes).ok()? {
        FileKind::Elf32 => names::<elf::FileHeader32<object::Endianness>>(bytes),
        FileKind::Elf64 => names::<elf::FileHeader64<object::Endianness>>(bytes),
        _ => None,
    }?;
    Tlsh.digest(&names.join(&b","[..])).ok()
}

fn names<Header: FileHeader<Endian = object::Endianness>>(bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
    let file = ElfFile::<Header>::parse(bytes).ok()?;
    let (endian, sections) = (file.endian(), file.elf_section_table());
    let is_table = |section: &&Header::SectionHeader| {
        matches!(section.sh_type(endian), elf::SHT_DYNSYM | elf::SHT_SYMTAB) && section.sh_size(endian).into() > 0
    };
    let kind = sections.iter().find(is_table)?.sh_type(endian);
    let symbols = sections.symbols(endian, bytes, kind).ok()?;
    let (mut names, mut left) = (Vec::new(), NAMES * bytes.len());
    for symbol in symbols.iter() {
        let is_function = symbol.st_type() == elf::STT_FUNC && symbol.st_bind() == elf::STB_GLOBAL;
        if !is_function || symbol.st_visibility() != elf::STV_DEFAULT {
            continue;
        }
        let name = symbol.name(endian, symbols.strings()).ok()?;
        if name.is_empty() || is_left_out(name) {
            continue;
        }
        left = left.checked_sub(name.len())?;
        names.push(name.to_ascii_lowercase());
    }
    names.sort_unstable();
    Some(names)
}

fn is_left_out(name: &[u8]) -> bool {
    matches!(name[0], b'_' | b'.')
        || name.ends_with(b"64")
        || name.starts_with(b"str")
        || name.starts_with(b"mem")
        || LEFT_OUT.contains(&name)
}
