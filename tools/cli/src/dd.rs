//! `pfh dd`: the operands of dd, dc3dd and dcfldd, carried out by the engine of `pfh acquire`.

mod operands;

use crate::exit::{self, Exit};
use crate::imaging::{self, Carried, Carrying};
use crate::run::algorithms;
use crate::shown;
use clap::Args;
use operands::{Operands, Status};
use pfh::acquire::{Acquisition, Form, Origin, To, compare};
use pfh::device::{Access, Care, Fill, Medium};
use pfh::format::image::ewf::About;
use pfh::format::image::split::Suffix;
use pfh::imaging::Imaging;
use pfh::outputs::Outputs;
use pfh::sink::image::{Pieces, Start};
use pfh::{Control, Phase};
use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const OPERANDS: &str = "\
Operands (sizes as dd reads them: 64MB = 64,000,000, 64M = 64 MiB, 1b = 512, 2x512; the suffix B counts bytes):
  if=FILE of=FILE …     from FILE (or standard input) to each of= (or standard output)
  bs= ibs= obs=         what count, skip and seek count in (bs= wins); blocks are always filled, short reads included
  count= skip= seek=    blocks to copy, to leave out of the input, to leave out of the output; limit=BYTES
  cnt= iskip= oskip=    the same, in sectors of ssz= bytes (dc3dd; 512)
  iflag=                direct fullblock skip_bytes count_bytes noatime
  oflag=                direct seek_bytes sync dsync
  conv=                 noerror sync (fills the last block) notrunc excl nocreat sparse fsync fdatasync
  status=               none noxfer progress
  hash=NAME[,NAME…]     digests on the fly (repeatable); hashwindow=SIZE hashlog=FILE (or hlog=) errlog=FILE
  hof=FILE              as of=, and read back and compared
  ofs=NAME.000 ofsz=SIZE  split output; or split=SIZE with of=
  vf=FILE               compare the input with FILE, write nothing
  pattern=HEX (or pat=) these bytes instead of an input
  sizeprobe=if|of|SIZE  taken; the input's size is always looked up

Unlike dd, unreadable sectors are narrowed down one by one under conv=noerror, every end is synced and checked, and a write
that fails late is a failure; an existing of= is refused without --force or conv=notrunc. Beside hash= and the like count=, skip=
and seek= need bs=: dcfldd's blocks are of 32768 bytes, dd's of 512. An operand that is not listed is an error.";

/// Copy with the operands of dd and of its forensic kin (dcfldd, dc3dd) as listed below, hashed on the way.
#[derive(Debug, Args)]
#[command(after_help = OPERANDS)]
pub struct Dd {
    /// Operands, as NAME=VALUE.
    #[arg(value_name = "OPERAND")]
    pub operands: Vec<OsString>,
    /// Replace existing files. Without it only empty files, devices and pipes are written to, or what conv=notrunc names.
    #[arg(long)]
    pub force: bool,
}

