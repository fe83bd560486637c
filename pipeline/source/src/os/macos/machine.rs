//! The machine and its user.

use std::ffi::{CStr, c_char};

/// Text in memory that a call has filled, up to its zero.
fn text(room: &[c_char]) -> Option<String> {
    let bytes: Vec<u8> = room.iter().map(|unit| *unit as u8).collect();
    let text = CStr::from_bytes_until_nul(&bytes).ok()?.to_string_lossy().into_owned();
    (!text.is_empty()).then_some(text)
}

/// The system's name and release (uname): `macOS, Darwin 24.1.0`.
pub fn system_name() -> String {
    // SAFETY: all fields of a `utsname` are bytes, for which zero is a value; the call writes one,
    // or nothing when it fails.
    let found = unsafe {
        let mut found: libc::utsname = std::mem::zeroed();
        libc::uname(&raw mut found);
        found
    };
    match (text(&found.sysname), text(&found.release)) {
        (Some(name), Some(release)) => format!("macOS, {name} {release}"),
        _ => "macOS".to_owned(),
    }
}

/// The machine's name.
pub fn host_name() -> Option<String> {
    let mut room = [0 as c_char; 257];
    // SAFETY: at most one byte less than there is room for is written, so that a zero stays.
    let done = unsafe { libc::gethostname(room.as_mut_ptr(), room.len() - 1) };
    if done == 0 { text(&room) } else { None }
}

/// The effective user, by number and name.
pub fn user() -> Option<String> {
    // SAFETY: takes nothing and cannot fail.
    let number = unsafe { libc::geteuid() };
    let mut room = vec![0 as c_char; 16 << 10];
    // SAFETY: all fields of a `passwd` are numbers and pointers, for which zero is a value.
    let mut found: libc::passwd = unsafe { std::mem::zeroed() };
    let mut is_there = std::ptr::null_mut();
    // SAFETY: the call writes one `passwd`, one pointer, and text into a room of the given length.
    // All three live longer than the call.
    let failed = unsafe { libc::getpwuid_r(number, &raw mut found, room.as_mut_ptr(), room.len(), &raw mut is_there) };
    let name = if failed != 0 || is_there.is_null() || found.pw_name.is_null() {
        "no name".to_owned()
    } else {
        // SAFETY: the call has set the name to text in the room, with a zero behind it.
        unsafe { CStr::from_ptr(found.pw_name) }.to_string_lossy().into_owned()
    };
    Some(format!("{number} ({name})"))
}
