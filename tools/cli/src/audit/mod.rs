//! `pfh audit`: does a server still hold the files that it was given?

mod args;
pub mod help;

#[cfg(feature = "serve")]
use crate::aside::Announcer;
use crate::exit::{self, Exit, Failure};
use crate::leveling::Leveling;
use crate::session::Session;
use crate::show::audit as show;
pub use args::Audit;
#[cfg(feature = "serve")]
use args::{Ask, Serve};
use args::{Challenge, Commit, Demo, Prove, Renew, Tokens, Verify};
use pfh::audit::{self as job, AuditVerdict, Event, Events, SceneRow, Status, VerdictRow};
use pfh::job::Error;
use pfh::manifest::row::line;
use pfh::{Control, Destination};
use std::io::IsTerminal;
use std::path::PathBuf;
#[cfg(feature = "serve")]
use std::time::Duration;

/// Runs one of the steps.
pub fn run(audit: &Audit) -> Exit {
    exit::end(match audit {
        Audit::Commit(args) => commit(args),
        Audit::Challenge(args) => challenge(args),
        Audit::Prove(args) => prove(args),
        Audit::Verify(args) => verify(args),
        Audit::Tokens(args) => tokens(args),
        Audit::Renew(args) => renew(args),
        Audit::Demo(args) => demo(args),
        #[cfg(feature = "serve")]
        Audit::Serve(args) => serve(args),
        #[cfg(feature = "serve")]
        Audit::Ask(args) => ask(args),
    })
}

/// Carries out a step without signals. Its events are sentences on standard error.
fn done<T>(step: impl FnOnce(&mut Events<'_>, &Control<'_>) -> Result<T, Error>) -> Result<T, Failure> {
    let mut say = |event: Event<'_>| {
        exit::say(show::sentence(&event));
        Ok(())
    };
    step(&mut say, &Control::new()).map_err(|error| failed(&error))
}

fn failed(error: &Error) -> Failure {
    Failure::of(error, Exit::Aborted)
}

fn output(path: &Option<PathBuf>) -> Destination {
    path.clone().map_or_else(Destination::default, Destination::from)
}

/// Binary goes to files and pipes.
fn refuse_terminal(path: &Option<PathBuf>, what: &str) -> Result<(), Failure> {
    if path.is_none() && std::io::stdout().is_terminal() {
        let message = format!("{what} is binary and standard output is a terminal: state a file with -o");
        return Err(Failure::usage(message));
    }
    Ok(())
}

fn commit(args: &Commit) -> Result<Exit, Failure> {
    let secret = args.keyed_tree.secret()?;
    let mut request = job::commit::Request::new(&args.files).output(output(&args.output)).secret(secret);
    (request.tree, request.identity) = (args.outboard.clone(), args.identity.clone());
    request.replace = args.force;
    done(|events, control| job::commit::run(&request, events, control)).map(|()| Exit::Good)
}

fn challenge(args: &Challenge) -> Result<Exit, Failure> {
    refuse_terminal(&args.output, "a challenge")?;
    let mut request = job::challenge::Request::new(&args.kept).output(output(&args.output));
    (request.identity, request.extent) = (args.identity.clone(), args.sample.extent());
    request.replace = args.force;
    done(|events, control| job::challenge::run(&request, events, control)).map(|()| Exit::Good)
}

fn prove(args: &Prove) -> Result<Exit, Failure> {
    use job::prove::{Answer, Request};
    refuse_terminal(&args.output, "an answer")?;
    let mut request = Request::new(&args.challenge, &args.file).output(output(&args.output));
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    args.key.iter().for_each(|key| exit::warn_of_key(key));
    request.answer = if args.keyed { Answer::Keyed } else { Answer::Leaves(args.key.clone()) };
    (request.most, request.replace) = (args.most.unwrap_or(u64::MAX), args.force);
    done(|events, control| job::prove::run(&request, events, control)).map(|()| Exit::Good)
}

fn verify(args: &Verify) -> Result<Exit, Failure> {
    let mut request = job::verify::Request::new(&args.kept, &args.challenge, &args.answer);
    (request.signed_by, request.data, request.loss) = (args.signed_by.clone(), args.data.clone(), args.find);
    request.secret = args.keyed_tree.secret()?;
    let mut say = |event: Event<'_>| match event {
        Event::Judged(verdict) => print(verdict, args.json, &args.levels),
        _ => Ok(()),
    };
    let verdict = job::verify::run(&request, &mut say, &Control::new()).map_err(|error| failed(&error))?;
    Ok(exit_of(verdict.status()))
}

