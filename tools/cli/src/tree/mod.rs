//! `pfh tree`: trees beside files, for finding changes and hashing only those again.

mod args;
mod carry;
mod catalogue;
pub mod help;
mod receive;

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
pub use args::Tree;
use args::{Append, Build, Check, Diff, Export, Import, Prove, Root, Scheme, TrustArgs, Update, Verify, Watch};
use carry::{carry_out, show};
use pfh::Control;
use pfh::tree::check::Must;
use pfh::tree::update::ChangedParts;
use pfh::tree::{self as job, Event, Events, Summary};
use std::io::IsTerminal;
use std::path::Path;

/// Runs one of the verbs.
pub fn run(tree: &Tree) -> Exit {
    exit::end(match tree {
        Tree::Build(request) => build(request),
        Tree::Update(request) => update(request),
        Tree::Watch(request) => watch(request),
        Tree::Append(on) => append(on),
        Tree::Receive(request) => receive::run(request),
        Tree::Check(request) => check(request),
        Tree::Diff(request) => diff(request),
        Tree::Prove(request) => prove(request),
        Tree::Verify(request) => verify(request),
        Tree::Root(request) => root(request),
        Tree::Export(request) => export(request),
        Tree::Import(request) => import(request),
    })
}

/// Carries out a verb over one file: a difference is a negative verdict.
fn one(
    progress: bool,
    json: bool,
    run: impl FnOnce(&mut Events<'_>, &Control<'_>) -> Result<Summary, pfh::job::Error>,
) -> Result<Exit, Failure> {
    let summary = carry_out(progress, json, run)?;
    Ok(if summary.differs() { Exit::Verdict } else { Exit::Good })
}

fn build(args: &Build) -> Result<Exit, Failure> {
    if let ([directory], false) = (&args.files[..], args.recursive)
        && directory.is_dir()
    {
        return catalogue::build(directory, args);
    }
    let mut request = match &args.files[..] {
        files if args.recursive => job::build::Request::below(files),
        _ if !args.join.is_empty() => job::build::Request::parts(&args.join, args.outboard.clone().unwrap_or_default()),
        _ if args.pieces_from.is_some() => {
            let list = args.pieces_from.clone().unwrap_or_default();
            job::build::Request::pieces(list, args.length, args.outboard.clone().unwrap_or_default())
        }
        [file] => job::build::Request::file(file),
        _ => {
            let message = "several files: build their trees with -r, or that of the parts of one with --join";
            return Err(Failure::usage(message));
        }
    };
    let secret = args.keyed.secret()?;
    request = request.algorithm(&args.algorithm, args.leaf, secret.as_ref()).map_err(Failure::refused)?;
    (request.tree, request.replace) = (args.outboard.clone().or(request.tree), args.force);
    request.threads = args.threads.map_or(request.threads, usize::from);
    let built = carry_out(!args.no_progress, args.json, |events, control| job::build::run(&request, events, control))?;
    if built.built == 0 && built.failed == 0 {
        exit::say("no file below the operands");
    }
    Ok(if built.built == 0 || built.failed > 0 { Exit::Incomplete } else { Exit::Good })
}

fn update(args: &Update) -> Result<Exit, Failure> {
    if args.on.file.is_dir() {
        return catalogue::update(args);
    }
    if args.changed.ranges.is_empty() && args.changed.changed_since.is_none() {
        return Err(Failure::usage("state the changes: --range OFFSET:LENGTH or --changed-since COPY"));
    }
    let changed = match &args.changed.changed_since {
        Some(copy) => ChangedParts::Since(copy.clone()),
        None => ChangedParts::Ranges(args.changed.ranges.clone()),
    };
    let mut request = job::update::Request::new(&args.on.file, changed);
    args.on.place(&mut request.tree, &mut request.threads);
    (request.proof, request.replace) = (args.proof.clone(), args.force);
    (request.must, request.secret) = (must(&args.trusted), args.keyed.secret()?);
    one(!args.on.no_progress, args.on.json, |events, control| job::update::run(&request, events, control))
}

/// The root that a tree must have.
fn must(trusted: &TrustArgs) -> Option<Must> {
    let kept = trusted.kept.clone().map(|path| Must::Kept { path, identity: trusted.identity.clone() });
    trusted.root.as_ref().map(|root| Must::Root(root.0.clone())).or(kept)
}

fn append(args: &Append) -> Result<Exit, Failure> {
    let mut request = job::append::Request::new(&args.on.file);
    args.on.place(&mut request.tree, &mut request.threads);
    (request.must, request.secret) = (must(&args.trusted), args.keyed.secret()?);
    one(!args.on.no_progress, args.on.json, |events, control| job::append::run(&request, events, control))
}

