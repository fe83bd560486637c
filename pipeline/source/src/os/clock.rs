//! The system's clock.

use super::seam;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The time since 1970 by the system's clock; zero before. Anybody may set the clock at any time,
/// also back.
pub fn now() -> Duration {
    seam::clock().unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}
