//! `pfh acquire` alone on a terminal: keys are typed on a terminal of its own, and whole frames are
//! compared with those that docs/screen.md shows.

use crate::program::{MIB, Room, pfh, random, system};
use pfh_inject::{Need, lacks};
use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const UP: &str = "\x1b[A";
const DOWN: &str = "\x1b[B";
const RIGHT: &str = "\x1b[C";
const END: &str = "\x1b[F";
const LAST: &str = "\x1b[6~";
const CTRL_C: &str = "\x03";

/// A program on a terminal of its own (script(1)), and the text on the terminal.
struct Terminal {
    child: Child,
    shown: Arc<Mutex<vt100::Parser>>,
    reader: Option<JoinHandle<()>>,
}

impl Terminal {
    /// Starts `pfh acquire` in a room, on a terminal of this size.
    fn start(room: &Room, (columns, rows): (u16, u16), environment: &[(&str, &str)]) -> Terminal {
        let program = Path::new(env!("CARGO_BIN_EXE_pfh"));
        let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap_or_default());
        let line =
            format!("stty cols {columns} rows {rows}; pfh acquire; echo exit $?; stty -a | grep -o -- '-\\?icanon'");
        let mut child = Command::new("timeout")
            .args(["300", "script", "-qec", &line, "/dev/null"])
            .env("PATH", path)
            .env("TERM", "xterm")
            .env("PFH_SYSTEM", "copy")
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied())
            .current_dir(room.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script");
        let shown = Arc::new(Mutex::new(vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0)));
        let (mut output, ours) = (child.stdout.take().unwrap(), shown.clone());
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(got) = output.read(&mut bytes) {
                if got == 0 {
                    break;
                }
                ours.lock().unwrap().process(&bytes[..got]);
            }
        });
        Terminal { child, shown, reader: Some(reader) }
    }

    /// The text on the terminal, without blanks at the ends of lines.
    fn frame(&self) -> String {
        let shown = self.shown.lock().unwrap();
        let lines: Vec<String> = shown.screen().rows(0, u16::MAX).map(|line| line.trim_end().to_owned()).collect();
        lines.join("\n")
    }

    /// Waits until the terminal shows this.
    fn wait(&self, is_shown: impl Fn(&str) -> bool, what: &str) -> String {
        let from = Instant::now();
        loop {
            let frame = self.frame();
            if is_shown(&frame) {
                return frame;
            }
            assert!(from.elapsed() < Duration::from_secs(120), "{what} is not shown:\n{frame}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until the terminal shows these words.
    fn shows(&self, words: &str) -> String {
        self.wait(|frame| frame.contains(words), words)
    }

    /// Waits until this part of the frame is the one that the page shows below a heading: a program
    /// under load draws a frame in pieces. `PFH_FRAMES=DIR` writes the part there for the page.
    fn compare(&self, heading: &str, part: impl Fn(&str) -> String) {
        if let Some(folder) = std::env::var_os("PFH_FRAMES") {
            std::thread::sleep(Duration::from_secs(2));
            fs::write(Path::new(&folder).join(heading), steady(&part(&self.frame()))).expect("a frame");
            return;
        }
        let wanted = recorded(heading);
        let is_equal = |frame: &str| steady(&part(frame)) == wanted.trim_end();
        self.wait(is_equal, &format!("{heading}, as the page has it:\n{wanted}\n"));
    }

    /// Types.
    fn keys(&mut self, keys: &str) {
        let input = self.child.stdin.as_mut().unwrap();
        input.write_all(keys.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    /// Fills in the form for a source that is typed, and starts its acquisition. `format` has the
    /// keys for the choice of the format.
    fn acquire(&mut self, source: &str, target: &str, format: &str, more: &str) {
        self.shows("another file or device");
        self.keys(&format!("{END}\r"));
        self.shows("the command line that does the same");
        self.keys(&format!("{source}\r\x15{target}{DOWN}{format}"));
        // In front of the button stand the further options.
        self.keys(&format!("{LAST}{UP}\x15{more}"));
        self.shows(&format!("--to {target}"));
        self.keys(&format!("{LAST}\r"));
        self.shows("side by side");
    }

    /// Waits for the end; gives the exit code and the remaining text on the terminal.
    fn ended(mut self) -> (String, String) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        let (frame, shown) = (self.frame(), self.shown.lock().unwrap());
        assert!(!shown.screen().alternate_screen() && !shown.screen().hide_cursor(), "{frame}");
        // Keys come in lines again.
        assert!(frame.lines().any(|line| line == "icanon"), "{frame}");
        let exit = frame.lines().find_map(|line| line.strip_prefix("exit ")).expect("an exit").to_owned();
        (exit, frame)
    }
}

/// The frame that the page shows below a heading.
fn recorded(heading: &str) -> String {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/screen.md")).expect("the page");
    let (_, rest) = page.split_once(&format!("## {heading}\n")).expect(heading);
    let (_, rest) = rest.split_once("```text\n").expect("a frame");
    rest.split_once("\n```").expect("its end").0.to_owned()
}

/// A frame with `…` in place of the parts that differ from run to run: times and rates.
fn steady(frame: &str) -> String {
    let line = |line: &str| match line.split_once(" in ") {
        Some((bytes, rate)) if rate.ends_with("MB/s") => format!("{bytes} in … s, … MB/s"),
        _ => line.to_owned(),
    };
    frame.lines().map(line).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Whether this machine lacks a terminal.
fn is_impossible() -> bool {
    lacks(&[Need::Program("script")])
}

fn prepared() -> Room {
    let room = Room::new();
    system(&room, "copy");
    room
}

/// Bytes that take seconds to be hashed by a slow function (gost94).
fn slow(seed: u64) -> Vec<u8> {
    random(seed, 64 * MIB as usize)
}

/// An image equals the source, by `pfh verify`.
fn verify(room: &Room, words: &str, code: i32) {
    let seen = pfh(room, &format!("verify {words}"));
    let text = String::from_utf8_lossy(&seen.stdout).into_owned();
    assert!(seen.code == Some(code) && text.contains("verified: "), "{words}: {:?} {text}{}", seen.code, seen.stderr);
}

#[test]
fn a_source_a_request_and_two_acquisitions() {
    if is_impossible() {
        return;
    }
    let room = prepared();
    room.file("stick.raw", &random(4, 3 * MIB as usize));
    // 512 bytes at 1 MiB, and 8 KiB behind.
    let faults = "0 +\n0 0x100000 +\n0x100000 0x200 -\n0x100200 0x17FE00 +\n0x280000 0x2000 -\n0x282000 0x7E000 +\n";
    room.file("faults", faults.as_bytes());
    let mut terminal = Terminal::start(&room, (100, 30), &[]);
    terminal.shows("copy/dev/dm-0");
    terminal.keys(DOWN);
    terminal.compare("The source", str::to_owned);
    terminal.keys(&format!("{UP}\r"));
    terminal.shows("the command line that does the same");
    // From the target on: format, digests, reading back, case, evidence, examiner, description,
    // notes.
    terminal.keys(&format!("{DOWN}{DOWN}md5,sha256{DOWN}{DOWN}7\r7-1\rAda\r\rfrom Ada's desk"));
    terminal.compare("The request", str::to_owned);
    terminal.keys(&format!("{LAST}\r"));
    terminal.shows("complete");
    terminal.keys("n");
    terminal.acquire("stick.raw", "stick.dd", RIGHT, "--map-as-faults faults");
    terminal.shows("but not all of it could be read");
    terminal.compare("The acquisitions", str::to_owned);
    terminal.keys("q");
    let (exit, left) = terminal.ended();
    assert_eq!(exit, "3", "{left}");
    assert!(left.contains("$ pfh acquire stick.raw --to stick.dd --format raw"), "{left}");
    verify(&room, "sda.E01", 0);
    verify(&room, "stick.dd", 0);
    let log = fs::read_to_string(room.path().join("sda.E01.log")).expect("a log");
    assert!(log.contains("pfh acquire copy/dev/sda --to sda.E01") && log.contains("from Ada's desk"), "{log}");
}

/// Keys go to the acquisitions while both run; one is stopped, goes on, and both are whole.
#[test]
fn one_of_two_is_stopped_and_goes_on() {
    if is_impossible() {
        return;
    }
    let room = prepared();
    for (name, seed) in [("one.raw", 5), ("two.raw", 6)] {
        room.file(name, &slow(seed));
    }
    let slow = "-a sha256,gost94 -m 4 --map-interval 0.2";
    let mut terminal = Terminal::start(&room, (100, 30), &[]);
    terminal.acquire("one.raw", "one.dd", RIGHT, slow);
    terminal.keys("n");
    terminal.acquire("two.raw", "two.dd", "", slow);
    let heads = ["── 1: one.raw → one.dd ", "── > 2: two.raw → two.dd "];
    let both =
        |frame: &str| frame.matches("acquiring   ").count() == 2 && heads.iter().all(|head| frame.contains(head));
    terminal.wait(both, "two at a time");
    terminal.shows("sha256 of the first");
    terminal.keys(CTRL_C);
    terminal.compare("Ctrl-C", |frame| {
        let lines: Vec<&str> = frame.lines().skip_while(|line| !line.contains("stop?")).take(7).collect();
        lines.join("\n")
    });
    terminal.keys("k");
    terminal.wait(|frame| !frame.contains("stop all 2"), "the end of the question");
    terminal.keys(&format!("{CTRL_C}s"));
    // The other one was not stopped: it runs, or is complete already.
    let one = |frame: &str| {
        frame.matches("this goes on from there (r):").count() == 1
            && frame.contains("pfh acquire two.raw --to two.dd")
            && (frame.contains("acquiring") || frame.contains("  complete\n"))
    };
    terminal.wait(one, "the second is stopped, the first is not");
    terminal.keys("r");
    terminal.shows("resuming: ");
    terminal.wait(|frame| frame.matches("  complete\n").count() == 2, "two ends");
    terminal.keys("q");
    let (exit, left) = terminal.ended();
    assert_eq!(exit, "0", "{left}");
    for name in ["one", "two"] {
        verify(&room, &format!("{name}.dd --against {name}.raw"), 0);
    }
}

/// A stopped acquisition is resumed by the command line that the screen prints.
#[test]
fn what_was_stopped_resumes_from_the_command_line() {
    if is_impossible() {
        return;
    }
    let room = prepared();
    room.file("one.raw", &slow(7));
    let mut terminal = Terminal::start(&room, (100, 30), &[]);
    terminal.acquire("one.raw", "one.dd", RIGHT, "-a sha256,gost94 -m 4 --map-interval 0.2");
    terminal.shows("sha256 of the first");
    terminal.keys(&format!("{CTRL_C}a"));
    terminal.shows("this goes on from there (r):");
    terminal.keys("q");
    let (exit, left) = terminal.ended();
    assert_eq!(exit, "130", "{left}");
    let joined = left.replace('\n', "");
    let (_, line) = joined.split_once("it resumes with: pfh ").expect("the command line");
    let (words, _) = line.split_once("exit ").expect("the end");
    let seen = pfh(&room, words);
    assert!(seen.code == Some(0) && seen.stderr.contains("resuming: "), "{words}: {}", seen.stderr);
    verify(&room, "one.dd --against one.raw", 0);
}

/// The programs `pfh` that work in a room.
fn working_in(room: &Room) -> usize {
    let place = room.path().canonicalize().unwrap();
    let is_ours = |process: &Path| {
        fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == place)
            && fs::read_to_string(process.join("comm")).is_ok_and(|name| name.trim() == "pfh")
    };
    fs::read_dir("/proc").unwrap().filter(|process| is_ours(&process.as_ref().unwrap().path())).count()
}

/// A window that is closed, or a line that drops: the acquisition is synced, and the process ends.
#[test]
fn a_terminal_that_hangs_up_ends_it_and_the_image_resumes() {
    if is_impossible() || lacks(&[Need::Program("pkill")]) {
        return;
    }
    for is_running in [true, false] {
        let room = prepared();
        room.file("one.raw", &slow(10));
        let words = "-a sha256,gost94 -m 4 --map-interval 0.2";
        let mut terminal = Terminal::start(&room, (100, 30), &[]);
        if is_running {
            terminal.acquire("one.raw", "one.dd", RIGHT, words);
            terminal.shows("sha256 of the first");
        } else {
            terminal.shows("another file or device");
        }
        assert_eq!(working_in(&room), 1);
        // script(1), which held the terminal's other end.
        let killed = Command::new("pkill").args(["-KILL", "-P", &terminal.child.id().to_string()]).status();
        assert!(killed.is_ok_and(|status| status.success()));
        terminal.child.wait().unwrap();
        let from = Instant::now();
        while working_in(&room) > 0 {
            assert!(from.elapsed() < Duration::from_secs(60), "it goes on without a terminal");
            std::thread::sleep(Duration::from_millis(50));
        }
        if is_running {
            let seen = pfh(&room, &format!("acquire one.raw --to one.dd {words}"));
            assert!(seen.code == Some(0) && seen.stderr.contains("resuming: "), "{}", seen.stderr);
            verify(&room, "one.dd --against one.raw", 0);
        }
    }
}

#[test]
fn a_request_that_is_refused_stays_on_the_form() {
    if is_impossible() {
        return;
    }
    let room = prepared();
    room.file("one.raw", &random(8, 4096));
    room.file("there.E01", b"of others");
    let mut terminal = Terminal::start(&room, (100, 30), &[]);
    terminal.shows("another file or device");
    terminal.keys(&format!("{END}\rone.raw\r{LAST}{UP}--no-such{LAST}\r"));
    terminal.shows("pfh acquire has no option --no-such");
    terminal.keys(&format!("{UP}\x15-a sha265{LAST}\r"));
    terminal.shows("unknown algorithm \"sha265\"");
    // A file of others: refused once the job looks at it, and put right on the form.
    terminal.keys(&format!("{UP}\x15{UP}{UP}{UP}{UP}{UP}{UP}{UP}{UP}{UP}\x15there.E01{LAST}\r"));
    terminal.shows("refused");
    terminal.keys("e");
    terminal.shows("the command line that does the same");
    terminal.keys(&format!("\x1b[5~{DOWN}\x15one.E01{LAST}\r"));
    terminal.shows("complete");
    terminal.keys("q");
    let (exit, left) = terminal.ended();
    assert_eq!(exit, "0", "{left}");
    verify(&room, "one.E01", 0);
}

#[test]
fn a_panic_gives_the_terminal_back() {
    if is_impossible() {
        return;
    }
    let room = prepared();
    room.file("one.raw", &random(9, 4096));
    let mut terminal = Terminal::start(&room, (100, 30), &[("PFH_FAIL_POINT", "image-hash")]);
    terminal.shows("another file or device");
    terminal.keys(&format!("{END}\rone.raw{LAST}\r"));
    let (exit, left) = terminal.ended();
    assert_eq!(exit, "4", "{left}");
    assert!(left.contains("the fail point image-hash was asked for"), "{left}");
}

#[test]
fn a_terminal_that_is_too_small_says_so() {
    if is_impossible() {
        return;
    }
    let room = prepared();
    let mut terminal = Terminal::start(&room, (40, 10), &[]);
    terminal.shows("The terminal has 40 columns and 10");
    terminal.keys(CTRL_C);
    let (exit, _) = terminal.ended();
    assert_eq!(exit, "130");
}

#[test]
fn without_a_terminal_it_is_a_usage_error() {
    let room = prepared();
    let seen = pfh(&room, "acquire");
    assert!(
        seen.code == Some(2)
            && seen.stderr.contains("SOURCE (a block device, a file, or - for standard input) are missing"),
        "{}",
        seen.stderr
    );
}