fn watch(args: &Watch) -> Result<Exit, Failure> {
    let mut request = job::watch::Request::new(&args.directory);
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    request.threads = args.threads.map(usize::from);
    request.secret = args.keyed.secret()?;
    let session = Session::open(false)?;
    let mut say = |event: Event<'_>| show(&session, &event, args.json);
    job::watch::run(&request, &mut say, &session.control()).map_err(|error| session.ended(error))?;
    Ok(session.signal())
}

fn check(args: &Check) -> Result<Exit, Failure> {
    if args.on.file.is_dir() {
        return catalogue::check(args);
    }
    if !args.entries.is_empty() {
        return Err(Failure::usage("--entry is of a directory"));
    }
    let mut request = job::check::Request::new(&args.on.file);
    args.on.place(&mut request.tree, &mut request.threads);
    let kept = args.kept.clone().map(|path| Must::Kept { path, identity: args.identity.clone() });
    request.must = args.root.as_ref().map(|root| Must::Root(root.0.clone())).or(kept);
    request.secret = args.keyed.secret()?;
    one(!args.on.no_progress, args.on.json, |events, control| job::check::run(&request, events, control))
}

fn diff(args: &Diff) -> Result<Exit, Failure> {
    let mut request = job::diff::Request::new(&args.one, &args.other);
    request.secret = args.keyed.secret()?;
    let summary = carry_out(false, args.json, |events, control| job::diff::run(&request, events, control))?;
    Ok(if summary.is_same() { Exit::Good } else { Exit::Verdict })
}

fn prove(args: &Prove) -> Result<Exit, Failure> {
    if args.output.is_none() && std::io::stdout().is_terminal() {
        return Err("a proof is binary and standard output is a terminal: state a file with -o".into());
    }
    let mut request = job::prove::Request::new(&args.file, args.range.clone());
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    request.output = args.output.clone().map_or(request.output, Into::into);
    (request.replace, request.secret) = (args.force, args.keyed.secret()?);
    carry_out(false, false, |events, control| job::prove::run(&request, events, control)).map(|()| Exit::Good)
}

fn verify(args: &Verify) -> Result<Exit, Failure> {
    let mut request = job::verify::Request::new(&args.proof, args.root);
    let is_standard = args.output.as_deref() == Some(Path::new("-"));
    request.output = args.output.clone().map(|path| if is_standard { Default::default() } else { path.into() });
    (request.replace, request.secret) = (args.force, args.keyed.secret()?);
    let session = Session::open(false)?;
    let mut say = |event: Event<'_>| match event {
        // Data on standard output is not mixed with a sentence.
        Event::Judged(summary) if is_standard && summary.shown.is_ok() => Ok(()),
        event => show(&session, &event, args.json),
    };
    let ran = job::verify::run(&request, &mut say, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    Ok(if summary.shown.is_err() { Exit::Verdict } else { Exit::Good })
}

fn root(args: &Root) -> Result<Exit, Failure> {
    use job::root::Request;
    let form = match args.form {
        Scheme::FsVerity => job::root::Scheme::FsVerity,
        Scheme::S3Etag => job::root::Scheme::S3Etag,
        Scheme::S3Sha256 => job::root::Scheme::S3Sha256,
        Scheme::S3Sha1 => job::root::Scheme::S3Sha1,
        Scheme::Glacier => job::root::Scheme::Glacier,
    };
    let mut request = Request::new(&args.files, form);
    (request.part, request.block, request.sha512) = (args.part, args.block, args.sha512);
    (request.salt, request.expect) = (args.salt.clone(), args.expect.clone());
    let summary = carry_out(!args.no_progress, args.json, |events, control| job::root::run(&request, events, control))?;
    Ok(match (summary.differ, summary.failed) {
        (0, 0) => Exit::Good,
        (0, _) => Exit::Incomplete,
        _ => Exit::Verdict,
    })
}

fn export(args: &Export) -> Result<Exit, Failure> {
    let mut request = job::export::Request::new(&args.file, &args.obao);
    (request.root, request.replace) = (args.root, args.force);
    request.secret = crate::run::secret(args.key_file.as_ref(), None)?;
    request.threads = args.threads.map_or(request.threads, usize::from);
    one(!args.no_progress, false, |events, control| job::export::run(&request, events, control))
}

fn import(args: &Import) -> Result<Exit, Failure> {
    let mut request = job::import::Request::new(&args.on.file, &args.obao);
    (request.root, request.leaf, request.replace) = (args.root, args.leaf, args.force);
    request.secret = crate::run::secret(args.key_file.as_ref(), None)?;
    args.on.place(&mut request.tree, &mut 0);
    one(!args.on.no_progress, args.on.json, |events, control| job::import::run(&request, events, control))
}
