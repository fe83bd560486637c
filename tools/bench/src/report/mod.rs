//! A study's results for people, for spreadsheets and for documents.

mod table;

pub use table::text;
