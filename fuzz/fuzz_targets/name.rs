//! Names: an escaped name unescapes to the same bytes, and no control character reaches a terminal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pfh_manifest::escape;
use pfh_source::terminal;

fuzz_target!(|name: &[u8]| {
    let escaped = escape::escape(name);
    assert!(!escaped.contains(&b'\n') && !escaped.contains(&b'\r'));
    assert_eq!(escape::unescape(&escaped).as_deref(), Some(name));
    assert!(!terminal::render(name).chars().any(terminal::is_unsafe));
    let _ = escape::unescape(name);
});
