//! `pfh verify`: an image, and the log of its acquisition.

use crate::exit::{self, Exit};
use crate::run::algorithms;
use crate::signals::Signals;
use crate::{imaging, key, shown};
use clap::Args;
use ed25519_dalek::Verifier;
use pfh::acquisition::{Acquire, Acquisition, Form, Origin, To, compare};
use pfh::device::{Access, Care};
use pfh::format::custody::{self, Sound};
use pfh::format::image::ewf::About;
use pfh::image::{Format, Image};
use pfh::imaging::{Imaged, Imaging};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Check an image, and the log of its acquisition.
#[derive(Debug, Args)]
pub struct Verify {
    /// The image: E01 or a split image by its first file, raw, or a device.
    #[arg(value_name = "IMAGE", required_unless_present = "log")]
    pub image: Option<PathBuf>,
    /// The chained log (….jsonl): its chain must hold, and its digests must be those of the image.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// The public key that the log must be signed with.
    #[arg(long, value_name = "FILE", requires = "log")]
    pub key: Option<PathBuf>,
    /// A digest that the image must have, as NAME:HEX. May be repeated.
    #[arg(long, value_name = "NAME:HEX")]
    pub digest: Vec<String>,
    /// Compare with this medium or image; differing ranges are printed.
    #[arg(long, value_name = "SOURCE")]
    pub against: Option<PathBuf>,
    /// Compute these, too.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// As one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Runs it.
pub fn run(args: &Verify) -> Exit {
    match try_run(args) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

/// What is found, for printing.
#[derive(Default)]
struct Findings {
    lines: Vec<String>,
    wrong: bool,
}

impl Findings {
    fn good(&mut self, line: String) {
        self.lines.push(line);
    }

    fn bad(&mut self, line: String) {
        exit::say(&line);
        self.lines.push(line);
        self.wrong = true;
    }

    fn expect(&mut self, what: &str, stated: &str, found: Option<&str>) {
        match found {
            Some(found) if found.eq_ignore_ascii_case(stated) => self.good(format!("{what}: {found}, as stated")),
            Some(found) => self.bad(format!("{what}: stated {stated}, found {found}: DIFFERENT")),
            None => self.bad(format!("{what}: stated {stated}, not computed")),
        }
    }
}

fn try_run(args: &Verify) -> Result<Exit, String> {
    let mut findings = Findings::default();
    let sound = match &args.log {
        Some(path) => match log(path, args.key.as_deref(), &mut findings)? {
            Some(sound) => Some(sound),
            None => return print(args, &findings, None),
        },
        None => None,
    };
    let Some(path) = &args.image else { return print(args, &findings, None) };
    let mut stated: Vec<(String, String)> = Vec::new();
    for digest in &args.digest {
        let (name, hex) = digest.rsplit_once(':').ok_or_else(|| format!("{digest:?} is not NAME:HEX"))?;
        stated.push((name.to_owned(), hex.to_owned()));
    }
    let end = sound.as_ref().and_then(|s| s.records.last()).and_then(|r| r.get("digests")).and_then(|d| d.as_object());
    for (name, hex) in end.into_iter().flatten() {
        stated.push((name.clone(), hex.as_str().unwrap_or_default().to_owned()));
    }
    let image = match Image::open(path) {
        Ok(image) => image,
        Err(error) => {
            findings.bad(error.to_string());
            return print(args, &findings, None);
        }
    };
    if let Some(index) = image.ewf() {
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        stated.extend(index.digests.md5.as_ref().map(|b| ("md5".to_owned(), hex(b))));
        stated.extend(index.digests.sha1.as_ref().map(|b| ("sha1".to_owned(), hex(b))));
        let runs: Vec<String> = index.errors.0.iter().map(|(first, count)| format!("{first} + {count}")).collect();
        if !runs.is_empty() {
            findings.good(format!("sectors that were unreadable when it was acquired: {}", runs.join(", ")));
        }
    }
    let form = if image.format() == Format::Raw {
        "raw"
    } else if image.format() == Format::E01 {
        "E01"
    } else {
        "split raw"
    };
    findings.good(format!(
        "{}: {form}, {} bytes in {} files",
        shown(path.as_os_str().as_encoded_bytes()),
        image.size(),
        image.paths().count()
    ));
    drop(image);
    let mut names: Vec<String> =
        stated.iter().map(|(name, _)| name.clone()).chain(args.algorithms.iter().cloned()).collect();
    if names.is_empty() {
        names.push("sha256".into());
    }
    let mut imaging = Imaging::new(algorithms(&names)?);
    imaging.care = Care { retries: 0, ..Care::default() };
    imaging.marks = args.against.is_some().then_some(1 << 20);
    let imaged = match read(Origin::Image(path.clone()), &imaging)? {
        Ok(imaged) => imaged,
        Err(exit) => return Ok(exit),
    };
    for bad in &imaged.bad {
        findings.bad(format!("damaged: {}", imaging::run(bad.offset, bad.length, 512, bad.errno)));
    }
    for (name, hex) in &stated {
        let found = imaged.digests.iter().find(|d| &d.algorithm().to_string() == name || d.algorithm().name() == name);
        findings.expect(name, hex, found.map(ToString::to_string).as_deref());
    }
    if let Some(against) = &args.against {
        let form = if against.extension().is_some_and(|e| e.eq_ignore_ascii_case("e01")) {
            Form::E01 { compression: Default::default(), segment: 0 }
        } else {
            Form::RAW
        };
        let to = To { path: against.clone(), form };
        let found =
            compare(&to, &imaging, &imaged, None, pfh::Cancel::default(), &mut |_| ()).map_err(|e| e.to_string())?;
        let name = shown(against.as_os_str().as_encoded_bytes());
        for (offset, length) in &found.differing {
            findings.bad(format!("{name}: differs within {length} bytes from offset {offset} on"));
        }
        if found.is_good() {
            findings.good(format!("{name}: equal"));
        } else {
            findings.bad(format!("{name}: DIFFERENT"));
        }
    }
    print(args, &findings, Some(&imaged))
}

/// Reads all of an image.
fn read(source: Origin, imaging: &Imaging) -> Result<Result<Imaged, Exit>, String> {
    let signals = Signals::catch().map_err(|e| format!("signals cannot be caught: {e}"))?;
    let asked = Acquisition {
        source,
        access: Access::Cached,
        faults: None,
        targets: Vec::new(),
        imaging: imaging.clone(),
        map: None,
        adopt_map: false,
        give_up: None,
        replace: false,
        about: About::default(),
        set: [0; 16],
        outboard: None,
    };
    let mut acquire = match Acquire::open(asked) {
        Ok(acquire) => acquire,
        Err(error) => return Ok(Err(imaging::failed(&error))),
    };
    let cancel: pfh::Cancel = signals.flag().into();
    Ok(match acquire.run(cancel, &mut |_| ()) {
        Ok(imaged) => match imaged.stopped {
            None => Ok(imaged),
            Some(stop) => {
                exit::say(format!("stopped after {} bytes: {stop}", imaged.bytes));
                Err(if signals.number() != 0 { Exit::Signal(signals.number()) } else { Exit::Aborted })
            }
        },
        Err(error) => Err(imaging::failed(&error)),
    })
}

/// Checks a log; `None` when it is not sound, which has been said.
fn log(path: &Path, key_file: Option<&Path>, findings: &mut Findings) -> Result<Option<Sound>, String> {
    let name = shown(path.as_os_str().as_encoded_bytes());
    let file = std::fs::File::open(path).map_err(|e| format!("{name}: {e}"))?;
    let sound = match custody::check(BufReader::new(file)) {
        Ok(sound) => sound,
        Err(broken) => {
            findings.bad(format!("{name}: {broken}"));
            return Ok(None);
        }
    };
    findings.good(format!("{name}: {} records, the chain holds: {}", sound.records.len(), sound.chain.value()));
    match (key_file, &sound.signature) {
        (Some(file), Some(signature)) => {
            let key = key::verifying(file)?;
            let signature = ed25519_dalek::Signature::from_bytes(signature);
            match key.verify(&sound.chain.signed(), &signature) {
                Ok(()) => findings.good(format!("{name}: signed with that key")),
                Err(_) => findings.bad(format!("{name}: the signature is not that key's")),
            }
        }
        (Some(_), None) => findings.bad(format!("{name}: not signed")),
        (None, Some(_)) => findings.good(format!("{name}: signed; give --key to check by whom")),
        (None, None) => findings.good(format!("{name}: not signed: whoever can write it can make a new chain")),
    }
    Ok(Some(sound))
}

fn print(args: &Verify, findings: &Findings, imaged: Option<&Imaged>) -> Result<Exit, String> {
    use std::io::Write;
    let verdict = if findings.wrong { "NOT VERIFIED" } else { "verified" };
    let text = if args.json {
        let digests: serde_json::Map<String, serde_json::Value> = imaged
            .into_iter()
            .flat_map(|i| &i.digests)
            .map(|d| (d.algorithm().to_string(), d.to_string().into()))
            .collect();
        format!(
            "{}\n",
            serde_json::json!({ "verified": !findings.wrong, "findings": findings.lines, "digests": digests })
        )
    } else {
        let digests = imaged.into_iter().flat_map(|i| &i.digests).map(|d| format!("{} {d}\n", d.algorithm()));
        let lines = findings.lines.iter().map(|line| format!("{line}\n"));
        lines.chain(digests).chain([format!("{verdict}\n")]).collect()
    };
    if let Err(error) = std::io::stdout().lock().write_all(text.as_bytes()) {
        return Ok(exit::of_output(&error));
    }
    Ok(if findings.wrong { Exit::Verdict } else { Exit::Good })
}
