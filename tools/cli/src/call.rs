//! How a process of the programs was called.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// How the program was called.
#[derive(Debug)]
pub struct Call {
    /// The name by which it was called, and the arguments.
    pub words: Vec<OsString>,
    /// The file that starts the program again, with arguments as these.
    pub program: io::Result<PathBuf>,
    /// Which of the two programs this process is.
    pub role: Role,
}

/// One of the two programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// `pfh`.
    Pfh,
    /// `pfh-bench`, whose arguments are those of `pfh bench`.
    Bench,
}

impl Call {
    /// This process, if it is the program and nothing else.
    pub fn process(role: Role) -> Call {
        Call { words: std::env::args_os().collect(), program: std::env::current_exe(), role }
    }
}

/// The line that started this process, as a shell reads it.
pub fn line() -> String {
    let words = std::env::args_os().enumerate().map(|(at, word)| match at {
        0 => std::path::Path::new(&word).file_name().map_or_else(|| word.clone(), std::ffi::OsStr::to_os_string),
        _ => word,
    });
    words.map(|word| crate::shell::quoted(&word)).collect::<Vec<_>>().join(" ")
}
