//! Manifests that are signed with PGP: in a clear signature, or by a signature in a file beside
//! them. The program `gpgv` verifies them against a file of public keys; the list is read from what
//! it verified. A library for OpenPGP in this program would be larger than all readers of lists.

use super::problem::Problem;
use crate::job::Error;
use pfh_source::Document;
use pfh_source::os::names::with_ending;
use pfh_source::terminal::shown;
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Where the program is looked for. Not in `PATH`: who sets that would decide who signed.
const PROGRAMS: [&str; 6] = [
    "/usr/bin/gpgv",
    "/bin/gpgv",
    "/usr/local/bin/gpgv",
    "/opt/homebrew/bin/gpgv",
    "/opt/local/bin/gpgv",
    "/run/current-system/sw/bin/gpgv",
];

const ARMOUR: &[u8] = b"-----BEGIN PGP PUBLIC KEY BLOCK-----";
const CLEAR: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
/// The most bytes of a file of keys: a distribution's are a tenth of this.
const LARGEST: u64 = 1 << 24;
/// The endings of signatures beside a list.
const ENDINGS: [&str; 4] = [".asc", ".sig", ".gpg", ".sign"];

/// The public keys of PGP in a file, in ASCII or as packets (RFC 9580, 5.5.1.1); `None` of a file
/// that holds something else.
pub fn keys(path: &Path) -> Option<Vec<u8>> {
    let keys = Document::read(path, LARGEST).ok()?;
    let is_packet = matches!(keys.first(), Some(0x98..=0x9b | 0xc6));
    (is_packet || keys.starts_with(ARMOUR)).then_some(keys)
}

/// The text of a manifest that the signature is of, and by whom. The manifest is not opened: these
/// are its bytes.
///
/// # Errors
/// When the signature does not hold, is by another key, or cannot be verified.
pub fn verified(manifest: &Path, bytes: &[u8], (path, keys): (&Path, &[u8])) -> Result<(Vec<u8>, String), Error> {
    let unverified = |why: String| Error::input(Problem::Unverified(manifest.to_owned(), why));
    let is_clear = bytes.split(|byte| *byte == b'\n').any(|line| line.starts_with(CLEAR));
    let beside = |ending: &&str| with_ending(manifest, ending);
    let signature = if is_clear { None } else { ENDINGS.iter().map(beside).find(|path| path.is_file()) };
    if !is_clear && signature.is_none() {
        return Err(unverified("it has no PGP signature, and none is beside it (.asc, .sig, .gpg, .sign)".into()));
    }
    let Some(program) = PROGRAMS.iter().map(Path::new).find(|program| program.is_file()) else {
        return Err(unverified(format!("there is no gpgv ({})", PROGRAMS.join(", "))));
    };
    let ring = ring(keys).ok_or_else(|| unverified("the keys are damaged".into()))?;
    let ran = run(program, &ring, signature.as_deref(), bytes);
    let output = ran.map_err(|error| unverified(format!("{}: {error}", shown(program))))?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let status = |word: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix("[GNUPG:] ")?.strip_prefix(word));
        line.map(|rest| rest.trim().to_owned())
    };
    if status("BADSIG").is_some() {
        return Err(Error::negative(Problem::BadSignature(manifest.to_owned())));
    }
    match status("VALIDSIG").filter(|_| output.status.success()) {
        Some(valid) => {
            let key = valid.split(' ').next().unwrap_or_default().to_owned();
            let text = if is_clear { output.stdout } else { bytes.to_vec() };
            Ok((text, format!("signed with PGP by {key}, one of {} ({})", shown(path), shown(program))))
        }
        None => {
            let other =
                status("NO_PUBKEY").map(|key| format!("it is signed by {key}, which is not in {}", shown(path)));
            let last = said.lines().rfind(|line| !line.starts_with("[GNUPG:]")).unwrap_or("no signature").to_owned();
            Err(unverified(other.unwrap_or(last)))
        }
    }
}

/// Keys as `gpgv` takes them: without armour.
fn ring(keys: &[u8]) -> Option<Vec<u8>> {
    if !keys.starts_with(ARMOUR) {
        return Some(keys.to_vec());
    }
    let text = str::from_utf8(keys).ok()?;
    let mut ring = Vec::new();
    for block in text.split("-----BEGIN PGP PUBLIC KEY BLOCK-----").skip(1) {
        let block = block.split("-----END").next()?.replace('\r', "");
        // Behind the headers and an empty line; a checksum of the armour is last.
        let (_, data) = block.split_once("\n\n")?;
        let lines = data.lines().map(str::trim).filter(|line| !line.starts_with('='));
        ring.extend(data_encoding::BASE64.decode(lines.collect::<String>().as_bytes()).ok()?);
    }
    Some(ring)
}

fn run(program: &Path, ring: &[u8], signature: Option<&Path>, bytes: &[u8]) -> io::Result<Output> {
    let home = tempfile::tempdir()?;
    let file = home.path().join("keys.gpg");
    fs::write(&file, ring)?;
    let mut command = Command::new(program);
    command.env_remove("GNUPGHOME").arg("--homedir").arg(home.path()).args(["--status-fd", "2", "--keyring"]);
    command.arg(&file);
    match signature {
        Some(signature) => command.arg("--").arg(std::path::absolute(signature)?).arg("-"),
        None => command.args(["--output", "-", "-"]),
    };
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let input = child.stdin.take();
    std::thread::scope(|scope| {
        // It may end before it has read all.
        scope.spawn(move || input.map(|mut input| input.write_all(bytes)));
        child.wait_with_output()
    })
}
