//! S3Proxy, and a connection to it that has faults.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// A server of its own, gone with the value.
pub struct Server {
    child: Child,
    pub port: u16,
}

impl Server {
    /// Starts it over a folder, with one empty bucket.
    pub fn start(room: &Path) -> Server {
        let data = room.join("store");
        std::fs::create_dir_all(data.join("bucket")).unwrap();
        let store = format!("jclouds.provider=filesystem\njclouds.filesystem.basedir={}\n", data.display());
        Server::with(room, &format!("s3proxy.authorization=none\n{store}"))
    }

    /// Starts it over its memory, where a key is not a path; it verifies who asks.
    pub fn in_memory(room: &Path) -> Server {
        let account = "s3proxy.authorization=aws-v4\ns3proxy.identity=someone\ns3proxy.credential=secret\n";
        let store = "jclouds.provider=transient\njclouds.identity=a\njclouds.credential=b\n";
        Server::with(room, &format!("{account}{store}"))
    }

    fn with(room: &Path, more: &str) -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let properties =
            format!("s3proxy.ignore-unknown-headers=true\ns3proxy.endpoint=http://127.0.0.1:{port}\n{more}");
        let file = room.join("s3proxy.conf");
        std::fs::write(&file, properties).unwrap();
        let mut program = Command::new("s3proxy");
        let program = program.arg("--properties").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let child = program.spawn().expect("s3proxy");
        let server = Server { child, port };
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(120), "S3Proxy does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        server
    }

    /// Puts an object, as any client would.
    pub fn put(&self, key: &str, file: &Path) {
        let escape = |byte: u8| match byte {
            b'/' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        };
        let key: String = key.bytes().map(escape).collect();
        let mut put = Command::new("curl");
        put.args(["--silent", "--fail", "--show-error", "--upload-file"]).arg(file);
        let put = put.arg(format!("http://127.0.0.1:{}/{key}", self.port)).output().expect("curl");
        assert!(put.status.success(), "{key}: {}", String::from_utf8_lossy(&put.stderr));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The fault of the connection.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// How many of the first connections break off after some bytes.
    Cut(usize),
    /// How many of the first are answered with 503.
    Unavailable(usize),
    /// Each 64 KiB take two milliseconds.
    Slow,
    /// After this many bytes nothing comes until [`Proxy::resume`].
    Pause(u64),
}

#[derive(Default)]
struct State {
    connections: AtomicUsize,
    faults: AtomicUsize,
    bytes: AtomicU64,
    resumed: AtomicBool,
}

/// The proxy between program and server.
pub struct Proxy {
    pub port: u16,
    state: Arc<State>,
}

impl Proxy {
    pub fn start(server: u16, fault: Fault) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(State::default());
        let shared = state.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let state = shared.clone();
                std::thread::spawn(move || serve(client, server, fault, &state));
            }
        });
        Proxy { port, state }
    }

    /// How often the fault was there.
    pub fn faults(&self) -> usize {
        self.state.faults.load(Ordering::SeqCst)
    }

    /// Bytes that came from the server.
    pub fn bytes(&self) -> u64 {
        self.state.bytes.load(Ordering::SeqCst)
    }

    /// Waits for the pause.
    pub fn wait(&self) {
        let begun = Instant::now();
        while self.faults() == 0 {
            assert!(begun.elapsed() < Duration::from_secs(120), "never paused");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn resume(&self) {
        self.state.resumed.store(true, Ordering::SeqCst);
    }
}

fn serve(mut client: TcpStream, server: u16, fault: Fault, state: &State) {
    let number = state.connections.fetch_add(1, Ordering::SeqCst);
    if matches!(fault, Fault::Unavailable(first) if number < first) {
        state.faults.fetch_add(1, Ordering::SeqCst);
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") && client.read(&mut byte).is_ok_and(|read| read > 0) {
            request.push(byte[0]);
        }
        let _ = client.write_all(b"HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
    }
    let Ok(mut upstream) = TcpStream::connect(("127.0.0.1", server)) else { return };
    let (mut from, mut to) = (client.try_clone().unwrap(), upstream.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Both);
    });
    // Anywhere from the middle of a header to the middle of a large object.
    let mut left = match fault {
        Fault::Cut(first) if number < first => Some((number as u64 * 2_654_435_761) % (5 << 20) + 10),
        _ => None,
    };
    let mut buffer = vec![0; 64 << 10];
    while let Ok(read @ 1..) = upstream.read(&mut buffer) {
        let passed = state.bytes.fetch_add(read as u64, Ordering::SeqCst) + read as u64;
        let mut part = &buffer[..read];
        if let Some(left) = &mut left {
            part = &part[..part.len().min(*left as usize)];
            *left -= part.len() as u64;
        }
        if client.write_all(part).is_err() {
            break;
        }
        if left == Some(0) {
            state.faults.fetch_add(1, Ordering::SeqCst);
            break;
        }
        match fault {
            Fault::Slow => {
                state.faults.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(2));
            }
            Fault::Pause(after) if passed >= after => {
                state.faults.fetch_add(1, Ordering::SeqCst);
                while !state.resumed.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(5));
                }
            }
            _ => {}
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = upstream.shutdown(Shutdown::Both);
}
