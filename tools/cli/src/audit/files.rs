//! The steps of an audit over files and pipes.

use super::print::Verdict;
use super::{Challenge, Commit, Prove, Stop, Verify};
use crate::exit::{self, Exit};
use crate::{key, shown};
use pfh::Ranges;
use pfh::outboard;
use pfh::outputs::Outputs;
use pfh::sink::Output;
use pfh::tree::audit::{self, Commitment, KeyedAnswer, Proof, Rejected};
use pfh_audit::{Error, Held, Kept};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// No input of an audit but a proof is longer than this.
const SHORT: u64 = 64 << 20;
/// Nor is a proof than this: 4 GiB of leaves and what comes with them.
const LONG: u64 = 5 << 30;

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

/// The whole of a file, or of standard input for `-`.
fn input(path: &Path, most: u64) -> Result<Vec<u8>, Stop> {
    let read = || -> io::Result<Vec<u8>> {
        let from: Box<dyn Read> =
            if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(std::fs::File::open(path)?) };
        let mut bytes = Vec::new();
        from.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    };
    read().map_err(|error| Stop(format!("{}: {error}", name(path)), Exit::Incomplete))
}

fn output(path: Option<&PathBuf>, bytes: &[u8]) -> Result<Exit, Stop> {
    let write = || {
        let mut output = path.map_or_else(|| Ok(Output::standard()), |path| Output::file(path))?;
        output.write_all(bytes)?;
        output.commit()
    };
    write().map_err(|error| Stop(String::new(), exit::of_output(&error)))?;
    Ok(Exit::Good)
}

/// Writes a file that appears whole or not at all.
pub fn save(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    output(Some(&path.to_owned()), bytes).map(|_| ())
}

/// What the auditor keeps.
pub fn kept(path: &Path) -> Result<Vec<Kept>, Stop> {
    let kept = pfh_audit::parse(&input(path, SHORT)?).map_err(|e| Stop::usage(format!("{}: {e}", name(path))))?;
    if kept.is_empty() { Err(Stop::usage(format!("{}: no commitment in it", name(path)))) } else { Ok(kept) }
}

/// The one that is meant.
fn one(kept: Vec<Kept>, identity: Option<&OsStr>) -> Result<Kept, Stop> {
    let mut meant = kept.into_iter().filter(|kept| identity.is_none_or(|name| name.as_bytes() == kept.identity));
    match (meant.next(), meant.next()) {
        (Some(kept), None) => Ok(kept),
        (None, _) => Err(Stop::usage("no file of this identity is kept")),
        (Some(_), Some(_)) => Err(Stop::usage("several files are kept: say which one with --identity")),
    }
}

fn open(file: &Path) -> Result<Ranges, Stop> {
    Ranges::open(file.as_os_str().as_bytes()).map_err(|e| Stop(format!("{}: {e}", name(file)), Exit::Incomplete))
}

/// Refuses an output that is read, or somebody else's.
pub fn guard(path: Option<&PathBuf>, force: bool, read: &[&Path]) -> Result<(), Stop> {
    let mut outputs = Outputs::new(force);
    outputs.file("--output", path).reads_all(read);
    outputs.check().map_err(|refused| Stop::usage(refused.to_string()))
}

pub fn commit(commit: &Commit) -> Result<Exit, Stop> {
    let trees: Vec<PathBuf> = match &commit.outboard {
        Some(tree) => vec![tree.clone()],
        None => commit.files.iter().map(|file| outboard::beside(file)).collect(),
    };
    let read: Vec<&Path> = commit.files.iter().chain(&trees).map(PathBuf::as_path).collect();
    guard(commit.output.as_ref(), commit.force, &read)?;
    if commit.files.len() > 1 && (commit.identity.is_some() || commit.outboard.is_some()) {
        return Err(Stop::usage("--identity and --outboard are for one file"));
    }
    let mut lines = String::new();
    for file in &commit.files {
        let beside = commit.outboard.clone().unwrap_or_else(|| outboard::beside(file));
        let tree = outboard::load(&beside).map_err(Error::from)?;
        let found = open(file)?.size();
        if found != tree.length() {
            let message = format!("{}: has {found} bytes, its tree is of {}", name(file), tree.length());
            return Err(Stop(message, Exit::Verdict));
        }
        let identity = commit.identity.as_deref().unwrap_or(file.as_os_str()).as_bytes().to_vec();
        if !(1..=255).contains(&identity.len()) {
            return Err(Stop::usage("an identity has 1 to 255 bytes: state one with --identity"));
        }
        lines += &format!("{}\n", Kept { identity, commitment: Commitment::of(&tree) });
    }
    output(commit.output.as_ref(), lines.as_bytes())
}

pub fn challenge(challenge: &Challenge) -> Result<Exit, Stop> {
    guard(challenge.output.as_ref(), challenge.force, &[&challenge.kept])?;
    let kept = one(kept(&challenge.kept)?, challenge.identity.as_deref())?;
    let question = pfh_audit::challenge(&kept, challenge.sample.sample()?)?;
    output(challenge.output.as_ref(), &question.encode())
}

fn question(path: &Path) -> Result<audit::Challenge, Stop> {
    Ok(audit::Challenge::decode(&input(path, SHORT)?).map_err(Error::Challenge)?)
}

pub fn prove(prove: &Prove) -> Result<Exit, Stop> {
    let beside = prove.outboard.clone().unwrap_or_else(|| outboard::beside(&prove.file));
    let mut read: Vec<&Path> = vec![&prove.challenge, &prove.file, &beside];
    read.extend(prove.key.as_deref());
    guard(prove.output.as_ref(), prove.force, &read)?;
    let challenge = question(&prove.challenge)?;
    let key = prove.key.as_deref().map(key::signing).transpose().map_err(Stop::usage)?;
    let tree = outboard::load(&beside).map_err(Error::from)?;
    let file = open(&prove.file)?;
    let bytes = if prove.keyed {
        pfh_audit::keyed(&challenge, file, &Commitment::of(&tree))?.bytes().to_vec()
    } else {
        pfh_audit::answer(&challenge, Held { file, tree }, key.as_ref(), prove.most)?.encode()
    };
    output(prove.output.as_ref(), &bytes)
}

pub fn verify(verify: &Verify) -> Result<Exit, Stop> {
    let challenge = question(&verify.challenge)?;
    let kept = one(kept(&verify.kept)?, Some(OsStr::from_bytes(challenge.identity())))?;
    let key = verify.signed_by.as_deref().map(key::verifying).transpose().map_err(Stop::usage)?;
    let answer = input(&verify.answer, LONG)?;
    let mut verdict = Verdict::of(&kept, &challenge);
    if let Some(data) = &verify.data {
        // The verdict is about the server; that one's own copy cannot be read is not.
        let expected = pfh_audit::keyed(&challenge, open(data)?, &kept.commitment)?;
        let judged = match <[u8; 32]>::try_from(&answer[..]) {
            Ok(received) => expected.verify(&KeyedAnswer::from_bytes(received)),
            Err(_) => Err(Rejected::Digest),
        };
        verdict.judge(judged.map_err(Error::from));
    } else {
        let judged = match Proof::decode(&answer) {
            Ok(proof) => verdict.of_proof(&kept, &challenge, &proof, key.as_ref()),
            Err(malformed) => Err(Error::Answer(malformed)),
        };
        verdict.judge(judged);
    }
    Ok(verdict.print(verify.json))
}
