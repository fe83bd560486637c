//! The formats from outside: written manifests are read back, and hostile ones are refused. One
//! binary, so that it is linked once.

mod catalogue;
mod ending;
mod golden;
mod hostile;
mod known;
mod notations;
#[cfg(unix)]
mod oracle;
mod others;
mod others_json;
mod records;
mod round_trip;
mod shapes;
mod similarity;
mod tongues;
mod volumes;
