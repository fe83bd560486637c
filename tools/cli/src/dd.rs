//! `pfh dd`: the operands of dd, dc3dd and dcfldd, carried out by the engine of `pfh acquire`.

mod operands;

use crate::bar::Bar;
use crate::exit::{self, Exit, Failure};
use crate::imaging::{self, name};
use crate::run::algorithms;
use clap::Args;
use operands::{Operands, Status};
use pfh::acquire::{About, Compared, Event, Form, Origin, Pieces, Request, Start, Summary, To, sectors};
use pfh::container::split::Suffix;
use pfh::device::{Access, Care, Fill, Medium};
use pfh::imaging::{Imaged, Imaging};
use pfh::outputs::Outputs;
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

/// Copies, prints what came of it, and gives the exit.
pub fn run(dd: &Dd) -> Exit {
    exit::end(Operands::parse(&dd.operands).and_then(|operands| try_run(&operands, dd.force)))
}

/// The outputs: (path, form, whether it is read back).
fn outputs(operands: &Operands) -> Result<Vec<(To, bool)>, Failure> {
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
                return Err(format!("{}: it does not exist, and conv=nocreat was given", name(path)).into());
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

fn source(operands: &Operands, outputs: &[(To, bool)]) -> Result<Origin, Failure> {
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

/// What is read, and what is computed.
fn reading(operands: &Operands) -> Result<Imaging, Failure> {
    let mut imaging = Imaging::new(if operands.hash.is_empty() { Vec::new() } else { algorithms(&operands.hash)? });
    imaging.piecewise = operands.hashwindow;
    imaging.from = if operands.pattern.is_some() { 0 } else { operands.skip_bytes() };
    imaging.length = operands.length();
    // As dd: with conv=sync the last block is filled with zeros.
    if operands.has("conv", "sync") {
        imaging.pad = Some(u32::try_from(operands.ibs).map_err(|_| "conv=sync takes blocks of less than 4 GiB")?);
    }
    // Without conv=noerror the first unreadable sector ends it, as in dd.
    let most_errors = if operands.has("conv", "noerror") { None } else { Some(0) };
    imaging.care = Care { fill: Fill::Zeros, most_errors, ..Care::default() };
    Ok(imaging)
}

fn request(operands: &Operands, force: bool) -> Result<Request, Failure> {
    let outputs = outputs(operands)?;
    let targets = outputs.iter().map(|(to, _)| to.clone()).collect();
    let imaging = reading(operands)?;
    let mut request = Request::new(source(operands, &outputs)?, targets);
    // Direct reads lose no neighbours; without errors to narrow down the page cache serves as well.
    let direct = operands.has("iflag", "direct") || imaging.care.most_errors.is_none();
    request.access = if direct { Access::Direct } else { Access::Cached };
    request.imaging = imaging;
    (request.map, request.log, request.give_up, request.replace) = (None, None, None, force);
    (request.about, request.outputs) = (About::default(), guarded(operands, force));
    let back = outputs.into_iter().filter(|(_, back)| *back).map(|(to, _)| to);
    let against = operands.vf.iter().map(|path| To { path: path.clone(), form: Form::RAW });
    request.against = back.chain(against).collect();
    beyond(operands, &mut request.imaging);
    Ok(request)
}

/// As dd: nothing is copied of an input that ends before skip=.
fn beyond(operands: &Operands, imaging: &mut Imaging) {
    let Some(path) = operands.input.as_ref().filter(|_| imaging.from > 0) else { return };
    let size = Medium::open(path.as_os_str().as_bytes(), Access::Cached).ok().and_then(|m| m.size());
    if size.is_some_and(|size| size <= imaging.from) {
        (imaging.from, imaging.length) = (0, Some(0));
    }
    if size.is_some_and(|size| size < operands.skip_bytes()) {
        exit::say(format!("{}: it ends before the place that skip= names", name(path)));
    }
}

fn try_run(operands: &Operands, force: bool) -> Result<Exit, Failure> {
    let request = request(operands, force)?;
    let mut different = false;
    let mut compared = |event: &Event<'_>, bar: &Bar| {
        if let Event::ComparedWith { other, compared, bytes } = event {
            different |= !is_equal(operands, other, compared, *bytes, bar);
        }
    };
    let summary = imaging::run(request, operands.status == Status::Progress, &mut compared)?;
    report(operands, &summary).map_err(|error| Failure::aborted(format!("a log cannot be written: {error}")))?;
    Ok(if different { Exit::Verdict } else { imaging::exit(&summary) })
}

/// Says whether what was compared with the input is equal, or how it differs.
fn is_equal(operands: &Operands, other: &To, compared: &Compared, bytes: u64, bar: &Bar) -> bool {
    let name = name(&other.path);
    if compared.is_good() && (operands.vf.is_none() || is_as_long(&other.path, bytes)) {
        bar.say(format!("{name}: equal"));
        return true;
    }
    let line = |offset, length| format!("differs within {length} bytes from offset {offset} on");
    imaging::differing(&name, compared, line).iter().for_each(|line| bar.say(line));
    bar.say(format!("{name}: DIFFERENT"));
    false
}

/// vf= compares whole files.
fn is_as_long(path: &Path, bytes: u64) -> bool {
    Medium::open(path.as_os_str().as_bytes(), Access::Cached).is_ok_and(|m| m.size().is_none_or(|size| size == bytes))
}

/// Digests of the windows and of the whole.
fn hashes(imaged: &Imaged) -> String {
    let mut text = String::new();
    for piece in &imaged.pieces {
        for digest in &piece.digests {
            let which = if piece.digests.len() > 1 { format!(" ({})", digest.algorithm()) } else { String::new() };
            text += &format!("{} - {}{which}: {digest}\n", piece.offset, piece.offset + piece.length);
        }
    }
    if !text.is_empty() {
        text += "\n";
    }
    for digest in &imaged.digests {
        text += &format!("Total ({}): {digest}\n", digest.algorithm());
    }
    text
}

/// What dd prints when it ends.
fn transferred(operands: &Operands, imaged: &Imaged) -> String {
    let (block, seconds) = (operands.ibs.max(1), imaged.times.total.as_secs_f64());
    let records = |bytes: u64, size: u64| format!("{}+{}", bytes / size, u64::from(!bytes.is_multiple_of(size)));
    let (read, written) = (imaged.bytes - imaged.padded, imaged.bytes);
    let mut text =
        format!("{} records in\n{} records out\n", records(read, block), records(written, operands.obs.max(1)));
    if operands.status != Status::NoTransfer {
        let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
        text += &format!("{} bytes copied, {seconds:.6} s, {rate:.1} MB/s\n", imaged.bytes);
    }
    text
}

fn report(operands: &Operands, summary: &Summary) -> std::io::Result<()> {
    let imaged = &summary.imaged;
    let mut errors = String::new();
    for bad in &imaged.bad {
        errors += &format!("unreadable: {}\n", sectors::lost(bad, summary.from, summary.sector));
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
    write(&operands.hashlog, &hashes(imaged))?;
    write(&operands.errlog, &errors)?;
    if operands.status == Status::None {
        return Ok(());
    }
    std::io::stderr().lock().write_all(transferred(operands, imaged).as_bytes())
}
