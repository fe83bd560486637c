//! The features of an executable, by the reader of the crate `object`.

use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::{File, FileKind, Import, NameOrOrdinal, Object, ObjectSection};

/// Bytes of an executable, at most: it is in memory.
pub const LARGEST: u64 = 64 << 20;
/// Bytes of a section, at least.
pub const LEAST_SECTION: u64 = 64;
/// Names and sections that are taken, at most.
const MOST: usize = 1 << 18;
/// Names that cannot be read, at most: each may have been looked for in the whole file.
const WRONG: u32 = 64;
/// Architectures of a universal binary, at most.
const ARCHITECTURES: usize = 16;
/// Sections whose names begin so are tables for the linker and the loader: they repeat the imports,
/// or name the compiler.
const TABLES: [&[u8]; 24] = [
    b".comment",
    b".dyn",
    b".edata",
    b".eh_frame_hdr",
    b".gnu",
    b".got",
    b".hash",
    b".idata",
    b".interp",
    b".note",
    b".plt",
    b".rel",
    b".shstr",
    b".str",
    b".symtab",
    b"__eh_frame",
    b"__got",
    b"__la_symbol_ptr",
    b"__mod_init_func",
    b"__nl_symbol_ptr",
    b"__stub",
    b"__symbol_stub",
    b"__unwind_info",
    b"/",
];

/// Takes the features of an executable, each as text that names it; a section's bytes follow its
/// name.
pub trait Features {
    /// Takes an imported or exported name, or a library: the parts belong together.
    fn name(&mut self, parts: [&[u8]; 3]);
    /// Takes a section.
    fn section(&mut self, name: &[u8], bytes: &[u8]);
}

/// The bytes and items that may still be looked at: a file of some bytes can say that all its names
/// are as long as itself.
struct Budget {
    bytes: usize,
    items: usize,
    wrong: u32,
}

impl Budget {
    /// Whether a thing of this many bytes may still be looked at.
    fn pay(&mut self, bytes: usize) -> bool {
        match (self.bytes.checked_sub(bytes), self.items.checked_sub(1)) {
            (Some(bytes), Some(items)) => {
                (self.bytes, self.items) = (bytes, items);
                true
            }
            _ => false,
        }
    }

    /// The thing, if it could be read. None: no more of them.
    fn read<T>(&mut self, item: object::Result<T>) -> Option<Option<T>> {
        match item {
            Ok(item) => Some(Some(item)),
            Err(_) => {
                self.wrong = self.wrong.checked_sub(1)?;
                Some(None)
            }
        }
    }
}

/// Hands on the features. Gives false unless it is an executable that can be read.
pub fn read(bytes: &[u8], features: &mut dyn Features) -> bool {
    // Headers, names and sections may be looked at twice.
    let mut budget = Budget { bytes: 4 * bytes.len(), items: MOST, wrong: WRONG };
    let mut of = |bytes: &[u8]| File::parse(bytes).map(|file| of_file(&file, &mut budget, features)).is_ok();
    match FileKind::parse(bytes) {
        Ok(FileKind::MachOFat32) => {
            let Ok(fat) = MachOFatFile32::parse(bytes) else { return false };
            let parts = fat.arches().iter().take(ARCHITECTURES).filter_map(|arch| arch.data(bytes).ok());
            parts.fold(false, |any, part| of(part) | any)
        }
        Ok(FileKind::MachOFat64) => {
            let Ok(fat) = MachOFatFile64::parse(bytes) else { return false };
            let parts = fat.arches().iter().take(ARCHITECTURES).filter_map(|arch| arch.data(bytes).ok());
            parts.fold(false, |any, part| of(part) | any)
        }
        Ok(
            FileKind::Elf32 | FileKind::Elf64 | FileKind::MachO32 | FileKind::MachO64 | FileKind::Pe32 | FileKind::Pe64,
        ) => of(bytes),
        _ => false,
    }
}

fn of_file(file: &File<'_>, budget: &mut Budget, features: &mut dyn Features) {
    // Imports are read with their libraries: those must not be too long, or too many.
    if libraries(file, budget, features).is_some() {
        names(file, budget, features);
    }
    for section in file.sections() {
        let Some(read) = budget.read(section.data().and_then(|bytes| Ok((section.name_bytes()?, bytes)))) else {
            break;
        };
        let Some((name, bytes)) = read else { continue };
        if !budget.pay(name.len() + bytes.len()) {
            break;
        }
        let is_table = TABLES.iter().any(|table| name.starts_with(table));
        if !is_table && bytes.len() as u64 >= LEAST_SECTION && bytes.iter().any(|byte| *byte != bytes[0]) {
            features.section(name, bytes);
        }
    }
}

/// The libraries; none if there is too much of them.
fn libraries(file: &File<'_>, budget: &mut Budget, features: &mut dyn Features) -> Option<()> {
    let Ok(libraries) = file.import_libraries() else { return Some(()) };
    for library in libraries {
        let Some(library) = budget.read(library)? else { continue };
        budget.pay(library.name().len()).then_some(())?;
        features.name([b"library", &plain(library.name()), b""]);
    }
    Some(())
}

fn names(file: &File<'_>, budget: &mut Budget, features: &mut dyn Features) -> Option<()> {
    for import in file.imports().into_iter().flatten() {
        let Some(import) = budget.read(import)? else { continue };
        let library = match file {
            // Elsewhere names are looked for in all libraries, or nearly so.
            File::Pe32(_) | File::Pe64(_) => plain(Import::library(&import)),
            _ => Vec::new(),
        };
        budget.pay(library.len() + length(&import)).then_some(())?;
        match import.name() {
            NameOrOrdinal::Name(name) => features.name([b"import", &library, name]),
            NameOrOrdinal::Ordinal(ordinal) => {
                features.name([b"import", &library, format!("#{ordinal}").as_bytes()]);
            }
        }
    }
    for export in file.exports().into_iter().flatten() {
        let Some(export) = budget.read(export)? else { continue };
        if let NameOrOrdinal::Name(name) = export.name() {
            budget.pay(name.len()).then_some(())?;
            features.name([b"export", b"", name]);
        }
    }
    Some(())
}

fn length(import: &Import<'_>) -> usize {
    match import.name() {
        NameOrOrdinal::Name(name) => name.len(),
        NameOrOrdinal::Ordinal(_) => 0,
    }
}

/// A library's name in small letters, without its folder and the part from its first dot on:
/// releases are numbered there.
fn plain(library: &[u8]) -> Vec<u8> {
    let name = library.rsplit(|byte| *byte == b'/').next().unwrap_or(library);
    let name = name.split(|byte| *byte == b'.').next().unwrap_or(name);
    name.to_ascii_lowercase()
}
