//! An object of a store as an entry's bytes.

use crate::fetch::ListedObject;
use crate::runtime::{runtime, task_panicked};
use bytes::{Buf, Bytes};
use futures_util::StreamExt;
use pfh_source::{Object, Problem, Stage, fail_point};
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// The bytes of a small object, or why there are none.
pub(crate) type Early = oneshot::Receiver<Result<Bytes, Problem>>;

/// An object, perhaps on its way already.
pub(crate) struct Remote {
    listed: ListedObject,
    /// A small one that was asked for before its turn, until it is opened.
    early: Mutex<Option<Early>>,
}

impl Remote {
    pub(crate) fn new(listed: ListedObject, early: Option<Early>) -> Remote {
        Remote { listed, early: Mutex::new(early) }
    }
}

impl Object for Remote {
    fn open(&self) -> Result<Box<dyn Read + Send>, Problem> {
        let runtime = runtime().map_err(|error| Problem::io(Stage::Open, &error))?;
        let early = self.early.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(early) = early {
            let bytes = early.blocking_recv().unwrap_or_else(|_| task_panicked());
            return Ok(Box::new(bytes?.reader()));
        }
        runtime.block_on(self.listed.state())?;
        let (sender, receiver) = mpsc::channel(1);
        let mut pieces = Box::pin(self.listed.clone().pieces());
        runtime.spawn(async move {
            // The reader is gone when the channel is: pieces on their way are dropped then.
            while let Some(piece) = pieces.next().await {
                fail_point("remote-pieces");
                let last = piece.is_err();
                if sender.send(piece).await.is_err() || last {
                    return;
                }
            }
        });
        Ok(Box::new(Pieces { receiver, piece: Bytes::new(), left: self.listed.size }))
    }

    fn size_hint(&self) -> Option<u64> {
        Some(self.listed.size)
    }

    fn stated(&self) -> Option<Vec<(Box<str>, Box<str>)>> {
        self.listed.stated.as_ref()?.get().cloned()
    }
}

/// Pieces as they come.
struct Pieces {
    receiver: mpsc::Receiver<Result<Bytes, Problem>>,
    piece: Bytes,
    /// Bytes that are still to come.
    left: u64,
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !buffer.is_empty() {
            match self.receiver.blocking_recv() {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(problem)) => return Err(io::Error::other(problem)),
                None if self.left == 0 => return Ok(0),
                // The task ended without the end of the object.
                None => task_panicked(),
            }
        }
        let length = self.piece.len().min(buffer.len());
        self.piece.copy_to_slice(&mut buffer[..length]);
        self.left = self.left.saturating_sub(length as u64);
        Ok(length)
    }
}
