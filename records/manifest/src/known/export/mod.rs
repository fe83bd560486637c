//! Sets in the forms that other programs read.
//!
//! | form | who reads it | what an item needs |
//! |---|---|---|
//! | [`Form::Hashdeep`] | hashdeep | name, size, and each algorithm of the first item |
//! | [`Form::Rdsv2`] | NSRL's tools, The Sleuth Kit, X-Ways | name, size, SHA-1 and MD5 |
//! | [`Form::Idx`] | The Sleuth Kit (`hfind`), Autopsy | MD5 or SHA-1, in ascending order |
//! | [`Form::Encase`] | EnCase, The Sleuth Kit | MD5 |
//! | [`Form::Vics`] | programs that read Project VIC's JSON | MD5 or SHA-1 |
//!
//! An item that lacks a fact that a form needs is left out: [`Exporter::item`] says so.

mod encase;
mod hashdeep;
mod idx;
mod item;
mod rdsv2;
mod vics;

pub use item::{Form, Item, UnknownForm};

use pfh_digest::Algorithm;

/// Writes a set.
pub struct Exporter {
    form: Form,
    algorithms: Vec<Algorithm>,
    /// Items so far.
    written: u64,
}

impl Exporter {
    /// A writer. The algorithms are the columns of hashdeep, and the one of an index; of the others
    /// the form decides.
    pub fn new(form: Form, algorithms: Vec<Algorithm>) -> Exporter {
        Exporter { form, algorithms, written: 0 }
    }

    /// Begins; `name` is the name of the set, `count` how many items follow, which EnCase states.
    pub fn head(&self, out: &mut Vec<u8>, name: &str, count: u64) {
        match self.form {
            Form::Hashdeep => hashdeep::head(out, &self.algorithms),
            Form::Rdsv2 => rdsv2::head(out),
            Form::Idx => idx::head(out, name, self.algorithms.first().copied()),
            Form::Encase => encase::head(out, name, count),
            Form::Vics => vics::head(out),
        }
    }

    /// Writes an item; `false` if it lacks a fact that the form needs.
    pub fn item(&mut self, out: &mut Vec<u8>, item: &Item<'_>) -> bool {
        let written = match self.form {
            Form::Hashdeep => hashdeep::item(out, item, &self.algorithms),
            Form::Rdsv2 => rdsv2::item(out, item),
            Form::Idx => idx::item(out, item, &self.algorithms),
            Form::Encase => encase::item(out, item),
            Form::Vics => vics::item(out, item, self.written),
        };
        self.written += u64::from(written);
        written
    }

    /// Ends.
    pub fn tail(&self, out: &mut Vec<u8>) {
        if self.form == Form::Vics {
            vics::tail(out);
        }
    }
}