fn tokens(args: &Tokens) -> Result<Exit, Failure> {
    let mut request = job::tokens::Request::new(&args.kept, &args.data, &args.output);
    (request.identity, request.extent) = (args.identity.clone(), args.sample.extent());
    (request.count, request.replace) = (args.count, args.force);
    request.secret = args.keyed_tree.secret()?;
    done(|events, control| job::tokens::run(&request, events, control)).map(|()| Exit::Good)
}

fn renew(args: &Renew) -> Result<Exit, Failure> {
    let mut request = job::renew::Request::new(&args.kept, &args.update);
    (request.identity, request.output) = (args.identity.clone(), output(&args.output));
    (request.replace, request.secret) = (args.force, args.keyed_tree.secret()?);
    done(|events, control| job::renew::run(&request, events, control)).map(|_| Exit::Good)
}

#[cfg(feature = "serve")]
fn serve(args: &Serve) -> Result<Exit, Failure> {
    use job::serve::{Request, run};
    let mut request = Request::new(&args.directory);
    args.key.iter().for_each(|key| exit::warn_of_key(key));
    (request.listen, request.key) = (args.listen.clone(), args.key.clone());
    request.limits.answer = args.most.unwrap_or(u64::MAX);
    request.limits.time = Duration::from_secs(args.timeout);
    request.limits.connections = usize::from(args.connections);
    let (session, quiet, mut aside) = (Session::open(false)?, args.quiet, Announcer::begin());
    let mut say = |event: Event<'_>| match event {
        Event::Listening { .. } => exit::print((show::sentence(&event) + "\n").as_bytes()),
        _ if quiet => Ok(()),
        event => {
            aside.say(show::sentence(&event));
            Ok(())
        }
    };
    run(&request, &mut say, &session.control()).map_err(|error| session.ended(error))?;
    Ok(session.signal())
}

#[cfg(feature = "serve")]
fn ask(args: &Ask) -> Result<Exit, Failure> {
    use job::ask::{AskMode, Request, run};
    let mut request = Request::new(&args.url, args.kept.clone().unwrap_or_else(|| "-".into()));
    request.how = match (&args.tokens, args.catalogue, args.together, args.keyed) {
        (Some(tokens), ..) => AskMode::Token(tokens.clone()),
        (_, true, ..) => AskMode::Catalogue,
        (_, _, true, _) => AskMode::Together,
        (.., true) => AskMode::Keyed(args.data.clone().unwrap_or_else(|| ".".into())),
        _ => AskMode::Each,
    };
    (request.identity, request.extent) = (args.identity.clone(), args.sample.extent());
    (request.signed_by, request.evidence) = (args.signed_by.clone(), args.evidence.clone());
    (request.timeout, request.replace) = (Duration::from_secs(args.timeout), args.force);
    (request.every, request.rounds) = (args.every, args.rounds);
    request.secret = args.keyed_tree.secret()?;
    // A single round ends with the first signal, wherever it is.
    let session = args.every.map(|_| Session::open(false)).transpose()?;
    let control = session.as_ref().map_or_else(Control::new, Session::control);
    let mut say = |event: Event<'_>| match event {
        Event::Judged(verdict) => print(verdict, args.json, &args.levels),
        event => {
            exit::say(show::sentence(&event));
            Ok(())
        }
    };
    match (run(&request, &mut say, &control), &session) {
        (Ok(status), _) => Ok(exit_of(status)),
        // The signal says all.
        (Err(Error::Cancelled(_)), Some(session)) => Ok(session.signal()),
        (Err(error), _) => Err(failed(&error)),
    }
}

fn demo(args: &Demo) -> Result<Exit, Failure> {
    let mut request = job::demo::Request::default();
    (request.bytes, request.extent) = (args.size, args.sample.extent());
    let session = Session::open(false)?;
    let mut say = |event: Event<'_>| match event {
        Event::Staged(scene) if args.json => exit::print(line(&SceneRow::of(scene)).as_bytes()),
        Event::Staged(scene) => exit::print(show::scene(scene).as_bytes()),
        _ => Ok(()),
    };
    if !args.json {
        exit::print(show::stage(args.size).as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    let ran = job::demo::run(&request, &mut say, &session.control());
    let summary = ran.map_err(|error| session.ended(error))?;
    if !args.json {
        exit::print(show::moral(&summary).as_bytes()).map_err(|error| Failure::output(&error))?;
    }
    Ok(if summary.is_as_claimed() { Exit::Good } else { Exit::Verdict })
}

fn print(verdict: &AuditVerdict, json: bool, levels: &Leveling) -> std::io::Result<()> {
    let line = if json { line(&VerdictRow::of(verdict, &levels.asked())) } else { verdict.sentence() + "\n" };
    exit::print(line.as_bytes())
}

fn exit_of(status: Status) -> Exit {
    match status {
        Status::Proved => Exit::Good,
        Status::NotAsked => Exit::Incomplete,
        Status::Rejected => Exit::Verdict,
    }
}
