//! From times to statements: means and medians, the line through them, its intervals, and who is
//! faster.
//!
//! All of it is plain arithmetic on slices, with a seeded generator where chance is needed, so
//! every figure of a report can be computed again from its journal.

mod bootstrap;
mod fit;
mod ranking;
mod summary;

pub use bootstrap::{Estimate, Interval, SizeTimes, fit_with_intervals};
pub use fit::{Line, Point, curvature, explained, least_squares, theil_sen, weighted};
pub use ranking::{Rank, rank};
pub use summary::{mean, median, quantile, relative_spread};
