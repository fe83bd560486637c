//! How a command is asked for an output, and the cases of `pfh tree`.
#![cfg(unix)]

/// How a command is asked to write one output.
pub struct Case {
    pub page: &'static str,
    pub option: &'static str,
    /// The command; OUT is the output.
    pub words: &'static str,
    /// The file behind it, where the command makes a name of the given one.
    pub file: &'static str,
    /// Its inputs.
    pub read: &'static [&'static str],
    /// Another output that would be the same file.
    pub twice: &'static str,
    /// How it ends where nothing is in the way.
    pub code: i32,
}

pub const CASE: Case = Case { page: "", option: "", words: "", file: "OUT", read: &["in"], twice: "", code: 0 };

pub const TREES: &[Case] = &[
    Case { page: "tree-build", option: "--outboard", words: "tree build in --outboard OUT", ..CASE },
    Case { page: "tree-build", option: "--outboard", words: "tree build in", file: "in.pfhtree", read: &[], ..CASE },
    Case { page: "tree-receive", option: "--output", words: "tree receive -o OUT 0=in", ..CASE },
    Case {
        page: "tree-receive",
        option: "--output",
        words: "tree receive -o new 0=in",
        file: "new.partial",
        read: &[],
        ..CASE
    },
    Case {
        page: "tree-receive",
        option: "--output",
        words: "tree receive -o new 0=in",
        file: "new.receipt",
        read: &[],
        ..CASE
    },
    Case { page: "tree-receive", option: "--outboard", words: "tree receive -o new 0=in --outboard OUT", ..CASE },
    Case {
        page: "tree-receive",
        option: "--outboard",
        words: "tree receive -o new 0=in",
        file: "new.pfhtree",
        read: &[],
        ..CASE
    },
    Case { page: "tree-watch", option: "--outboard", words: "tree watch in --outboard OUT", code: 3, ..CASE },
    Case { page: "tree-append", option: "--outboard", words: "tree append in --outboard OUT", code: 3, ..CASE },
    Case {
        page: "tree-update",
        option: "--outboard",
        words: "tree update in --range 0:1 --outboard OUT",
        code: 3,
        ..CASE
    },
    Case {
        page: "tree-update",
        option: "--proof",
        words: "tree update held --range 0:1 --proof OUT",
        read: &["held", "held.pfhtree"],
        ..CASE
    },
    Case {
        page: "tree-prove",
        option: "--output",
        words: "tree prove held --range 0:10 -o OUT",
        read: &["held", "held.pfhtree"],
        ..CASE
    },
    Case {
        page: "tree-verify",
        option: "--output",
        words: "tree verify part --root 0000000000000000000000000000000000000000000000000000000000000000 -o OUT",
        read: &["part"],
        code: 1,
        ..CASE
    },
    Case { page: "tree-export", option: "--obao", words: "tree export held --obao OUT", read: &["held"], ..CASE },
    Case {
        page: "tree-import",
        option: "--outboard",
        words: "tree import held --obao obao --outboard OUT",
        read: &["held", "obao"],
        ..CASE
    },
];
