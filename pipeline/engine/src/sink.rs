//! Where records go.

use crate::record::Record;
use std::io;

/// Takes records, in input order, on the thread that called [`run`](crate::run).
pub trait Sink {
    /// Takes one record.
    ///
    /// # Errors
    /// An error ends the run: output that cannot be written is not output.
    fn record(&mut self, record: Record) -> io::Result<()>;

    /// Called whenever no record has come for a moment, and at the end: write out the buffered
    /// records.
    ///
    /// # Errors
    /// As for [`record`](Sink::record).
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Vec<Record> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        self.push(record);
        Ok(())
    }
}

impl<F: FnMut(Record) -> io::Result<()>> Sink for F {
    fn record(&mut self, record: Record) -> io::Result<()> {
        self(record)
    }
}
