//! The judges: each knows which bytes stood when, and asks a job's claims.

pub mod audit;
pub mod check;
pub mod hash;
pub mod image;
pub mod update;
pub mod written;
