//! The benchmark from outside: its statistics, its runners, its reports. One binary, so that it is
//! linked once.

mod claims;
mod fit;
mod measuring;
mod report;
mod runners;
mod scheduler;
mod statistics;
