//! A run over files on a thread of its own, which hands its records over.

use crate::job::PANICKED;
use crate::progress::Pace;
use pfh::{Cancel, Control, Plan, Record, Source, Summary};
use std::io;
use std::sync::mpsc::SyncSender;

/// What the run hands over.
pub enum Message {
    /// The result of an input.
    Record(Record),
    /// The run ended, and how.
    End(Box<Result<Summary, String>>),
}

/// The run. Its end is the last message; a reader that went away ends it.
pub fn run(source: Box<dyn Source>, plan: &Plan, sender: &SyncSender<Message>, cancel: Cancel, pace: Option<Pace>) {
    let mut control = Control::new().with_cancel(cancel);
    if let Some(pace) = pace {
        control = control.on_progress(move |progress| pace.note(progress));
    }
    let panics = pfh::process::panics();
    pfh::process::fail_point("files");
    let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
    let mut sink = |record: Record| sender.send(Message::Record(record)).map_err(gone);
    let ended = pfh::run(source, plan, &mut sink, &control).map_err(|error| error.to_string());
    let ended = if pfh::process::panics() == panics { ended } else { Err(PANICKED.to_owned()) };
    let _ = sender.send(Message::End(Box::new(ended)));
}
