//! Seals beside manifests: made by `pfh hash --seal`, verified by `pfh check` before anything else.

use crate::exit::{self, Exit};
use crate::{key, shown};
use pfh::format::Options;
use pfh::sink::Output;
use pfh::sink::seal::{Seal, SealError};
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// A seal is one line of a few hundred bytes.
const LONGEST: u64 = 4096;

/// The seal's file of a manifest.
pub fn beside(manifest: &Path) -> PathBuf {
    let mut name = manifest.as_os_str().to_owned();
    name.push(".seal");
    PathBuf::from(name)
}

fn of(manifest: &Path, options: &Options) -> Result<Seal, SealError> {
    let file = File::open(manifest).map_err(SealError::Io)?;
    Seal::of(BufReader::with_capacity(1 << 18, file), options, pfh::REGISTRY)
}

/// Seals a manifest that has been written.
///
/// # Errors
/// A sentence for the user.
pub fn write(manifest: &Path, options: &Options, signing: Option<&Path>) -> Result<(), String> {
    let name = shown(manifest.as_os_str().as_encoded_bytes());
    let mut seal = of(manifest, options).map_err(|error| format!("{name}: {error}"))?;
    if let Some(path) = signing {
        seal = seal.sign(&key::signing(path)?);
    }
    let put = || -> io::Result<()> {
        let mut output = Output::file(&beside(manifest))?;
        output.write_all(seal.encode().as_bytes())?;
        output.commit()
    };
    put().map_err(|error| format!("{name}.seal: {error}"))
}

/// Verifies the seal of a manifest, where it has one or a key is given.
///
/// # Errors
/// The exit; what is wrong has been said.
pub fn verify(manifest: &Path, options: &Options, public: Option<&Path>) -> Result<(), Exit> {
    let wrong = |exit: Exit, why: String| {
        exit::say(why);
        Err(exit)
    };
    let path = beside(manifest);
    let name = shown(path.as_os_str().as_encoded_bytes());
    let key = match public.map(key::verifying).transpose() {
        Ok(key) => key,
        Err(why) => return wrong(Exit::Usage, why),
    };
    let mut text = String::new();
    let read = match File::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && key.is_none() => return Ok(()),
        Err(error) => Err(error),
        Ok(file) => file.take(LONGEST).read_to_string(&mut text),
    };
    if let Err(error) = read {
        return wrong(Exit::Verdict, format!("{name}: {error}"));
    }
    let verified = Seal::decode(&text).and_then(|seal| {
        seal.verify(&of(manifest, options)?, key.as_ref())?;
        Ok(seal)
    });
    match verified {
        Err(error) => wrong(Exit::Verdict, format!("{name}: {error}")),
        Ok(seal) => {
            if key.is_none() && seal.signature.is_some() {
                exit::say(format!("{name}: whole, and signed; whose signature it is, only --key can tell"));
            }
            Ok(())
        }
    }
}
