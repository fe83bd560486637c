//! `pfh tree`: trees beside files, for finding what changed and hashing only that again.

mod args;
mod catalogue;
pub mod help;

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
pub use args::Tree;
use args::{Append, Build, Check, Diff, Export, Import, Prove, Root, Scheme, Trusted, Update, Verify};
use pfh::tree::build::Event;
use pfh::tree::check::Must;
use pfh::tree::update::Changed;
use pfh::tree::{self as job, Parameters, Summary};
use pfh::{Control, JobError};
use std::io::IsTerminal;
use std::path::Path;

/// Runs one of the verbs.
pub fn run(tree: &Tree) -> Exit {
    exit::end(match tree {
        Tree::Build(request) => build(request),
        Tree::Update(request) => update(request),
        Tree::Append(on) => append(on),
        Tree::Check(request) => check(request),
        Tree::Diff(request) => diff(request),
        Tree::Prove(request) => prove(request),
        Tree::Verify(request) => verify(request),
        Tree::Root(request) => root(request),
        Tree::Export(request) => export(request),
        Tree::Import(request) => import(request),
    })
}

/// Prints results; `differs` is a negative verdict.
fn print(text: impl AsRef<[u8]>, differs: bool) -> Result<Exit, Failure> {
    exit::print(text.as_ref()).map_err(|error| Failure::output(&error))?;
    Ok(if differs { Exit::Verdict } else { Exit::Good })
}

fn line(summary: &Summary, json: bool) -> Vec<u8> {
    if json { summary.json() } else { summary.text().into_bytes() }
}

/// Carries out a verb over one file, and prints what came of it.
fn one<E: JobError>(
    progress: bool,
    json: bool,
    run: impl FnOnce(&Control<'_>) -> Result<Summary, E>,
) -> Result<Exit, Failure> {
    let session = Session::open(progress)?;
    let summary = run(&session.control()).map_err(|error| session.failed(error))?;
    session.close();
    print(line(&summary, json), summary.differs())
}

/// A verb without signals and progress.
fn quick<T, E: JobError>(ran: Result<T, E>) -> Result<T, Failure> {
    ran.map_err(|error| Failure::of(&error, Exit::Aborted))
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
    let algorithm: pfh::Algorithm = args.algorithm.parse().map_err(Failure::usage)?;
    match job::Function::ALL.into_iter().find(|function| function.name() == algorithm.to_string()) {
        Some(function) => {
            let leaf = args.leaf.unwrap_or(request.parameters.leaf_length());
            request.parameters = Parameters::new(function, leaf).ok_or("impossible length of a leaf")?;
        }
        None if args.leaf.is_some() => {
            let message =
                "--leaf is of blake3, sha256 and sha3-256; the name of another states it: sakura-fng-128,block=4096";
            return Err(Failure::usage(message));
        }
        None => request.mode = Some(algorithm),
    }
    (request.tree, request.replace) = (args.outboard.clone().or(request.tree), args.force);
    request.threads = args.threads.map_or(request.threads, usize::from);
    let session = Session::open(!args.no_progress)?;
    let mut say = |event: Event<'_>| {
        match event {
            Event::Built(summary) => return session.print(&line(summary, args.json)),
            Event::Unread { name, problem } => session.about(name, problem),
            Event::Refused(refused) => session.message(refused),
            Event::Failed(failure) => session.message(failure),
            _ => {}
        }
        Ok(())
    };
    let built = job::build::run(&request, &mut say, &session.control()).map_err(|error| session.failed(error))?;
    session.close();
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
        return Err(Failure::usage("state what has changed: --range OFFSET:LENGTH or --changed-since COPY"));
    }
    let changed = match &args.changed.changed_since {
        Some(copy) => Changed::Since(copy.clone()),
        None => Changed::Ranges(args.changed.ranges.clone()),
    };
    let mut request = job::update::Request::new(&args.on.file, changed);
    args.on.place(&mut request.tree, &mut request.threads);
    (request.proof, request.replace) = (args.proof.clone(), args.force);
    request.must = must(&args.trusted);
    one(!args.on.no_progress, args.on.json, |control| job::update::run(&request, control))
}

/// The root that a tree must have.
fn must(trusted: &Trusted) -> Option<Must> {
    let kept = trusted.kept.clone().map(|path| Must::Kept { path, identity: trusted.identity.clone() });
    trusted.root.as_ref().map(|root| Must::Root(root.0.clone())).or(kept)
}

fn append(args: &Append) -> Result<Exit, Failure> {
    let mut request = job::append::Request::new(&args.on.file);
    args.on.place(&mut request.tree, &mut request.threads);
    request.must = must(&args.trusted);
    one(!args.on.no_progress, args.on.json, |control| job::append::run(&request, control))
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
    one(!args.on.no_progress, args.on.json, |control| job::check::run(&request, control))
}

fn diff(args: &Diff) -> Result<Exit, Failure> {
    let summary = quick(job::diff::run(&job::diff::Request::new(&args.one, &args.other)))?;
    print(if args.json { summary.json() } else { summary.text() }, !summary.is_same())
}

fn prove(args: &Prove) -> Result<Exit, Failure> {
    if args.output.is_none() && std::io::stdout().is_terminal() {
        return Err("a proof is binary and standard output is a terminal: state a file with -o".into());
    }
    let mut request = job::prove::Request::new(&args.file, args.range.clone());
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    request.output = args.output.clone().map_or(request.output, Into::into);
    request.replace = args.force;
    quick(job::prove::run(&request)).map(|()| Exit::Good)
}

fn verify(args: &Verify) -> Result<Exit, Failure> {
    let mut request = job::verify::Request::new(&args.proof, args.root);
    let is_standard = args.output.as_deref() == Some(Path::new("-"));
    request.output = args.output.clone().map(|path| if is_standard { Default::default() } else { path.into() });
    request.replace = args.force;
    let summary = quick(job::verify::run(&request))?;
    if is_standard && summary.shown.is_ok() {
        // Data on standard output is not mixed with a sentence.
        return Ok(Exit::Good);
    }
    print(if args.json { summary.json() } else { summary.text() }, summary.shown.is_err())
}

fn root(args: &Root) -> Result<Exit, Failure> {
    use job::root::{Event, Request};
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
    let session = Session::open(!args.no_progress)?;
    let mut say = |event: Event<'_>| {
        match event {
            Event::Computed(root) if args.json => return session.print(&root.json()),
            Event::Computed(root) => return session.print(root.text().as_bytes()),
            Event::Failed(failure) => session.message(failure),
            _ => {}
        }
        Ok(())
    };
    let summary = job::root::run(&request, &mut say, &session.control()).map_err(|error| session.failed(error))?;
    Ok(match (summary.differ, summary.failed) {
        (0, 0) => Exit::Good,
        (0, _) => Exit::Incomplete,
        _ => Exit::Verdict,
    })
}

fn export(args: &Export) -> Result<Exit, Failure> {
    let mut request = job::export::Request::new(&args.file, &args.obao);
    (request.root, request.replace) = (args.root, args.force);
    request.threads = args.threads.map_or(request.threads, usize::from);
    one(!args.no_progress, false, |control| job::export::run(&request, control))
}

fn import(args: &Import) -> Result<Exit, Failure> {
    let mut request = job::import::Request::new(&args.on.file, &args.obao);
    (request.root, request.leaf, request.replace) = (args.root, args.leaf, args.force);
    args.on.place(&mut request.tree, &mut 0);
    one(!args.on.no_progress, args.on.json, |control| job::import::run(&request, control))
}
