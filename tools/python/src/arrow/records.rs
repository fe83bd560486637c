//! Records of a run as a stream of batches.

use super::column::{Column, Kind};
use super::ffi::{Array, Schema, Stream};
use crate::run::Message;
use crate::taking::{Gone, Taking};
use pfh::{Algorithm, Outcome, Record};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// Rows of a batch at most.
const ROWS: usize = 8192;
/// A batch ends after a row with which its values reach that many bytes.
const BYTES: usize = 16 << 20;

const NAME: &CStr = c"arrow_array_stream";

/// The records of a run that nobody took yet. The first stream that is asked for a batch has them.
pub struct Records {
    algorithms: Vec<Algorithm>,
    taking: Arc<Taking>,
    /// The messages, once this stream has them, and the first one.
    messages: Option<(Receiver<Message>, Option<Message>)>,
    process: u32,
    ended: bool,
    /// Why the run failed.
    failed: Option<CString>,
}

impl Records {
    /// Those that are left.
    pub fn new(algorithms: Vec<Algorithm>, taking: Arc<Taking>) -> Records {
        Records { algorithms, taking, messages: None, process: std::process::id(), ended: false, failed: None }
    }

    /// The columns, in order.
    fn columns(&self) -> Vec<(String, Kind)> {
        let first =
            [("number", Kind::Number), ("path", Kind::Text), ("path_bytes", Kind::Bytes), ("status", Kind::Text)];
        let second = [("size", Kind::Number), ("mtime_ns", Kind::Number)];
        let last = [("stage", Kind::Text), ("offset", Kind::Number), ("cause", Kind::Text)];
        let owned = |(name, kind): (&str, Kind)| (name.to_owned(), kind);
        let digest = |algorithm: &Algorithm| {
            (algorithm.to_string(), if algorithm.length() == 0 { Kind::Text } else { Kind::Bytes })
        };
        let before = first.into_iter().chain(second).map(owned);
        before.chain(self.algorithms.iter().map(digest)).chain(last.into_iter().map(owned)).collect()
    }

    /// The type of a batch.
    pub fn schema(&self) -> Schema {
        let children = self.columns().iter().map(|(name, kind)| kind.schema(name)).collect();
        Schema::owned("+s", "", 0, children)
    }

    /// The next message.
    fn message(&mut self) -> Result<Message, Gone> {
        if std::process::id() != self.process {
            return Err(Gone::Forked);
        }
        let (messages, first) = match &mut self.messages {
            Some(messages) => messages,
            taken => taken.insert(self.taking.stream()?),
        };
        first
            .take()
            .map_or_else(|| messages.recv(), Ok)
            .map_err(|_| Gone::Failed("the run ended before its time".into()))
    }

    /// The next batch; `None` at the end, an error if the run failed.
    fn batch(&mut self) -> Result<Option<Array>, Gone> {
        let mut columns: Vec<Column> = self.columns().into_iter().map(|(_, kind)| Column::new(kind)).collect();
        let mut rows = 0;
        while !self.ended && rows < ROWS && columns.iter().map(Column::bytes).sum::<usize>() < BYTES {
            match self.message()? {
                Message::Record(record) => {
                    fill(&mut columns, &record, self.algorithms.len());
                    rows += 1;
                }
                Message::End(ended) => {
                    self.taking.end(*ended)?;
                    self.ended = true;
                }
            }
        }
        let children = columns.into_iter().map(Column::array).collect();
        Ok((rows > 0).then(|| Array::owned(rows, 0, vec![None], children)))
    }
}

