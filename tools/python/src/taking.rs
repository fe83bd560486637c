//! The records of a run on their way: taken one by one, or as an Arrow stream, each once.

use crate::error;
use crate::run::Message;
use pfh::{Cancel, Record, Summary};
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Why there are no further records although the run did not end.
#[derive(Debug, Clone)]
pub enum Gone {
    /// It was closed.
    Closed,
    /// An Arrow stream has them.
    Streamed,
    /// It was cancelled.
    Cancelled,
    /// It failed, and why.
    Failed(String),
    /// It runs in another process.
    Forked,
}

impl Gone {
    /// The reason as a sentence.
    pub fn sentence(&self) -> &str {
        match self {
            Gone::Closed => "the run was closed before its end: records that were not taken are lost",
            Gone::Streamed => "the records were taken as an Arrow stream",
            Gone::Cancelled => "the run was cancelled before its end",
            Gone::Failed(why) => why,
            Gone::Forked => "the run belongs to the process that began it, and this is a fork of it",
        }
    }

    /// The reason as an exception.
    pub fn error(&self, py: Python<'_>) -> PyErr {
        match self {
            Gone::Closed | Gone::Streamed => error::value(self.sentence()),
            Gone::Cancelled => error::cancelled(py, self.sentence()),
            Gone::Failed(_) | Gone::Forked => error::aborted(py, self.sentence(), None),
        }
    }
}

/// Where the records are.
enum State {
    /// The messages that follow; one that was received is held until it is handed over.
    Here(Receiver<Message>, Option<Message>),
    /// All were taken.
    Ended(Box<Summary>),
    /// Nothing more comes.
    Gone(Gone),
}

impl State {
    /// Notes the end of the run.
    fn end(&mut self, ended: Result<Summary, String>) -> Result<(), Gone> {
        let gone = match ended {
            Ok(summary) if summary.interrupted => Gone::Cancelled,
            Ok(summary) => {
                *self = State::Ended(Box::new(summary));
                return Ok(());
            }
            Err(why) => Gone::Failed(why),
        };
        *self = State::Gone(gone.clone());
        Err(gone)
    }
}

/// The answer to a taker.
pub enum Handed {
    /// A record, which nobody else gets.
    Record(Box<Record>),
    /// The end: all were taken.
    End,
    /// Nothing: another thread was faster.
    Nothing,
}

/// The outcome of a look for the next message.
pub enum Next {
    /// A message, which `hand_over` takes.
    Held,
    /// None came meanwhile.
    Nothing,
    /// All were taken.
    End,
}

/// The records of a run that were not taken yet. The run ends with the last reference to this.
pub struct Taking {
    state: Mutex<State>,
    cancel: Cancel,
    process: u32,
}

impl Drop for Taking {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Taking {
    /// Those that come as these messages, from threads of this process.
    pub fn new(messages: Receiver<Message>, cancel: Cancel) -> Taking {
        Taking { state: Mutex::new(State::Here(messages, None)), cancel, process: std::process::id() }
    }

    /// The state. A fork has no threads but the one that forked: nothing would ever come there, and
    /// a lock that another thread had would stay locked.
    fn state(&self) -> Result<MutexGuard<'_, State>, Gone> {
        match std::process::id() == self.process {
            true => Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner)),
            false => Err(Gone::Forked),
        }
    }

    /// Waits for the next message a little while.
    ///
    /// # Errors
    /// When none will come although the run did not end.
    pub fn next(&self, wait: Duration) -> Result<Next, Gone> {
        let mut state = self.state()?;
        let (messages, held) = match &mut *state {
            State::Here(messages, held) => (messages, held),
            State::Ended(_) => return Ok(Next::End),
            State::Gone(gone) => return Err(gone.clone()),
        };
        if held.is_some() {
            return Ok(Next::Held);
        }
        match messages.recv_timeout(wait) {
            Ok(message) => *held = Some(message),
            Err(RecvTimeoutError::Timeout) => return Ok(Next::Nothing),
            Err(RecvTimeoutError::Disconnected) => {
                let gone = Gone::Failed("the run ended before its time".to_owned());
                *state = State::Gone(gone.clone());
                return Err(gone);
            }
        }
        Ok(Next::Held)
    }

    /// Takes the message that is held. That of the end is noted before another thread looks: it
    /// would find that nothing more comes.
    ///
    /// # Errors
    /// When the run failed, or was cancelled.
    pub fn hand_over(&self) -> Result<Handed, Gone> {
        let mut state = self.state()?;
        let State::Here(_, held) = &mut *state else { return Ok(Handed::Nothing) };
        match held.take() {
            None => Ok(Handed::Nothing),
            Some(Message::Record(record)) => Ok(Handed::Record(record)),
            Some(Message::End(ended)) => state.end(*ended).map(|()| Handed::End),
        }
    }

    /// Notes the end of the run.
    ///
    /// # Errors
    /// When it failed, or was cancelled.
    pub fn end(&self, ended: Result<Summary, String>) -> Result<(), Gone> {
        self.state()?.end(ended)
    }

    /// Ends the run; records that were not taken are lost.
    pub fn close(&self) {
        self.cancel.cancel();
        if let Ok(mut state) = self.state()
            && matches!(*state, State::Here(..))
        {
            *state = State::Gone(Gone::Closed);
        }
    }

    /// Hands the rest over to an Arrow stream.
    ///
    /// # Errors
    /// When nothing is.
    pub fn stream(&self) -> Result<(Receiver<Message>, Option<Message>), Gone> {
        let mut state = self.state()?;
        match std::mem::replace(&mut *state, State::Gone(Gone::Streamed)) {
            State::Here(messages, held) => Ok((messages, held)),
            before => {
                let gone = if let State::Gone(gone) = &before { gone.clone() } else { Gone::Streamed };
                *state = before;
                Err(gone)
            }
        }
    }

    /// Whether records may be left.
    ///
    /// # Errors
    /// Why none are.
    pub fn left(&self) -> Result<(), Gone> {
        match &*self.state()? {
            State::Here(..) => Ok(()),
            State::Ended(_) => Err(Gone::Streamed),
            State::Gone(gone) => Err(gone.clone()),
        }
    }

    /// The counts, once all records were taken.
    pub fn summary(&self) -> Option<Summary> {
        match &*self.state().ok()? {
            State::Ended(summary) => Some(**summary),
            _ => None,
        }
    }
}
