//! A writer of each form.

use super::form::Form;
#[cfg(feature = "parquet")]
use super::parquet;
use super::row::{Clock, Row};
use super::{body, timesketch};

/// The outcome of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct RowOutcome {
    /// Lines or rows that were written for it.
    pub rows: u64,
    /// Times that the form cannot hold.
    pub beyond: u64,
}

enum End {
    Timesketch,
    Bodyfile,
    #[cfg(feature = "parquet")]
    Parquet(Box<parquet::Table>),
}

/// Writes rows in a form: `head` once, then every row, then `tail` once.
pub struct Exporter {
    algorithms: Vec<String>,
    end: End,
}

impl Exporter {
    /// A writer of rows with digests by these algorithms.
    ///
    /// # Errors
    /// When this build does not write the form, or the form cannot hold these columns; for people.
    pub fn new(form: Form, algorithms: Vec<String>) -> Result<Exporter, String> {
        if let Some(why) = form.missing() {
            return Err(why.to_owned());
        }
        let end = match form {
            Form::Timesketch => End::Timesketch,
            Form::Bodyfile => End::Bodyfile,
            #[cfg(feature = "parquet")]
            Form::Parquet => End::Parquet(Box::new(parquet::Table::new(&algorithms)?)),
            #[cfg(not(feature = "parquet"))]
            Form::Parquet => return Err(String::new()),
        };
        Ok(Exporter { algorithms, end })
    }

    /// Starts.
    pub fn head(&mut self, out: &mut Vec<u8>) {
        match self.end {
            End::Timesketch => timesketch::head(out, &self.algorithms),
            End::Bodyfile => {}
            #[cfg(feature = "parquet")]
            End::Parquet(_) => {}
        }
    }

    /// Writes a row.
    ///
    /// # Errors
    /// Those of the library that writes the form; for people.
    pub fn row(&mut self, out: &mut Vec<u8>, row: Row) -> Result<RowOutcome, String> {
        Ok(match &mut self.end {
            End::Timesketch => {
                let (rows, beyond) = timesketch::row(out, &row, &self.algorithms);
                RowOutcome { rows, beyond }
            }
            End::Bodyfile => {
                let [modified, changed, accessed, born, _] = row.times;
                let times = [accessed, modified, changed, born];
                if times.iter().all(Option::is_none) {
                    return Ok(RowOutcome { rows: 0, beyond: u64::from(row.times[Clock::Deleted as usize].is_some()) });
                }
                let line = body::Line {
                    md5: row.digest("md5").filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit())),
                    name: &row.path,
                    is_deleted: row.is_deleted,
                    inode: row.inode,
                    size: row.size,
                    times,
                };
                body::line(out, &line);
                RowOutcome { rows: 1, beyond: 0 }
            }
            #[cfg(feature = "parquet")]
            End::Parquet(table) => RowOutcome { rows: 1, beyond: table.row(out, row)? },
        })
    }

    /// Ends.
    ///
    /// # Errors
    /// Those of the library that writes the form; for people.
    pub fn tail(self, out: &mut Vec<u8>) -> Result<(), String> {
        match self.end {
            End::Timesketch | End::Bodyfile => {
                let _ = out;
                Ok(())
            }
            #[cfg(feature = "parquet")]
            End::Parquet(table) => table.finish(out),
        }
    }
}
