//! Records against a manifest: whether files are what they were.

mod audit;
mod expected;
mod remains;
mod report;

pub use audit::{Audit, Change, Class, Counts};
pub use expected::{Comparison, Expectations, Expected, ReadError};
pub use report::{hashdeep, json, text};
