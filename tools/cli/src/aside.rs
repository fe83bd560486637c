//! Sentences of a server on standard error, which nobody may read: a pipe that is full stops the
//! sentences, and not the server.

use crate::exit;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::thread;
use std::time::Duration;

/// Sentences that wait.
const WAITING: usize = 1024;
/// How long the last ones have when the server ends.
const PARTING: Duration = Duration::from_millis(200);

/// Says sentences from a thread of its own.
pub struct Announcer {
    sentences: Option<SyncSender<String>>,
    /// Sentences that found no room, since the last one that did.
    lost: u64,
    said: Receiver<()>,
}

impl Announcer {
    /// Begins.
    pub fn begin() -> Announcer {
        let (sentences, waiting) = sync_channel::<String>(WAITING);
        let (done, said) = channel();
        // Without a thread nothing is said: the receiver is gone.
        let _ = thread::Builder::new().name("pfh-aside".into()).spawn(move || {
            waiting.iter().for_each(exit::say);
            let _ = done.send(());
        });
        Announcer { sentences: Some(sentences), lost: 0, said }
    }

    /// Says a sentence, or counts it where there is no room.
    pub fn say(&mut self, sentence: impl std::fmt::Display) {
        let Some(sentences) = &self.sentences else { return };
        if self.lost > 0 {
            let what = format!("{} sentences before this one are left out: nobody read them in time", self.lost);
            match sentences.try_send(what) {
                Ok(()) => self.lost = 0,
                Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => return self.lost += 1,
            }
        }
        if sentences.try_send(sentence.to_string()).is_err() {
            self.lost += 1;
        }
    }
}

impl Drop for Announcer {
    fn drop(&mut self) {
        self.sentences = None;
        let _ = self.said.recv_timeout(PARTING);
    }
}
