//! One compressed stream that several members share: read once if they are read in order.

use super::member::wrong;
use super::tape::unwrapped;
use pfh_bytes::node::Failure;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

type TrackStream = Box<dyn Read + Send>;

/// Where the stream stands.
enum State {
    Closed,
    At(TrackStream, u64),
    /// It cannot be read from here on.
    Broken(Failure, u64),
}

/// A stream that can be opened again.
pub struct Track {
    open: Box<dyn Fn() -> io::Result<TrackStream> + Send + Sync>,
    state: Mutex<State>,
}

impl Track {
    /// A stream that `open` opens at its start.
    pub fn new(open: impl Fn() -> io::Result<TrackStream> + Send + Sync + 'static) -> Arc<Track> {
        Arc::new(Track { open: Box::new(open), state: Mutex::new(State::Closed) })
    }

    /// The bytes `start .. start + length`.
    pub fn range(self: &Arc<Self>, start: u64, length: u64) -> Range {
        Range { track: self.clone(), at: start, end: start.saturating_add(length), own: None }
    }

    /// Reads at `at`; `None`: the stream stands behind it.
    fn read(&self, at: u64, buffer: &mut [u8]) -> Option<io::Result<usize>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Closed = *state {
            match (self.open)() {
                Ok(opened) => *state = State::At(opened, 0),
                Err(error) => return Some(Err(error)),
            }
        }
        let read = match &mut *state {
            State::At(opened, stands) if *stands <= at => advance(opened, stands, at, buffer),
            State::Broken(failure, from) if *from <= at => return Some(Err(wrong(failure.clone()))),
            _ => return None,
        };
        if let (Err(error), State::At(_, stands)) = (&read, &*state)
            && error.kind() != io::ErrorKind::Interrupted
        {
            let cause = format!("the compressed stream cannot be read beyond {stands} bytes: {error}");
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Failure>());
            let offset = inner.and_then(|failure| failure.offset);
            let cause = inner.map_or(cause, |failure| failure.cause.clone());
            *state = State::Broken(Failure { offset, cause, ..Failure::default() }, *stands);
        }
        Some(read)
    }
}

/// Reads at `at` from a stream that stands at or before it.
fn advance(opened: &mut TrackStream, stands: &mut u64, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let mut scratch = [0; 16 << 10];
    while *stands < at {
        let room = usize::try_from(at - *stands).unwrap_or(usize::MAX).min(scratch.len());
        match opened.read(&mut scratch[..room])? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            got => *stands += got as u64,
        }
    }
    let got = opened.read(buffer)?;
    *stands += got as u64;
    Ok(got)
}

/// A range of the stream.
pub struct Range {
    track: Arc<Track>,
    at: u64,
    end: u64,
    /// A stream of its own, where the shared one is beyond it.
    own: Option<(TrackStream, u64)>,
}

impl Read for Range {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.end - self.at).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        let buffer = &mut buffer[..room];
        let shared = if self.own.is_none() { self.track.read(self.at, buffer) } else { None };
        let got = match shared {
            Some(read) => read.map_err(medium)?,
            None => {
                if self.own.is_none() {
                    self.own = Some(((self.track.open)().map_err(medium)?, 0));
                }
                let Some((opened, stands)) = &mut self.own else { return Ok(0) };
                advance(opened, stands, self.at, buffer).map_err(medium)?
            }
        };
        self.at += got as u64;
        Ok(got)
    }
}

fn medium(error: io::Error) -> io::Error {
    unwrapped(error).unwrap_or_else(|error| error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn in_order_it_is_opened_once_and_out_of_order_it_is_right() {
        static OPENED: AtomicUsize = AtomicUsize::new(0);
        let track = Track::new(|| {
            OPENED.fetch_add(1, Ordering::SeqCst);
            Ok(Box::new(io::Cursor::new((0..=255).collect::<Vec<u8>>())))
        });
        let all = |start, length| {
            let mut bytes = Vec::new();
            track.range(start, length).read_to_end(&mut bytes).map(|_| bytes)
        };
        assert_eq!(all(0, 10).unwrap(), (0..10).collect::<Vec<u8>>());
        assert_eq!(all(20, 30).unwrap(), (20..50).collect::<Vec<u8>>());
        assert_eq!(OPENED.load(Ordering::SeqCst), 1);
        assert_eq!(all(5, 5).unwrap(), (5..10).collect::<Vec<u8>>());
        assert_eq!(OPENED.load(Ordering::SeqCst), 2);
        assert_eq!(all(250, 10).unwrap().len(), 6);
        assert!(all(300, 1).is_err());
        assert!(all(300, 1).unwrap_err().to_string().contains("beyond"));
    }
}
