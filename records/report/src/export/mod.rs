//! Results as timelines and tables of other programs: Timesketch's CSV, mactime's body file,
//! Parquet.

pub mod body;
mod exporter;
mod form;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod timesketch;

pub use exporter::{Exporter, RowOutcome};
pub use form::{Form, UnknownForm};
pub use row::{Clock, Row};