/// Adds the row of a record.
fn fill(columns: &mut [Column], record: &Record, algorithms: usize) {
    let (status, hashed, problem) = match &record.outcome {
        Outcome::Hashed(hashed) => ("hashed", Some(hashed), None),
        Outcome::Skipped(_) => ("skipped", None, None),
        Outcome::Failed(problem) => ("failed", None, Some(problem)),
    };
    let stat = hashed.and_then(|hashed| hashed.closed.stat);
    // Beyond the year 2262 there is no such number.
    let mtime = stat.and_then(|s| s.mtime.0.checked_mul(1_000_000_000)?.checked_add(i64::from(s.mtime.1)));
    let [number, path, bytes, state, size, modified, digests @ .., stage, offset, cause] = columns else { return };
    number.number(Some(record.number as i64));
    path.value(str::from_utf8(&record.name).ok().map(str::as_bytes));
    bytes.value(Some(&record.name));
    state.value(Some(status.as_bytes()));
    size.number(hashed.map(|hashed| hashed.closed.size as i64));
    modified.number(mtime);
    for index in 0..algorithms.min(digests.len()) {
        digests[index].value(hashed.and_then(|hashed| hashed.digests.get(index)).map(pfh::Digest::bytes));
    }
    stage.value(problem.map(|problem| problem.stage.name().as_bytes()));
    offset.number(problem.and_then(|problem| problem.offset).map(|offset| offset as i64));
    cause.value(record.outcome.cause().as_deref().map(str::as_bytes));
}

/// The stream in a capsule.
///
/// # Errors
/// When Python has no memory for it.
pub fn stream(py: Python<'_>, records: Records) -> PyResult<Bound<'_, PyCapsule>> {
    let stream = Box::new(Stream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(Box::new(records)).cast(),
    });
    let pointer = NonNull::from(Box::leak(stream)).cast();
    // SAFETY: the pointer is that of a stream in a box, which `drop_stream` takes back.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, NAME, Some(drop_stream)) }
}

/// Releases a stream that nobody moved out of its capsule.
unsafe extern "C" fn drop_stream(capsule: *mut pyo3::ffi::PyObject) {
    // SAFETY: the capsule is one of `stream`'s, and its last reference goes.
    unsafe {
        let pointer: *mut c_void = pyo3::ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr());
        if pointer.is_null() {
            return;
        }
        let mut stream = Box::from_raw(pointer.cast::<Stream>());
        if let Some(release) = stream.release {
            release(&mut *stream);
        }
    }
}

/// The records behind a stream.
///
/// # Safety
/// The stream is one of ours and was not released; nothing else uses it meanwhile.
unsafe fn records<'a>(stream: *mut Stream) -> &'a mut Records {
    // SAFETY: the caller's promise.
    unsafe { &mut *(*stream).private_data.cast::<Records>() }
}

/// EIO: the run failed.
const FAILED: c_int = 5;

unsafe extern "C" fn get_schema(stream: *mut Stream, out: *mut Schema) -> c_int {
    // SAFETY: by the interface the stream is ours and valid, `out` room for a schema.
    unsafe { out.write(records(stream).schema()) };
    0
}

unsafe extern "C" fn get_next(stream: *mut Stream, out: *mut Array) -> c_int {
    // SAFETY: by the interface the stream is ours and valid, and used by one thread at a time.
    let records = unsafe { records(stream) };
    let (code, array) = match records.batch() {
        Ok(batch) => (0, batch.unwrap_or_else(Array::empty)),
        Err(why) => {
            records.failed = CString::new(why.sentence()).ok();
            (FAILED, Array::empty())
        }
    };
    // SAFETY: by the interface, room for an array.
    unsafe { out.write(array) };
    code
}

unsafe extern "C" fn get_last_error(stream: *mut Stream) -> *const c_char {
    // SAFETY: by the interface the stream is ours and valid.
    unsafe { records(stream) }.failed.as_ref().map_or(std::ptr::null(), |failed| failed.as_ptr())
}

unsafe extern "C" fn release(stream: *mut Stream) {
    // SAFETY: called once on a structure that `stream` made, wherever it was moved to.
    unsafe {
        let records = Box::from_raw((*stream).private_data.cast::<Records>());
        if records.messages.is_some() && !records.ended {
            records.taking.close();
        }
        (*stream).release = None;
    }
}
