//! Seals beside manifests: made by `pfh hash --seal`, verified by `pfh check` before anything else.

use crate::exit::{self, Exit};
use crate::{key, shown};
use pfh::format::Options;
use pfh::sink::Output;
use pfh::sink::check::Expectations;
use pfh::sink::seal::{Seal, SealError};
use pfh::{Algorithm, Patient, Problem, Stage};
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
    let file = Patient::open(manifest).map_err(SealError::Io)?;
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

/// Verifies the seal of a manifest, where it has one or a key is given, and says that it holds unless `silent`. A seal knows of which
/// algorithm digests are that do not say: gives that one where it is not what the options make of them.
///
/// # Errors
/// The exit; what is wrong has been said.
pub fn verify(
    manifest: &Path,
    options: &Options,
    public: Option<&Path>,
    silent: bool,
) -> Result<Option<Algorithm>, Exit> {
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
    let read = match Patient::open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && key.is_none() => return Ok(None),
        Err(error) => Err(error),
        Ok(file) => file.take(LONGEST).read_to_string(&mut text),
    };
    if let Err(error) = read {
        // Text that is none is a wrong seal, one that is not there no seal of this key's; one that cannot be read says nothing.
        let kind = error.kind();
        let says = matches!(kind, io::ErrorKind::InvalidData | io::ErrorKind::NotFound);
        return wrong(if says { Exit::Verdict } else { Exit::Incomplete }, format!("{name}: {error}"));
    }
    let verified = Seal::decode(&text).and_then(|seal| {
        let (found, other) = meant(manifest, options, &seal)?;
        seal.verify(&found, key.as_ref())?;
        Ok((seal, other))
    });
    match verified {
        // The seal is there; what it is of is not.
        Err(SealError::Io(error)) => {
            let what = shown(manifest.as_os_str().as_encoded_bytes());
            wrong(Exit::Usage, format!("{what}: {}", Problem::io(Stage::Open, &error)))
        }
        Err(error) => wrong(Exit::Verdict, format!("{name}: {error}")),
        Ok((seal, other)) => {
            if !silent {
                let records = if seal.records == 1 { "1 record".into() } else { format!("{} records", seal.records) };
                let whose = match (&key, seal.signature) {
                    (Some(_), _) => "signed with the key that was asked for",
                    (None, Some(_)) => "signed; whose signature it is, only --key can tell",
                    (None, None) => "not signed: whoever can write here can make another",
                };
                exit::say(format!("{name}: the seal holds: {records}, {whose}"));
            }
            Ok(other)
        }
    }
}

/// The seal of the manifest as it is now; where that is not the one that is looked for, and digests do not say of which algorithm they
/// are, with each algorithm that would do.
fn meant(manifest: &Path, options: &Options, seal: &Seal) -> Result<(Seal, Option<Algorithm>), SealError> {
    let found = of(manifest, options)?;
    let same = |other: &Seal| (other.records, other.root) == (seal.records, seal.root);
    if same(&found) || !options.assumed.is_empty() {
        return Ok((found, None));
    }
    let file = Patient::open(manifest).map_err(SealError::Io)?;
    let Ok(read) = Expectations::read(BufReader::new(file), options, pfh::REGISTRY) else { return Ok((found, None)) };
    let mut others: Vec<Algorithm> = Vec::new();
    for entry in &read.entries {
        for other in entry.alternatives(pfh::REGISTRY) {
            if !others.contains(&other) {
                others.push(other);
            }
        }
    }
    for other in others {
        let options = Options { assumed: vec![other], ..options.clone() };
        if let Ok(found) = of(manifest, &options)
            && same(&found)
        {
            return Ok((found, Some(other)));
        }
    }
    Ok((found, None))
}
