//! Strings that nearly every program has.

/// Strings that tell nothing, one a line: those of linkers, of C libraries and of Python's modules,
/// and code that is printable. Of those of ELF each is in programs of at least 8 of 25 packages of
/// Debian, of those of PE and Mach-O in modules of at least 4 of 12 packages of PyPI; without them
/// a comparison of two files can do without the weights that many files give.
pub const COMMON: &str = include_str!("common.txt");
