//! Messages that arrive one by one, hashed many at once.

use crate::buffer::Bytes;
use crate::error;
use crate::hashing::{Hash, under};
use crate::request::Threads;
use pfh::{Algorithm, Digest, LostMessage, Terms};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Between two looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// Hashes messages that arrive one by one in SIMD lanes: `Queue("sha256").push(b"abc").digest()`.
///
/// A batch begins when the lanes are full, the oldest message has waited for `wait` seconds, or a
/// push finds no room; while all `threads` hash, messages wait for the end of a batch too. `memory`
/// bounds the bytes of messages that wait or are hashed: a push beyond it waits. `key` is that of
/// `hmac-sha256` and its like.
#[pyclass(frozen, module = "pfh")]
pub struct Queue {
    algorithm: Algorithm,
    queue: pfh::Queue,
}

#[pymethods]
impl Queue {
    #[new]
    #[pyo3(signature = (name, *, key = None, wait = 0.001, threads = None, memory = None))]
    fn start(
        name: &str,
        key: Option<&Bound<'_, PyAny>>,
        wait: f64,
        threads: Option<Threads>,
        memory: Option<usize>,
    ) -> PyResult<Queue> {
        let algorithm = under(name, key)?;
        let wait = Duration::try_from_secs_f64(wait)
            .map_err(|_| error::value(format!("wait is a number of seconds, not {wait}")))?;
        let usual = Terms::default();
        let threads = threads.map_or(usual.threads, Threads::number);
        let terms = Terms { wait, threads, memory: memory.unwrap_or(usual.memory) };
        Ok(Queue { algorithm, queue: pfh::Queue::new(algorithm.into(), terms)? })
    }

    /// Takes a message, and copies it. It comes after all that the hash object `after` has seen,
    /// which is of the queue's algorithm: `new("hmac-sha256", key=key)` of a connection.
    #[pyo3(signature = (data, after = None))]
    fn push(&self, py: Python<'_>, data: &Bound<'_, PyAny>, after: Option<&Hash>) -> PyResult<Ticket> {
        let message = Bytes::get(data)?.as_slice().to_vec();
        let begun = after.map(|hash| hash.hasher_so_far(py));
        if begun.as_ref().is_some_and(|begun| begun.algorithm() != *self.algorithm) {
            return Err(error::value(format!("after is a hash object of another algorithm than {}", self.algorithm)));
        }
        let ticket = py.detach(|| match begun {
            None => self.queue.push(message),
            Some(begun) => self.queue.push_after(begun, message),
        });
        Ok(Ticket(Mutex::new(Answer::Waiting(ticket))))
    }

    /// The name of the algorithm.
    #[getter]
    fn name(&self) -> String {
        self.algorithm.to_string()
    }
}

/// The digest of one message of a `Queue`, once it is there. A message whose ticket is dropped
/// before its batch begins is not hashed.
#[pyclass(frozen, module = "pfh")]
pub struct Ticket(Mutex<Answer>);

enum Answer {
    Waiting(pfh::Ticket),
    Digest(Digest),
    Lost,
}

#[pymethods]
impl Ticket {
    /// The digest, waited for; of similarity digests the bytes of their text.
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        loop {
            let found = py.detach(|| {
                let mut answer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
                match &*answer {
                    Answer::Waiting(ticket) if !ticket.wait_for(LOOK) => return None,
                    Answer::Waiting(_) => {}
                    Answer::Digest(digest) => return Some(Ok(digest.clone())),
                    Answer::Lost => return Some(Err(LostMessage)),
                }
                if let Answer::Waiting(ticket) = std::mem::replace(&mut *answer, Answer::Lost) {
                    let found = ticket.wait();
                    if let Ok(digest) = &found {
                        *answer = Answer::Digest(digest.clone());
                    }
                    return Some(found);
                }
                None
            });
            match found {
                Some(Ok(digest)) => return Ok(PyBytes::new(py, digest.bytes())),
                Some(Err(lost)) => return Err(PyRuntimeError::new_err(lost.to_string())),
                None => py.check_signals()?,
            }
        }
    }

    /// Whether `digest` would return at once.
    fn is_ready(&self) -> bool {
        // Locked, another thread waits for it.
        self.0.try_lock().is_ok_and(|answer| match &*answer {
            Answer::Waiting(ticket) => ticket.is_ready(),
            Answer::Digest(_) | Answer::Lost => true,
        })
    }
}
