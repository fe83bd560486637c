//! The steps of an audit over files and pipes.

use super::print::{Evidence, Verdict};
use super::{Challenge, Commit, Prove, Renew, Stop, Tokens, Verify};
use crate::exit::{self, Exit};
use crate::shown;
use pfh::Output;
use pfh::Ranges;
use pfh::hex;
use pfh::outboard::{self, Failure, Pass};
use pfh::outputs::Outputs;
use pfh::tree::audit::{self, Commitment, KeyedAnswer, Refused, Rejected, Renewal, Sample};
use pfh::tree::outboard::Values;
use pfh_audit::{Error, Held, Kept};
use std::ffi::OsStr;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// No input of an audit but a proof, which is judged as it comes, is longer than this.
const SHORT: u64 = 64 << 20;

pub fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

fn source(path: &Path) -> io::Result<Box<dyn Read>> {
    Ok(if path == Path::new("-") { Box::new(io::stdin()) } else { Box::new(std::fs::File::open(path)?) })
}

fn unread(path: &Path) -> impl Fn(io::Error) -> Stop + use<'_> {
    |error| Stop(format!("{}: {error}", name(path)), Exit::Incomplete)
}

/// The whole of a file, or of standard input for `-`.
pub fn input(path: &Path, most: u64) -> Result<Vec<u8>, Stop> {
    let read = || -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        source(path)?.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
    };
    read().map_err(unread(path))
}

/// A file that appears whole or not at all, or standard output.
fn open_output(path: Option<&PathBuf>) -> Result<Output, Stop> {
    let output = path.map_or_else(|| Ok(Output::standard()), |path| Output::file(path));
    output.map_err(|error| Stop(String::new(), exit::of_output(&error)))
}

fn output(path: Option<&PathBuf>, bytes: &[u8]) -> Result<Exit, Stop> {
    let mut output = open_output(path)?;
    let written = output.write_all(bytes).and_then(|()| output.commit());
    written.map_err(|error| Stop(String::new(), exit::of_output(&error)))?;
    Ok(Exit::Good)
}

/// Binary goes to files and pipes.
fn refuse_terminal(path: Option<&PathBuf>, what: &str) -> Result<(), Stop> {
    if path.is_none() && io::stdout().is_terminal() {
        return Err(Stop::usage(format!("{what} is binary and standard output is a terminal: state a file with -o")));
    }
    Ok(())
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
pub fn one(kept: Vec<Kept>, identity: Option<&OsStr>) -> Result<Kept, Stop> {
    let mut meant = kept.into_iter().filter(|kept| identity.is_none_or(|name| name.as_bytes() == kept.identity));
    match (meant.next(), meant.next()) {
        (Some(kept), None) => Ok(kept),
        (None, _) => Err(Stop::usage("no file of this identity is kept")),
        (Some(_), Some(_)) => Err(Stop::usage("several files are kept: state one with --identity")),
    }
}

pub fn open(file: &Path) -> Result<Ranges, Stop> {
    let failed = |problem| Stop(format!("{}: {}", name(file), outboard::reason(&problem)), Exit::Incomplete);
    Ranges::open(file.as_os_str().as_bytes()).map_err(failed)
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
        let is_tree = file.as_os_str().as_bytes().ends_with(outboard::SUFFIX.as_bytes());
        let beside = commit.outboard.clone().unwrap_or_else(|| outboard::beside(file));
        if is_tree && commit.files.len() > 1 && !beside.exists() {
            // `commit *` meets the trees beside the files.
            continue;
        }
        let tree = outboard::load(&beside).map_err(Error::from)?;
        let found = open(file)?.size();
        if found != tree.length() {
            let message = format!("{}: has {found} bytes, its tree is of {}", name(file), tree.length());
            return Err(Stop(message, Exit::Verdict));
        }
        let identity = commit.identity.as_deref().unwrap_or(file.as_os_str()).as_bytes().to_vec();
        if !(1..=audit::IDENTITY).contains(&identity.len()) {
            return Err(Stop::usage("an identity has 1 to 4,096 bytes: state one with --identity"));
        }
        lines += &format!("{}\n", Kept { identity, commitment: Commitment::of(&tree) });
    }
    output(commit.output.as_ref(), lines.as_bytes())
}

