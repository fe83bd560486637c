//! Arrow's C data interface (<https://arrow.apache.org/docs/format/CDataInterface.html>) by hand:
//! three structures, which have been the same since 2021, in place of some thirty crates.

mod column;
mod export;
mod ffi;
mod import;
mod records;
mod values;

pub use column::Kind;
pub use export::{Values, schema};
pub use import::{Messages, is_arrow};
pub use records::{Records, stream};
