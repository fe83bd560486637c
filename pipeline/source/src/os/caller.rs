//! Waiting for connections, for both folders of Unix: `linux` and `portable`.

use super::handles::AsFd;
use super::platform::{Errno, wait_readable_for};
use std::net::TcpListener;
use std::time::Duration;

/// Waits until somebody connects, no longer than `most`; whether somebody has.
pub fn wait_for_caller(listener: &TcpListener, most: Duration) -> Result<bool, Errno> {
    wait_readable_for(listener.as_fd(), most)
}
