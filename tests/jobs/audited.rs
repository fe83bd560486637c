//! A file that is committed to, and a server that is asked for it.

use crate::room::Room;
use crate::trees::built;
use pfh::audit::{AuditVerdict, Event, Extent, Status, Wrong, ask, challenge, commit, prove, serve, verify};
use pfh::job::Error;
use pfh::tree::beside;
use pfh::{Cancel, Control};
use pfh_inject::random;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The fields of a verdict.
#[derive(Debug)]
pub struct Judged {
    pub identity: String,
    pub status: Status,
    pub algorithm: &'static str,
    pub leaves: (u64, u64),
    pub files: Option<(usize, usize)>,
    pub finds: f64,
    pub evidence: pfh::audit::Evidence,
    /// The key of a genuine signature in hex, and whether it was asked for.
    pub signer: Option<(String, bool)>,
    pub why: String,
    pub refusal: Option<u16>,
}

impl Judged {
    fn of(verdict: &AuditVerdict) -> Judged {
        Judged {
            identity: String::from_utf8_lossy(&verdict.identity).into_owned(),
            status: verdict.status(),
            algorithm: verdict.algorithm,
            leaves: verdict.leaves,
            files: verdict.files,
            finds: verdict.finds(),
            evidence: verdict.evidence,
            signer: verdict.signer.map(|(key, asked)| (hex(&key.to_bytes()), asked)),
            why: verdict.result.as_ref().err().map(ToString::to_string).unwrap_or_default(),
            refusal: match &verdict.result {
                Err(Wrong::Refused { status, .. }) => Some(*status),
                _ => None,
            },
        }
    }
}

/// A room with `case/disk.img`, its tree, and `kept`.
pub fn committed(algorithm: &str, length: usize) -> (Room, PathBuf) {
    let room = Room::of_server();
    let file = room.file("case/disk.img", &random(1, length));
    built(&file, algorithm, 1024);
    commit(&room, &file, "disk.img", "kept").unwrap();
    (room, file)
}

pub fn commit(room: &Room, file: &Path, identity: &str, output: &str) -> Result<(), Error> {
    let mut request = commit::Request::new([file]).output(room.at(output));
    (request.identity, request.replace) = (Some(identity.into()), true);
    commit::run(&request, &mut |_| Ok(()), &Control::new())
}

/// The challenge of this name, about the file in `kept`.
pub fn challenge(room: &Room, kept: &str, extent: Extent, output: &str) -> Vec<u8> {
    let mut request = challenge::Request::new(room.at(kept)).output(room.at(output));
    (request.extent, request.replace) = (extent, true);
    challenge::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    fs::read(room.at(output)).unwrap()
}

/// The answer of this name to a challenge.
pub fn prove(room: &Room, challenge: &str, file: &Path, answer: prove::Answer, output: &str) -> Result<Vec<u8>, Error> {
    let mut request = prove::Request::new(room.at(challenge), file).output(room.at(output));
    (request.answer, request.replace) = (answer, true);
    prove::run(&request, &mut |_| Ok(()), &Control::new())?;
    Ok(fs::read(room.at(output)).unwrap())
}

/// A request about `kept`.
pub fn answer(room: &Room, challenge: &str, answer: &str) -> verify::Request {
    verify::Request::new(room.at("kept"), room.at(challenge), room.at(answer))
}

pub fn judge(request: &verify::Request) -> Result<Judged, Error> {
    verify::run(request, &mut |_| Ok(()), &Control::new()).map(|verdict| Judged::of(&verdict))
}

/// The result of a question to a server: the worst, and each verdict.
pub fn ask(request: &ask::Request) -> Result<(Status, Vec<Judged>), Error> {
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Judged(verdict) = event {
            rows.push(Judged::of(verdict));
        }
        Ok(())
    };
    ask::run(request, &mut take, &Control::new()).map(|status| (status, rows))
}

/// The only verdict.
pub fn asked(request: &ask::Request) -> Judged {
    let (status, mut rows) = ask(request).unwrap();
    assert!(rows.len() == 1 && rows[0].status == status, "{rows:?}");
    rows.remove(0)
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A private key in `key`, that its owner alone can read, and its public one in `public`.
pub fn keys(room: &Room) -> String {
    room.file("key", &"01".repeat(32));
    #[cfg(unix)]
    fs::set_permissions(room.at("key"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let public = hex(&ed25519_dalek::SigningKey::from_bytes(&[1; 32]).verifying_key().to_bytes());
    room.file("public", &public);
    public
}

/// A server of `case` that ends with this value.
pub struct Served {
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
    address: SocketAddr,
    pub url: String,
    pub files: usize,
}

impl Served {
    pub fn start(room: &Room) -> Served {
        Served::with(serve::Request::new(room.at("case")))
    }

    pub fn with(mut request: serve::Request) -> Served {
        request.listen = "127.0.0.1:0".into();
        let (cancel, (listens, heard)) = (Cancel::default(), mpsc::channel());
        let control = Control::new().with_cancel(cancel.clone());
        let thread = std::thread::spawn(move || {
            let mut take = |event: Event<'_>| {
                if let Event::Listening { address, files, .. } = event {
                    listens.send((address, files)).unwrap();
                }
                Ok(())
            };
            serve::run(&request, &mut take, &control).unwrap();
        });
        let (address, files) = heard.recv().expect("a server that listens");
        Served { cancel, thread: Some(thread), address, url: format!("http://{address}"), files }
    }

    /// A question about `kept`, but for this change.
    pub fn ask(&self, room: &Room, change: impl FnOnce(&mut ask::Request)) -> ask::Request {
        let mut request = ask::Request::new(&self.url, room.at("kept"));
        change(&mut request);
        request
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    /// Sends bytes as they are; the status of the answer, and its body.
    pub fn raw(&self, bytes: &[u8]) -> (Option<u16>, Vec<u8>) {
        let mut stream = self.connect();
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let status = answer.get(9..12).and_then(|digits| str::from_utf8(digits).ok()?.parse().ok());
        let body = answer.windows(4).position(|w| w == b"\r\n\r\n").map_or(&[][..], |at| &answer[at + 4..]);
        (status, body.to_vec())
    }

    pub fn post(&self, challenge: &[u8]) -> (Option<u16>, Vec<u8>) {
        let head = format!("POST /prove HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n\r\n", challenge.len());
        self.raw(&[head.as_bytes(), challenge].concat())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.cancel.cancel();
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(std::thread::panicking() || matches!(ended, Some(Ok(()))), "the server failed");
    }
}

/// A server that answers every request with these bytes, and then, if it is to be endless, with
/// more of them.
pub fn impostor(answer: &'static [u8], endless: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer);
            while endless && stream.write_all(&[b'x'; 65_536]).is_ok() {}
        }
    });
    url
}

/// Changes a byte of each leaf, so that any sample finds it.
pub fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    bytes.iter_mut().step_by(1024).for_each(|byte| *byte ^= 1);
    fs::write(file, bytes).unwrap();
    assert!(beside(file).exists());
}
