//! The sending end of a channel for several threads: it reports a panic of any of them.

use std::sync::mpsc::{SendError, Sender};

/// Sends the results of a thread, and `None` if the thread panics. Without it the receiver would
/// wait for ever for the result that the thread had in hand, as long as another thread may still
/// send.
#[derive(Debug)]
pub struct Alarm<T>(Sender<Option<T>>);

impl<T> Alarm<T> {
    /// Of this thread.
    pub fn new(sender: Sender<Option<T>>) -> Self {
        Alarm(sender)
    }

    /// Sends something; `false` if nobody receives any more.
    pub fn send(&self, made: T) -> bool {
        let sent: Result<(), SendError<_>> = self.0.send(Some(made));
        sent.is_ok()
    }
}

impl<T> Drop for Alarm<T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.0.send(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_thread_that_panics_is_heard_while_others_live() {
        let (sender, receiver) = channel();
        let other = sender.clone();
        let alarm = Alarm::new(sender);
        let panics = std::thread::spawn(move || {
            assert!(alarm.send(1));
            panic!("on purpose");
        });
        assert_eq!((receiver.recv(), receiver.recv()), (Ok(Some(1)), Ok(None)));
        assert!(panics.join().is_err());
        drop(Alarm::new(other));
        assert!(receiver.recv().is_err(), "an end without a panic is the channel's");
    }
}
