//! The formats from outside: what is written is read, and what is hostile is refused. One binary,
//! so that it is linked once.

mod catalogue;
mod ending;
mod golden;
mod hostile;
mod known;
#[cfg(unix)]
mod oracle;
mod others;
mod others_json;
mod records;
mod round_trip;
mod similarity;
mod volumes;
