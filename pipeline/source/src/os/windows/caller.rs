//! Waiting for connections.

use super::errno::Errno;
use std::net::TcpListener;
use std::os::windows::io::AsRawSocket;
use std::time::Duration;
use windows_sys::Win32::Networking::WinSock::{POLLRDNORM, WSAGetLastError, WSAPOLLFD, WSAPoll};

/// Waits until somebody connects, no longer than `most`; whether somebody has.
pub fn wait_for_caller(listener: &TcpListener, most: Duration) -> Result<bool, Errno> {
    let mut asked = WSAPOLLFD { fd: listener.as_raw_socket() as usize, events: POLLRDNORM, revents: 0 };
    // SAFETY: one structure, which lives as long as the call; the socket is open while the listener
    // is borrowed.
    match unsafe { WSAPoll(&raw mut asked, 1, most.as_millis().try_into().unwrap_or(i32::MAX)) } {
        // SAFETY: takes nothing, touches no memory.
        ready if ready < 0 => Err(Errno::from_raw_os_error(unsafe { WSAGetLastError() })),
        ready => Ok(ready > 0),
    }
}
