//! The page that lives: `pfh report --serve` follows a folder while jobs write into it, answers
//! this machine alone, and changes nothing.

use crate::program::{Room, digest_by};
use pfh_inject::{Browser, Need, Trial, content, lacks};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server of a page that ends with this value.
struct Live {
    child: Child,
    address: String,
}

impl Live {
    /// Serves the folder `case`.
    fn start(room: &Room, before: &[&str], variables: &[(&str, &str)]) -> Live {
        let program = [before, &[env!("CARGO_BIN_EXE_pfh"), "report", "case", "--serve"]].concat();
        let mut child = Command::new(program[0])
            .args(&program[1..])
            .envs(variables.iter().copied())
            .current_dir(room.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("pfh");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let address = line.trim_end().trim_start_matches("http://").trim_end_matches('/').to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line:?}");
        Live { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
        stream
    }

    /// Sends bytes as they are; gives the answer.
    fn raw(&self, bytes: &str) -> String {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    fn ask(&self, method: &str, path: &str, more: &str) -> String {
        self.raw(&format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n{more}\r\n", self.address))
    }

    fn page(&self) -> String {
        self.ask("GET", "/", "")
    }

    /// Ends it as Ctrl-C does, and gives its code.
    fn interrupt(&mut self, process: u32) -> Option<i32> {
        let killed = Command::new("kill").args(["-INT", &process.to_string()]).status().expect("kill(1)");
        assert!(killed.success());
        self.child.wait().expect("an end").code()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// HTTP's status of an answer.
fn status(answer: &str) -> &str {
    answer.get(9..12).unwrap_or_default()
}

/// The content of the page, without its head, its date and its scripts.
fn content_of(page: &str) -> String {
    let main = page.split_once("<main").and_then(|(_, rest)| rest.split_once('>')?.1.split("</main>").next());
    main.expect("a page").lines().filter(|line| !line.contains("made by pfh")).collect()
}

fn room() -> Room {
    let room = Room::new();
    fs::create_dir(room.path().join("case")).expect("a folder");
    room
}

fn pfh(room: &Room, words: &str) {
    let words = words.split_whitespace();
    let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().expect("a run");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
}

#[test]
fn a_browser_sees_the_page_change_while_an_acquisition_runs() {
    let Some(browser) = Browser::find() else { return };
    let room = room();
    let mut live = Live::start(&room, &[], &[]);
    let mut tab = browser.stay(&format!("http://{}/", live.address));
    let text = tab.text_when(|text| text.contains("This page follows the folder.")).expect("it is connected");
    assert!(text.contains("no file in it"), "an empty folder: {text}");
    // The page is never loaded again: a variable set here stays.
    tab.value("window.mark = 'kept'");
    let mut acquire = Command::new(env!("CARGO_BIN_EXE_pfh"))
        .args(["acquire", "-", "--to", "case/disk.img", "--examiner", "Ada<b>", "-a", "sha256", "--no-progress"])
        .current_dir(room.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("pfh");
    let mut disk = acquire.stdin.take().expect("a pipe");
    let bytes = content(1, 12 << 20);
    disk.write_all(&bytes[..4 << 20]).expect("written");
    let running = format!("running: process {}", acquire.id());
    let is_running =
        |text: &str| text.contains("JOBS THAT HAVE NOT ENDED") || text.contains("Jobs that have not ended");
    let text = tab.text_when(|text| is_running(text) && text.contains(&running)).expect("the job is on the page");
    assert!(text.contains("into case/disk.img") && text.contains("Ada<b>"), "{text}");
    let far = |text: &str| text.lines().find(|line| line.contains("disk.img has ")).map(str::to_owned);
    let text = tab.text_when(|text| far(text).is_some()).expect("how far it is");
    let before = far(&text);
    disk.write_all(&bytes[4 << 20..]).expect("written");
    tab.text_when(|text| far(text).is_some() && far(text) != before).expect("it advances");
    drop(disk);
    assert!(acquire.wait().expect("an end").success());
    let sha256 = digest_by("sha256sum", &bytes);
    let text = tab.text_when(|text| text.contains(&sha256) && !is_running(text)).expect("it ended");
    assert!(text.contains("chain of a log, verified again"), "{text}");
    assert_eq!(tab.value("window.mark"), "kept");
    assert_eq!(tab.value("document.querySelectorAll('b, img').length"), 0, "names are text");
    // The reader's choice stays when the content is replaced.
    let column = "Array.from(document.querySelectorAll('thead th')).find(th => th.textContent == 'SHA-256')";
    tab.value(&format!("{column}.click()"));
    let sorted = &format!("{column}.dataset.d");
    assert_eq!(tab.value(sorted), "1");
    fs::write(room.path().join("case/notes"), "nothing was found\n").expect("a file");
    tab.text_when(|text| text.contains("no list of digests that is known here")).expect("another file");
    assert_eq!((tab.value(sorted), tab.value("window.mark")), ("1".into(), "kept".into()));
    let process = live.child.id();
    assert_eq!(live.interrupt(process), Some(0));
    tab.text_when(|text| text.contains("The server does not answer")).expect("an old page says so");
}

/// The file and the page of the server have the same content.
#[test]
fn the_page_is_that_of_the_file() {
    let room = room();
    room.file("disk", &content(1, 50_000));
    room.file("t/a", b"abc");
    pfh(&room, "acquire disk --to case/disk.img --no-progress");
    pfh(&room, "hash -r t -f jsonl -o case/list --seal");
    pfh(&room, "report case --html page");
    let live = Live::start(&room, &[], &[]);
    let answer = live.page();
    assert_eq!(status(&answer), "200");
    let file = fs::read_to_string(room.path().join("page")).expect("the page");
    assert_eq!(content_of(&answer), content_of(&file));
    let head = answer.split("\r\n\r\n").next().expect("a head").to_owned();
    for line in [
        "content-security-policy: default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-",
        "connect-src 'self'; frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "cache-control: no-store",
        "connection: close",
    ] {
        assert!(head.contains(line), "{line}\n{head}");
    }
    let only_head = live.ask("HEAD", "/", "");
    assert!(only_head.ends_with("\r\n\r\n") && status(&only_head) == "200", "{only_head}");
    // The first version is named at once, and it is that of the page.
    let mut events = live.connect();
    write!(events, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", live.address).expect("asked");
    let mut lines = BufReader::new(events).lines().map_while(Result::ok);
    let version = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("a version");
    assert!(live.page().contains(&format!("data-version=\"{version}\"")));
    room.file("case/new", b"nothing\n");
    let next = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned)).expect("another version");
    assert_ne!(next, version);
}

#[test]
fn other_hosts_sites_and_methods_are_refused() {
    let room = room();
    room.file("case/secret", b"Dear Ada\n");
    let live = Live::start(&room, &[], &[]);
    let own = &live.address;
    let port = own.rsplit(':').next().expect("a port");
    assert_eq!(status(&live.page()), "200");
    let with = |head: &str| live.raw(&format!("{head}\r\n\r\n"));
    for (head, expected) in [
        (format!("GET / HTTP/1.1\r\nHost: localhost:{port}"), "200"),
        (format!("GET / HTTP/1.1\r\nHost: evil.example:{port}"), "421"),
        (format!("GET /events HTTP/1.1\r\nHost: evil.example:{port}"), "421"),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1".to_owned(), "421"),
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: {own}"), "400"),
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\nHost: evil.example"), "400"),
        ("GET / HTTP/1.1".to_owned(), "400"),
        ("GET / HTTP/1.0".to_owned(), "400"),
        (format!("GET http://evil.example/ HTTP/1.1\r\nHost: {own}"), "404"),
        (format!("GET /../case/secret HTTP/1.1\r\nHost: {own}"), "404"),
        (format!("GET /case/secret HTTP/1.1\r\nHost: {own}"), "404"),
        (format!("GET /?x HTTP/1.1\r\nHost: {own}"), "404"),
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\nSec-Fetch-Site: cross-site"), "403"),
        (format!("GET /events HTTP/1.1\r\nHost: {own}\r\nSec-Fetch-Site: same-site"), "403"),
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\nContent-Length: 1"), "413"),
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\nTransfer-Encoding: chunked"), "501"),
        (format!("GET / HTTP/1.1\r\nHost: {own}\r\nA: {}", "x".repeat(9000)), "431"),
        ("\u{0}\u{0}".to_owned(), "400"),
    ] {
        let answer = with(&head);
        assert_eq!(status(&answer), expected, "{head}\n{answer}");
        assert!(expected == "200" || !answer.contains("secret"), "{answer}");
    }
    for method in ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "get"] {
        for path in ["/", "/events", "/other"] {
            let answer = live.ask(method, path, "");
            assert_eq!(status(&answer), "405", "{method} {path}: {answer}");
            assert!(answer.contains("allow: GET, HEAD"), "{answer}");
        }
    }
    // It listens on one address: all others of the loopback are this machine's too.
    assert!(TcpStream::connect(format!("127.0.0.2:{port}")).is_err());
    assert_eq!(status(&live.page()), "200", "it goes on");
}

/// One port is one server's; standard input cannot be read twice; a page is a file or is served.
#[test]
fn what_cannot_be_served_is_refused() {
    let room = room();
    let live = Live::start(&room, &[], &[]);
    let port = live.address.rsplit(':').next().expect("a port");
    for (words, code) in [
        (format!("report case --serve={port}"), 4),
        ("report - --serve".to_owned(), 2),
        ("report case --serve --html page".to_owned(), 2),
        ("report case --serve=65536".to_owned(), 2),
        ("report case --serve --key none".to_owned(), 2),
        ("report case".to_owned(), 2),
    ] {
        let seen = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path()).run();
        let seen = seen.expect("a run");
        assert_eq!(seen.code, Some(code), "{words}: {}", seen.stderr);
    }
}

/// A file that cannot be read or relied on is named on the page, and the server goes on.
#[test]
fn a_broken_log_and_unknown_files_are_on_the_page() {
    let room = room();
    room.file("disk", &content(1, 50_000));
    pfh(&room, "acquire disk --to case/disk.img --examiner Ada --no-progress");
    let log = room.path().join("case/disk.img.log.jsonl");
    let text = fs::read_to_string(&log).expect("the log");
    let live = Live::start(&room, &[], &[]);
    assert!(live.page().contains("<th>examiner</th><td>Ada</td>"));
    fs::write(&log, text.replace("\"examiner\":\"Ada\"", "\"examiner\":\"Mallory\"")).expect("a changed log");
    room.file("case/picture", &content(9, 20_000));
    std::os::unix::fs::symlink("nowhere", room.path().join("case/gone")).expect("a link");
    let end = Instant::now() + Duration::from_secs(60);
    let page = loop {
        let page = live.page();
        if page.contains("nothing of this log is shown below") && page.contains("case/</span><wbr>picture") {
            break page;
        }
        assert!(Instant::now() < end, "{page}");
    };
    assert!(page.contains("no result that is known here") && !page.contains("Mallory"), "{page}");
    assert!(page.contains(">differs</span>"), "{page}");
}

/// Names, contents and times of all files below a folder.
fn state(folder: &Path) -> Vec<(PathBuf, Vec<u8>, [i64; 4])> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let (path, stat) = (entry.path(), entry.metadata().expect("its facts"));
        let times = [stat.mtime(), stat.mtime_nsec(), stat.ctime(), stat.ctime_nsec()];
        let bytes = if stat.is_dir() { Vec::new() } else { fs::read(&path).expect("a file") };
        if stat.is_dir() {
            found.extend(state(&path));
        }
        found.push((path, bytes, times));
    }
    found.sort();
    found
}

#[test]
fn nothing_is_changed_in_the_folder() {
    let room = room();
    room.file("disk", &content(1, 50_000));
    pfh(&room, "acquire disk --to case/disk.img --no-progress");
    fs::create_dir(room.path().join("case/below")).expect("a folder");
    pfh(&room, "hash disk -f jsonl -o case/below/list --seal");
    let before = state(room.path());
    let mut live = Live::start(&room, &[], &[]);
    for _ in 0..3 {
        assert_eq!(status(&live.page()), "200");
        assert_eq!(status(&live.ask("POST", "/", "")), "405");
    }
    let process = live.child.id();
    assert_eq!(live.interrupt(process), Some(0));
    assert!(state(room.path()) == before, "the folder is as it was");
}

/// By the system calls: no file is opened for writing, made, removed or renamed, and nobody looks
/// at the folder while nobody looks at the page.
#[test]
fn the_system_sees_no_write_and_no_look_without_a_client() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let room = room();
    room.file("disk", &content(1, 50_000));
    pfh(&room, "acquire disk --to case/disk.img --no-progress");
    let log = room.path().join("calls");
    let strace = ["strace", "-f", "-qq", "-e", "trace=%file,%desc", "-o", log.to_str().expect("a name")];
    let mut live = Live::start(&room, &strace, &[]);
    assert_eq!(status(&live.page()), "200");
    let calls = || fs::read_to_string(&log).expect("the calls");
    let looks = || calls().lines().filter(|call| call.contains("\"case") || call.contains("disk.img")).count();
    let seen = looks();
    assert!(seen > 0, "{}", calls());
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(looks(), seen, "without a client nothing is looked at");
    let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", live.child.id())).expect("its children");
    let process = children.split_whitespace().next().expect("pfh").parse().expect("a number");
    assert_eq!(live.interrupt(process), Some(0));
    for call in calls().lines() {
        let name = call.split_whitespace().nth(1).unwrap_or_default().split('(').next().unwrap_or_default();
        let changes = [
            "unlink",
            "rename",
            "mkdir",
            "link",
            "symlink",
            "mknod",
            "truncate",
            "ftruncate",
            "chmod",
            "utimens",
            "fallocate",
            "flock",
        ];
        let is_change = changes.iter().any(|change| name.starts_with(change));
        let is_open = name.starts_with("open") || name == "creat";
        let writes = is_open && ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|flag| call.contains(flag));
        assert!(!is_change && (!writes || call.contains("\"/dev/")), "{call}");
    }
}

