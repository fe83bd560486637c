//! `pfh audit`: does a server still hold the files that it was given?

mod args;
pub mod help;

use crate::exit::{self, Exit, Failure};
use crate::session::Session;
pub use args::Audit;
use args::{Ask, Challenge, Commit, Prove, Renew, Serve, Tokens, Verify};
use pfh::audit::{self as job, AuditVerdict, Error, Status};
use pfh::{Control, Destination};
use std::io::IsTerminal;
use std::path::PathBuf;
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
        Audit::Serve(args) => serve(args),
        Audit::Ask(args) => ask(args),
    })
}

/// The exit of a step without signals.
fn done(ran: Result<(), Error>) -> Result<Exit, Failure> {
    ran.map(|()| Exit::Good).map_err(failed)
}

fn failed(error: Error) -> Failure {
    Failure::of(&error, Exit::Aborted)
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
    let mut request = job::commit::Request::new(&args.files).output(output(&args.output));
    (request.tree, request.identity) = (args.outboard.clone(), args.identity.clone());
    request.replace = args.force;
    done(job::commit::run(&request))
}

fn challenge(args: &Challenge) -> Result<Exit, Failure> {
    refuse_terminal(&args.output, "a challenge")?;
    let mut request = job::challenge::Request::new(&args.kept).output(output(&args.output));
    (request.identity, request.extent) = (args.identity.clone(), args.sample.extent());
    request.replace = args.force;
    done(job::challenge::run(&request))
}

fn prove(args: &Prove) -> Result<Exit, Failure> {
    use job::prove::{Answer, Request};
    refuse_terminal(&args.output, "an answer")?;
    let mut request = Request::new(&args.challenge, &args.file).output(output(&args.output));
    request.tree = args.outboard.clone().unwrap_or(request.tree);
    args.key.iter().for_each(|key| exit::warn_of_key(key));
    request.answer = if args.keyed { Answer::Keyed } else { Answer::Leaves(args.key.clone()) };
    (request.most, request.replace) = (args.most.unwrap_or(u64::MAX), args.force);
    done(job::prove::run(&request))
}

fn verify(args: &Verify) -> Result<Exit, Failure> {
    let mut request = job::verify::Request::new(&args.kept, &args.challenge, &args.answer);
    (request.signed_by, request.data, request.loss) = (args.signed_by.clone(), args.data.clone(), args.find);
    let verdict = job::verify::run(&request, &Control::new()).map_err(failed)?;
    print(&verdict, args.json).map_err(|error| Failure::output(&error))?;
    Ok(exit_of(verdict.status()))
}

fn tokens(args: &Tokens) -> Result<Exit, Failure> {
    let mut request = job::tokens::Request::new(&args.kept, &args.data, &args.output);
    (request.identity, request.extent) = (args.identity.clone(), args.sample.extent());
    (request.count, request.replace) = (args.count, args.force);
    done(job::tokens::run(&request, &Control::new()))
}

fn renew(args: &Renew) -> Result<Exit, Failure> {
    let mut request = job::renew::Request::new(&args.kept, &args.update);
    (request.identity, request.output) = (args.identity.clone(), output(&args.output));
    request.replace = args.force;
    exit::say(job::renew::run(&request).map_err(failed)?);
    Ok(Exit::Good)
}

fn serve(args: &Serve) -> Result<Exit, Failure> {
    use job::serve::{Event, Request, run};
    let mut request = Request::new(&args.directory);
    args.key.iter().for_each(|key| exit::warn_of_key(key));
    (request.listen, request.key) = (args.listen.clone(), args.key.clone());
    request.limits.answer = args.most.unwrap_or(u64::MAX);
    request.limits.time = Duration::from_secs(args.timeout);
    request.limits.connections = usize::from(args.connections);
    let (session, quiet) = (Session::open(false)?, args.quiet);
    let say = move |event: &Event<'_>| match event {
        Event::Listening { .. } => exit::print(format!("{event}\n").as_bytes()),
        _ if quiet => Ok(()),
        event => {
            exit::say(event);
            Ok(())
        }
    };
    run(&request, say, &session.control()).map_err(|error| session.failed(error))?;
    Ok(session.signal())
}

fn ask(args: &Ask) -> Result<Exit, Failure> {
    use job::ask::{Event, How, Request, run};
    let mut request = Request::new(&args.url, args.kept.clone().unwrap_or_else(|| "-".into()));
    request.how = match (&args.tokens, args.catalogue, args.together, args.keyed) {
        (Some(tokens), ..) => How::Token(tokens.clone()),
        (_, true, ..) => How::Catalogue,
        (_, _, true, _) => How::Together,
        (.., true) => How::Keyed(args.data.clone().unwrap_or_else(|| ".".into())),
        _ => How::Each,
    };
    (request.identity, request.extent) = (args.identity.clone(), args.sample.extent());
    (request.signed_by, request.evidence) = (args.signed_by.clone(), args.evidence.clone());
    (request.timeout, request.replace) = (Duration::from_secs(args.timeout), args.force);
    (request.every, request.rounds) = (args.every, args.rounds);
    // A single round ends with the first signal, wherever it is.
    let session = args.every.map(|_| Session::open(false)).transpose()?;
    let control = session.as_ref().map_or_else(Control::new, Session::control);
    let mut say = |event: &Event<'_>| match event {
        Event::Judged(verdict) => print(verdict, args.json),
        event => {
            exit::say(event);
            Ok(())
        }
    };
    match (run(&request, &mut say, &control), &session) {
        (Ok(status), _) => Ok(exit_of(status)),
        // The signal says all.
        (Err(Error::Cancelled), Some(session)) => Ok(session.signal()),
        (Err(error), _) => Err(failed(error)),
    }
}

fn print(verdict: &AuditVerdict, json: bool) -> std::io::Result<()> {
    let line = if json { verdict.json() } else { verdict.text().into_bytes() };
    exit::print(&line)
}

fn exit_of(status: Status) -> Exit {
    match status {
        Status::Proved => Exit::Good,
        Status::NotAsked => Exit::Incomplete,
        Status::Rejected => Exit::Verdict,
    }
}
