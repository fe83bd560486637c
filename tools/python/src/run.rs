//! A run over files on a thread of its own, which hands its records over.

use crate::job::PANICKED;
use crate::progress::Pace;
use pfh::hash::{self, Event, Request};
use pfh::{Cancel, Control, Plan, Record, Source, Summary};
use std::io;
use std::sync::mpsc::SyncSender;
use std::sync::{Mutex, PoisonError};

/// A message of the run.
pub enum Message {
    /// The result of an input.
    Record(Box<Record>),
    /// The run ended, and how.
    End(Box<Result<Summary, String>>),
}

/// The input of a run.
pub enum Work {
    /// Files and objects of stores: the job of `pfh hash`.
    Job(Box<Request>),
    /// Objects that Python opens.
    Objects(Box<dyn Source>, Plan),
}

/// The remarks of the run beside its records.
#[derive(Default)]
pub struct Notes {
    /// A sentence each.
    pub messages: Vec<String>,
    /// The use of the cache, if there is one.
    pub cache: Option<hash::Use>,
}

/// The run. Its end is the last message; a reader that went away ends it.
pub fn run(work: Work, sender: &SyncSender<Message>, cancel: Cancel, pace: Option<Pace>, notes: &Mutex<Notes>) {
    let mut control = Control::new().with_cancel(cancel);
    if let Some(pace) = pace {
        control = control.on_progress(move |progress| pace.note(progress));
    }
    let panics = pfh::process::panics();
    pfh::process::fail_point("files");
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    let mut sink = |record: Record| sender.send(Message::Record(Box::new(record))).map_err(gone);
    let ended = match work {
        Work::Objects(source, plan) => pfh::run(source, &plan, &mut sink, &control).map_err(|error| error.to_string()),
        Work::Job(request) => job(&request, &mut sink, &control, notes).map_err(|error| error.to_string()),
    };
    let ended = if pfh::process::panics() == panics { ended } else { Err(PANICKED.to_owned()) };
    let _ = sender.send(Message::End(Box::new(ended)));
}

fn job(
    request: &Request,
    sink: &mut dyn FnMut(Record) -> io::Result<()>,
    control: &Control<'_>,
    notes: &Mutex<Notes>,
) -> Result<Summary, pfh::job::Error> {
    let note = |text: String| notes.lock().unwrap_or_else(PoisonError::into_inner).messages.push(text);
    let mut events = |event: Event<'_>| {
        match event {
            Event::Record(record) => return sink(record.clone()),
            Event::Changed(record) => note(format!(
                "{}: its content changed though size, mtime and ctime did not",
                pfh::terminal::render(&record.name)
            )),
            Event::Uncached(why) => note(format!("{why}: files are hashed without it")),
            _ => {}
        }
        Ok(())
    };
    let summary = hash::run(request, &mut events, control)?;
    if !summary.run.interrupted {
        for pattern in request.input.descend.selection.unmatched() {
            note(format!("pattern '{}' matched nothing", pfh::terminal::render(pattern.as_bytes())));
        }
    }
    notes.lock().unwrap_or_else(PoisonError::into_inner).cache = summary.cache;
    Ok(summary.run)
}
