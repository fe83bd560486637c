//! The page of `pfh compare --html`, in Debian's Chromium: it draws, it searches, and no name
//! becomes anything but text.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Browser, Trial};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Names that would be markup, script or another direction if they were not escaped.
const HOSTILE: [&[u8]; 7] = [
    b"<script>document.title='owned'<%2Fscript>",
    b"<img src=x onerror=\"document.title='owned'\">",
    b"\"><svg onload=document.title='owned'>",
    b"' onmouseover='document.title=1",
    "\u{202e}gpj.exe".as_bytes(),
    b"not \xff UTF-8",
    b"&lt;b&gt; {{7*7}} ${7*7} \n\x1b[31m",
];

fn page(room: &Room) -> PathBuf {
    let bytes: Vec<u8> = (0..60_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in HOSTILE {
        room.file(Path::new("t").join(OsStr::from_bytes(name)), &bytes);
    }
    room.file("t/other", &bytes[..30_000]);
    let out = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compare.html");
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["compare", "--no-progress", "-a", "ssdeep,tlsh", "-f", "csv", "--force", "--html"])
        .arg(&out)
        .arg("t")
        .directory(room.path())
        .run()
        .expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    out
}

#[test]
fn the_page_needs_nothing_else() {
    let room = Room::new();
    let html = std::fs::read_to_string(page(&room)).expect("UTF-8");
    for forbidden in
        ["src=x onerror=\"", "<img", "<svg onload", "href=", "http://", "https://", "@import", "\u{202e}", "\u{1b}"]
    {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn a_browser_draws_it_and_runs_no_name() {
    let Some(browser) = Browser::find() else { return };
    let room = Room::new();
    let page = page(&room);
    let seen = browser.document(&page);
    assert!(seen.contains("<title>Similar files</title>"), "no name has run");
    let files = HOSTILE.len() + 1;
    assert_eq!(seen.matches("<circle").count(), 2 * files - 1, "the half file is not a neighbour for TLSH");
    assert_eq!(seen.matches("<script").count(), 1);
    assert_eq!(seen.matches("<img").count(), 0);
    assert!(seen.contains("&lt;script&gt;document.title"), "the name is there as text");
    // The page's one script runs under its policy: typing hides rows. A copy types by itself, so
    // its policy allows that script too.
    let html = std::fs::read_to_string(&page).expect("UTF-8");
    let typing = "<script>var i=document.querySelector('input');i.value='other';i.dispatchEvent(new Event('input'))</script></body>";
    let policy = html.find("<meta http-equiv").expect("a policy");
    let end = policy + html[policy..].find('>').expect("its end") + 1;
    let copy = format!("{}{}", &html[..policy], &html[end..]).replace("</body>", typing);
    let copied = page.with_file_name("compare-typed.html");
    std::fs::write(&copied, copy).expect("a file");
    let typed = browser.document(&copied);
    assert!(typed.contains(&format!("<caption>{} rows</caption>", HOSTILE.len())), "{typed}");
    // And with the policy, the script is not refused: a page that typed could not be distinguished
    // from one whose script never ran.
    let console = browser.open(&page, &["--enable-logging=stderr", "--dump-dom"]);
    let console = String::from_utf8_lossy(&console.stderr).into_owned();
    assert!(!console.contains("Content Security Policy"), "{console}");
    let picture = page.with_file_name("compare.png");
    browser.open(&page, &[&format!("--screenshot={}", picture.display()), "--window-size=1200,1600"]);
    assert!(std::fs::metadata(picture).is_ok_and(|found| found.len() > 10_000));
}

/// A pair that says little has its mark on the page as in the other forms.
#[test]
fn saturated_pairs_are_marked_on_the_page() {
    let room = Room::new();
    let mut state = 3u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    let once: Vec<u8> = (0..400_000).map(|_| next()).collect();
    room.file("t/twice", &[&once[..], &once[..]].concat());
    let mark = "<td>saturated</td></tr>";
    // Files that share features are a pair, strange data only where that is asked for.
    let strange: Vec<u8> = (0..30_000).map(|_| next()).collect();
    for (part, options, marked) in [
        (&once[..30_000], &["--saturated"][..], true),
        (&once[..30_000], &["--parity"], true),
        (&once[..30_000], &["--evidence"], true),
        (&once[..30_000], &["--threshold", "21"], true),
        (&strange, &["--saturated", "--threshold", "1"], true),
        (&strange, &["--threshold", "1"], false),
    ] {
        room.file("t/part", part);
        let seen = Trial::new(env!("CARGO_BIN_EXE_pfh"))
            .args(["compare", "--no-progress", "-a", "sdhash", "--html", "page", "--force", "t"])
            .args(options)
            .directory(room.path())
            .run()
            .expect("a run");
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        let html = std::fs::read_to_string(room.path().join("page")).expect("UTF-8");
        assert_eq!(html.matches(mark).count(), usize::from(marked), "{options:?}");
        assert_eq!(html.contains("1 of the pairs have a digest that is saturated"), marked, "{options:?}");
        assert_eq!(html.contains("<th>mark</th>"), marked, "{options:?}");
        if options == ["--evidence"] {
            let text = String::from_utf8_lossy(&seen.stdout).into_owned();
            assert!(text.ends_with("|saturated\n"), "{text}");
        }
    }
}
