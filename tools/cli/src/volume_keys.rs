//! The keys of encrypted volumes and zips: passwords in files or asked for, and key files. Every
//! command that goes into containers flattens this. A password is never an argument.

use crate::exit::{Exit, Failure};
use clap::Args;
use pfh::inside::{Key, Keys};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, Args)]
pub struct VolumeKeys {
    /// Open encrypted volumes (BitLocker, LUKS, FileVault) and members of a zip with the passwords
    /// in FILE, one per line; recovery passwords as well.
    #[arg(long, value_name = "FILE")]
    pub passwords: Vec<PathBuf>,
    /// Ask for a password at the terminal, which does not show it.
    #[arg(long)]
    pub ask_password: bool,
    /// Open encrypted volumes with a key file: BitLocker's startup key (.BEK) or LUKS's.
    #[arg(long, value_name = "FILE")]
    pub volume_key: Vec<PathBuf>,
}

impl VolumeKeys {
    /// Whether any is given.
    pub fn are_given(&self) -> bool {
        self.ask_password || !self.passwords.is_empty() || !self.volume_key.is_empty()
    }

    /// The keys: those of files are read, one is asked for.
    ///
    /// # Errors
    /// When a file of keys cannot be read, or there is nobody to ask.
    pub fn read(&self) -> Result<Keys, Failure> {
        let mut keys = Keys::new();
        let failed = |path: &Path, error: io::Error| {
            Failure::new(Exit::Incomplete, format_args!("{}: {error}", pfh::terminal::shown(path)))
        };
        for path in &self.passwords {
            keys.read_lines(path).map_err(|error| failed(path, error))?;
        }
        for path in &self.volume_key {
            keys.read_file(path).map_err(|error| failed(path, error))?;
        }
        if self.ask_password {
            keys.push(Key::password(ask()?));
        }
        Ok(keys)
    }
}

/// Asks for a password, without showing it. Names on standard input stay where they are: it is the
/// terminal that is read.
fn ask() -> Result<String, Failure> {
    let nobody = |why: &str| Failure::usage(format_args!("--ask-password: {why}; give --passwords FILE"));
    if !io::stderr().is_terminal() {
        return Err(nobody("needs a terminal"));
    }
    match rpassword::prompt_password("Password of encrypted volumes: ") {
        Ok(password) if password.is_empty() => Err(nobody("no password was typed")),
        Ok(password) => Ok(password),
        Err(error) => Err(nobody(&error.to_string())),
    }
}