#[test]
fn idle_connections_are_bounded_and_leave_room() {
    let room = room();
    let live = Live::start(&room, &[], &[]);
    let idle: Vec<TcpStream> = (0..100).map(|_| live.connect()).collect();
    // Of more than 64 the oldest are closed, and none of them shuts the page.
    for stream in &idle[..36] {
        let mut answer = [0; 12];
        let read = (&mut &*stream).read(&mut answer);
        assert!(matches!(read, Ok(0)) || read.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock));
    }
    assert_eq!(status(&live.page()), "200");
    drop(idle);
    // Those that follow leave room for the page.
    let follow = || {
        let mut stream = live.connect();
        write!(stream, "GET /events HTTP/1.1\r\nHost: {}\r\n\r\n", live.address).expect("asked");
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).expect("an answer");
        (answer.ends_with(b"200"), stream)
    };
    let followers: Vec<_> = (0..28).map(|_| follow()).collect();
    assert_eq!(followers.iter().filter(|(is_served, _)| *is_served).count(), 24);
    assert_eq!(status(&live.page()), "200");
}

#[test]
fn a_client_that_sends_nothing_is_cut_off() {
    if lacks(&[Need::Time]) {
        return;
    }
    let room = room();
    let live = Live::start(&room, &[], &[]);
    let start = Instant::now();
    let answer = live.raw("GET / HTTP/1.1\r\nHost: ");
    assert_eq!(status(&answer), "408", "{answer}");
    assert!(start.elapsed() < Duration::from_secs(40));
}

#[test]
fn a_panic_ends_the_server() {
    let room = room();
    let mut live = Live::start(&room, &[], &[("PFH_FAIL_POINT", "report-serve:2")]);
    assert_eq!(status(&live.page()), "200");
    assert_eq!(live.page(), "", "no answer of a thread that panics");
    assert_eq!(live.child.wait().expect("an end").code(), Some(4));
}