pub fn challenge(challenge: &Challenge) -> Result<Exit, Stop> {
    refuse_terminal(challenge.output.as_ref(), "a challenge")?;
    guard(challenge.output.as_ref(), challenge.force, &[&challenge.kept])?;
    let kept = one(kept(&challenge.kept)?, challenge.identity.as_deref())?;
    let question = pfh_audit::challenge(&kept, challenge.sample.sample()?)?;
    output(challenge.output.as_ref(), &question.encode())
}

fn question(path: &Path) -> Result<audit::Challenge, Stop> {
    Ok(audit::Challenge::decode(&input(path, SHORT)?).map_err(Error::Challenge)?)
}

pub fn prove(prove: &Prove) -> Result<Exit, Stop> {
    refuse_terminal(prove.output.as_ref(), "an answer")?;
    let beside = prove.outboard.clone().unwrap_or_else(|| outboard::beside(&prove.file));
    let mut read: Vec<&Path> = vec![&prove.challenge, &prove.file, &beside];
    read.extend(prove.key.as_deref());
    guard(prove.output.as_ref(), prove.force, &read)?;
    let challenge = question(&prove.challenge)?;
    let key = prove.key.as_deref().map(pfh::key::signing).transpose().map_err(Stop::usage)?;
    let tree = outboard::open(&beside).map_err(Error::from)?;
    let held = Held { file: open(&prove.file)?, tree };
    let most = prove.most.unwrap_or(u64::MAX);
    if prove.keyed {
        return output(prove.output.as_ref(), pfh_audit::keyed(&challenge, held, most)?.bytes());
    }
    let mut to = open_output(prove.output.as_ref())?;
    pfh_audit::answer(&challenge, held, key.as_ref(), most, &mut |_| Ok(()), &mut to).map_err(|error| match error {
        Error::Unproved(audit::Unproved::Write(error)) => Stop(String::new(), exit::of_output(&error)),
        error => Stop::from(error),
    })?;
    to.commit().map_err(|error| Stop(String::new(), exit::of_output(&error)))?;
    Ok(Exit::Good)
}

/// The keyed digest as the auditor's own copy gives it. That the copy is the file that was committed is shown by the tree beside it, for
/// the leaves asked for, or else by hashing all of it.
pub fn of_copy(challenge: &audit::Challenge, kept: &Kept, copy: &Path) -> Result<KeyedAnswer, Stop> {
    let commitment = &kept.commitment;
    let tree = outboard::open(&outboard::beside(copy)).ok();
    let with_tree = tree.as_ref().map(|tree| tree as &dyn Values);
    match pfh_audit::keyed_of_copy(challenge, commitment, open(copy)?, with_tree) {
        Err(Error::Unproved(audit::Unproved::Copy)) if challenge.sample() != Sample::All => {
            // No tree, or another file's: the bytes themselves decide.
            let cancel = AtomicBool::new(false);
            let threads = pfh::processors();
            let mut pass = Pass { threads, cancel: &cancel, progress: &mut |_, _| {} };
            let whole = outboard::build(copy, commitment.parameters(), &mut pass).map_err(Error::from)?;
            pfh_audit::keyed_of_copy(challenge, commitment, open(copy)?, Some(&whole as &dyn Values))
        }
        answer => answer,
    }
    .map_err(|error| {
        let Stop(message, exit) = Stop::from(error);
        Stop(format!("{}: {message}", name(copy)), exit)
    })
}