/// Runs it.
pub fn run(dd: &Dd) -> Exit {
    match Operands::parse(&dd.operands).and_then(|operands| try_run(&operands, dd.force)) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

/// The outputs: (path, form, whether it is read back).
fn outputs(operands: &Operands) -> Result<Vec<(To, bool)>, String> {
    let start = match (operands.has("conv", "notrunc"), operands.has("conv", "excl")) {
        (_, true) => Start::New,
        (true, false) => Start::Into,
        (false, false) => Start::Replace,
    };
    let raw = Form::Raw {
        seek: operands.seek_bytes(),
        sparse: operands.has("conv", "sparse"),
        direct: operands.has("oflag", "direct"),
        start: Some(start),
        synced: true,
    };
    let mut all: Vec<(To, bool)> = Vec::new();
    for (paths, read_back) in [(&operands.of, false), (&operands.hof, true)] {
        for path in paths {
            if operands.has("conv", "nocreat") && !path.exists() {
                return Err(format!(
                    "{}: it does not exist, and conv=nocreat was given",
                    shown(path.as_os_str().as_encoded_bytes())
                ));
            }
            let form = match operands.split {
                Some(length) => Form::Split(Pieces { length, suffix: Suffix::Digits, width: 3 }),
                None => raw.clone(),
            };
            all.push((To { path: path.clone(), form }, read_back));
        }
    }
    for path in &operands.ofs {
        let length = operands.ofsz.ok_or("ofs= needs ofsz=")?;
        let pattern = path.extension().and_then(|e| e.to_str()).and_then(Suffix::parse);
        let (suffix, width) = pattern.ok_or("ofs= takes a name that ends in .000, .111 or .aaa, of any length")?;
        all.push((To { path: path.with_extension(""), form: Form::Split(Pieces { length, suffix, width }) }, false));
    }
    if all.is_empty() && operands.vf.is_none() {
        all.push((
            To {
                path: "/dev/stdout".into(),
                form: Form::Raw { seek: 0, sparse: false, direct: false, start: Some(Start::Into), synced: true },
            },
            false,
        ));
    }
    Ok(all)
}

fn source(operands: &Operands, outputs: &[(To, bool)]) -> Result<Origin, String> {
    let Some(bytes) = &operands.pattern else {
        return Ok(Origin::Medium(operands.input.clone().unwrap_or_else(|| "-".into())));
    };
    let length = match operands.length() {
        Some(length) => length,
        None => {
            let device = outputs.first().map(|(to, _)| &to.path).ok_or("pattern= needs limit= or count=")?;
            let medium = Medium::open(device.as_os_str().as_bytes(), Access::Cached).map_err(|e| e.to_string())?;
            let size = medium.size().filter(|_| medium.device().is_some());
            size.ok_or("pattern= needs limit= or count=, or a device to fill")?.saturating_sub(operands.seek_bytes())
        }
    };
    Ok(Origin::Pattern { bytes: bytes.clone(), length })
}

/// What is read and written beside the input and the outputs.
fn guarded(operands: &Operands, force: bool) -> Outputs {
    let mut outputs = Outputs::new(force);
    outputs.reads_all(&operands.vf);
    outputs.file("hashlog=", operands.hashlog.as_ref()).file("errlog=", operands.errlog.as_ref());
    outputs
}

fn try_run(operands: &Operands, force: bool) -> Result<Exit, String> {
    let outputs = outputs(operands)?;
    let mut imaging = Imaging::new(if operands.hash.is_empty() { Vec::new() } else { algorithms(&operands.hash)? });
    imaging.piecewise = operands.hashwindow;
    imaging.marks = (operands.vf.is_some() || outputs.iter().any(|(_, back)| *back)).then_some(1 << 20);
    imaging.from = if operands.pattern.is_some() { 0 } else { operands.skip_bytes() };
    imaging.length = operands.length();
    // As dd: with conv=sync the last block is filled with zeros.
    if operands.has("conv", "sync") {
        imaging.pad = Some(u32::try_from(operands.ibs).map_err(|_| "conv=sync takes blocks of less than 4 GiB")?);
    }
    // Without conv=noerror the first unreadable sector ends it, as in dd.
    let most_errors = if operands.has("conv", "noerror") { None } else { Some(0) };
    imaging.care = Care { fill: Fill::Zeros, most_errors, ..Care::default() };
    let mut asked = Acquisition {
        source: source(operands, &outputs)?,
        // Direct reads lose no neighbours; without errors to narrow down the page cache serves as well.
        access: if operands.has("iflag", "direct") || most_errors.is_none() { Access::Direct } else { Access::Cached },
        faults: None,
        targets: outputs.iter().map(|(to, _)| to.clone()).collect(),
        imaging,
        map: None,
        adopt_map: false,
        salvage: false,
        give_up: None,
        replace: force,
        about: About::default(),
        set: [0; 16],
        outboard: None,
    };
    if let (Some(path), true) = (&operands.input, asked.imaging.from > 0) {
        let size = Medium::open(path.as_os_str().as_bytes(), Access::Cached).ok().and_then(|m| m.size());
        if size.is_some_and(|size| size <= asked.imaging.from) {
            // As dd: nothing is copied.
            (asked.imaging.from, asked.imaging.length) = (0, Some(0));
        }
        if size.is_some_and(|size| size < operands.skip_bytes()) {
            exit::say(format!("{}: it ends before the place that skip= names", shown(path.as_os_str().as_bytes())));
        }
    }
    let progress = operands.status == Status::Progress;
    let (outputs_beside, command_line) = (guarded(operands, force), String::new());
    let carrying = Carrying {
        progress,
        verify: false,
        retry_bad: false,
        log: None,
        outputs: outputs_beside,
        key: None,
        case: None,
        command_line,
    };
    let carried = match imaging::carry_out(asked.clone(), carrying) {
        Ok(carried) => carried,
        Err(exit) => return Ok(exit),
    };
    let mut exit = carried.exit;
    let back = outputs.iter().filter(|(_, back)| *back).map(|(to, _)| to.clone());
    let against = operands.vf.iter().map(|path| To { path: path.clone(), form: Form::RAW });
    for to in back.chain(against) {
        let name = shown(to.path.as_os_str().as_encoded_bytes());
        match compare(&to, &asked.imaging, &carried.imaged, None, (&Control::new(), Phase::Verifying)) {
            Ok(found) if found.is_good() && (operands.vf.is_none() || is_as_long(&to.path, carried.imaged.bytes)) => {
                exit::say(format!("{name}: equal"));
            }
            Ok(found) => {
                for (offset, length) in found.differing.iter().take(imaging::MOST_LINES) {
                    exit::say(format!("{name}: differs within {length} bytes from offset {offset} on"));
                }
                if let Some(more) = imaging::more(&found.differing) {
                    exit::say(format!("{name}: {more}"));
                }
                exit::say(format!("{name}: DIFFERENT"));
                exit = Exit::Verdict;
            }
            Err(error) => return Ok(imaging::failed(&error)),
        }
    }
    if let Err(error) = report(operands, &carried) {
        exit::say(format!("a log cannot be written: {error}"));
        return Ok(Exit::Aborted);
    }
    Ok(exit)
}

/// vf= compares whole files.
fn is_as_long(path: &Path, bytes: u64) -> bool {
    Medium::open(path.as_os_str().as_bytes(), Access::Cached).is_ok_and(|m| m.size().is_none_or(|size| size == bytes))
}

fn report(operands: &Operands, carried: &Carried) -> std::io::Result<()> {
    let imaged = &carried.imaged;
    let mut windows = String::new();
    for piece in &imaged.pieces {
        for digest in &piece.digests {
            let which = if piece.digests.len() > 1 { format!(" ({})", digest.algorithm()) } else { String::new() };
            windows += &format!("{} - {}{which}: {digest}\n", piece.offset, piece.offset + piece.length);
        }
    }
    let mut totals = String::new();
    for digest in &imaged.digests {
        totals += &format!("Total ({}): {digest}\n", digest.algorithm());
    }
    let mut errors = String::new();
    for bad in &imaged.bad {
        errors += &format!("unreadable: {}\n", imaging::lost(bad, carried.from, carried.sector));
    }
    let write = |path: &Option<PathBuf>, text: &str| -> std::io::Result<()> {
        match path {
            Some(path) => {
                let mut file = std::fs::File::create(path)?;
                file.write_all(text.as_bytes())?;
                file.sync_all()
            }
            None => std::io::stderr().lock().write_all(text.as_bytes()),
        }
    };
    let gap = if windows.is_empty() { "" } else { "\n" };
    write(&operands.hashlog, &format!("{windows}{gap}{totals}"))?;
    write(&operands.errlog, &errors)?;
    if operands.status == Status::None {
        return Ok(());
    }
    let (block, seconds) = (operands.ibs.max(1), imaged.times.total.as_secs_f64());
    let records = |bytes: u64, size: u64| format!("{}+{}", bytes / size, u64::from(!bytes.is_multiple_of(size)));
    let (read, written) = (imaged.bytes - imaged.padded, imaged.bytes);
    let mut text =
        format!("{} records in\n{} records out\n", records(read, block), records(written, operands.obs.max(1)));
    if operands.status != Status::NoTransfer {
        let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
        text += &format!("{} bytes copied, {seconds:.6} s, {rate:.1} MB/s\n", imaged.bytes);
    }
    std::io::stderr().lock().write_all(text.as_bytes())
}