pub fn verify(verify: &Verify) -> Result<Exit, Stop> {
    let challenge = question(&verify.challenge)?;
    let kept = one(kept(&verify.kept)?, Some(OsStr::from_bytes(challenge.identity())))?;
    let key = verify.signed_by.as_deref().map(pfh::key::verifying).transpose().map_err(Stop::usage)?;
    let evidence = if verify.data.is_some() { Evidence::Copy } else { Evidence::Root };
    let mut verdict = Verdict::of(&kept, &challenge, verify.find, evidence);
    if let Some(data) = &verify.data {
        if !challenge.is_about(&kept.commitment) {
            verdict.judge(Err(Rejected::Challenge.into()));
            return Ok(verdict.print(verify.json));
        }
        let answer = input(&verify.answer, SHORT)?;
        // The verdict is about the server; that one's own copy cannot be read, or is not the file, is none.
        let expected = of_copy(&challenge, &kept, data)?;
        let judged = match <[u8; 32]>::try_from(&answer[..]) {
            Ok(received) => expected.verify(&KeyedAnswer::from_bytes(received)),
            Err(_) => Err(Rejected::Digest),
        };
        verdict.judge(judged.map_err(Error::from));
    } else {
        let mut from = io::BufReader::with_capacity(1 << 20, source(&verify.answer).map_err(unread(&verify.answer))?);
        let judged = match kept.commitment.judge(&challenge, &mut from) {
            Ok(accepted) => verdict.accept(&accepted, key.as_ref()),
            Err(Refused::Read(error)) => return Err(unread(&verify.answer)(error)),
            Err(Refused::Malformed(malformed)) => Err(Error::Answer(malformed)),
            Err(Refused::Rejected(rejected)) => Err(rejected.into()),
        };
        verdict.judge(judged);
    }
    Ok(verdict.print(verify.json))
}

pub fn tokens(tokens: &Tokens) -> Result<Exit, Stop> {
    let beside = outboard::beside(&tokens.data);
    guard(Some(&tokens.output), tokens.force, &[&tokens.kept, &tokens.data, &beside])?;
    let kept = one(kept(&tokens.kept)?, tokens.identity.as_deref())?;
    let sample = tokens.sample.sample()?;
    let mut made = pfh_audit::Tokens::new(kept.clone());
    for _ in 0..tokens.count {
        let challenge = pfh_audit::challenge(&kept, sample)?;
        let answer = of_copy(&challenge, &kept, &tokens.data)?;
        made.add(challenge, &answer);
    }
    save_secret(&tokens.output, &made.encode())?;
    Ok(Exit::Good)
}

/// Writes a file that only its owner may read.
pub fn save_secret(path: &Path, bytes: &[u8]) -> Result<(), Stop> {
    use std::os::unix::fs::OpenOptionsExt;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".pfh-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let write = || {
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::File::open(directory)?.sync_all()
    };
    write().map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        Stop(format!("{}: {error}", name(path)), Exit::Aborted)
    })
}

pub fn renew(renew: &Renew) -> Result<Exit, Stop> {
    guard(renew.output.as_ref(), renew.force, &[&renew.kept, &renew.update])?;
    let mut all = kept(&renew.kept)?;
    let renewal = Renewal::decode(&input(&renew.update, SHORT)?);
    let renewal = renewal.map_err(|why| Stop::usage(format!("{}: not an update: {why}", name(&renew.update))))?;
    let meant = one(all.clone(), renew.identity.as_deref())?;
    let new = meant.commitment.renew(&renewal).map_err(|why| {
        Stop(format!("{}: REJECTED: {why}; nothing was written", shown(&meant.identity)), Exit::Verdict)
    })?;
    for kept in all.iter_mut().filter(|kept| kept.identity == meant.identity) {
        kept.commitment = new;
    }
    let lines: String = all.iter().map(|kept| format!("{kept}\n")).collect();
    output(renew.output.as_ref(), lines.as_bytes())?;
    let ranges: Vec<String> =
        renewal.ranges().iter().map(|range| format!("{}:{}", range.start, range.end - range.start)).collect();
    exit::say(format!(
        "{}: from the kept {} root to {}: nothing changed but the leaves at {}",
        shown(&meant.identity),
        new.parameters().function().name(),
        hex::encode(new.root()),
        ranges.join(",")
    ));
    Ok(Exit::Good)
}

/// What cannot be used of a tree, as an error of an audit.
impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Error::from(failure).into()
    }
}
