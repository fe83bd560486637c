//! `demo`: Figure 1 of Lopes, Franqueira & Hobson on the stage: a server that kept digests and no
//! data answers the plain challenge H(M‖C), and fails the challenge of this package.
//!
//! Nothing is acted: the files are made in a directory of their own, the server's file is deleted,
//! and every answer is judged by [`verify`].

pub use super::scene::{ChallengeKind, Scene, Server};
use super::{AuditVerdict, Error, Events, Extent, Problem, Status};
use super::{challenge, commit, prove, verify};
use crate::Destination;
use crate::tree::{self, beside};
use pfh_digest::{Algorithm, Hasher};
use pfh_engine::Control;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The stage.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Bytes of the file M: a whole number of SHA-256's blocks, so that its state holds no data.
    pub bytes: u64,
    /// How much our challenge asks for.
    pub extent: Extent,
    /// Where the files are made, and removed again.
    pub room: PathBuf,
}

impl Default for Request {
    /// 16 MiB, the usual extent, in the system's temporary directory.
    fn default() -> Request {
        Request { bytes: 16 << 20, extent: Extent::default(), room: std::env::temp_dir() }
    }
}

impl Request {
    /// Whether the request makes sense; nothing is written.
    ///
    /// # Errors
    /// When it does not.
    pub fn check(&self) -> Result<(), Error> {
        if self.bytes == 0 || !self.bytes.is_multiple_of(BLOCK) {
            return Err(Problem::Staged(BLOCK).into());
        }
        self.extent.sample()?;
        Ok(())
    }
}

/// Bytes of a block of SHA-256.
const BLOCK: u64 = 64;

/// The result.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Bytes of the file.
    pub bytes: u64,
    /// The scenes, in order.
    pub scenes: Vec<Scene>,
    /// From the first to the last.
    pub took: Duration,
}

impl Summary {
    /// Whether it came out as the paper says: only the plain challenge can be answered without the
    /// data.
    pub fn is_as_claimed(&self) -> bool {
        self.scenes
            .iter()
            .all(|scene| scene.passes == (scene.asked == ChallengeKind::Plain || scene.server == Server::Honest))
    }
}

/// Stages the figure: five scenes, each an event.
///
/// # Errors
/// When the files cannot be made, or the control is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let start = Instant::now();
    let made = tempfile::Builder::new().prefix("pfh-audit-demo-").tempdir_in(&request.room);
    let room = made.map_err(|error| failed(&request.room, &error))?;
    let mut stage = Stage { room: room.path(), extent: request.extent, control, scenes: Vec::new() };
    let state = stage.owner(request.bytes)?;
    let size = |path: &Path| path.metadata().map_or(0, |found| found.len());
    let tree = size(&beside(&stage.file()));

    stage.plain(Server::Honest, request.bytes, &state, events)?;
    let before = stage.leaves(Server::Honest, request.bytes + tree, events)?;
    // The server deletes the file. A file of zeros stands in its place, so that it can answer at
    // all; all digests are kept.
    let file = stage.file();
    let deleted = || File::create(&file)?.set_len(request.bytes);
    deleted().map_err(|error| failed(&file, &error))?;
    stage.plain(Server::Digests, STATE, &state, events)?;
    stage.leaves(Server::Digests, tree, events)?;
    stage.replay(&before, tree + before.len() as u64, events)?;
    Ok(Summary { bytes: request.bytes, scenes: stage.scenes, took: start.elapsed() })
}

/// SHA-256 between two blocks: eight words, and how many bytes went in.
const STATE: u64 = 32 + 8;

struct Stage<'a> {
    room: &'a Path,
    extent: Extent,
    control: &'a Control<'a>,
    scenes: Vec<Scene>,
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Problem::Read { path: path.to_owned(), why: error.to_string() }.into()
}

impl Stage<'_> {
    fn file(&self) -> PathBuf {
        self.room.join("M")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.room.join(name)
    }

    /// The file of random bytes with its tree, and the client's record. Gives the state of SHA-256
    /// after it.
    fn owner(&self, bytes: u64) -> Result<Hasher, Error> {
        let file = self.file();
        let sha256: Algorithm = "sha256".parse().expect("a name of the registry");
        let mut hasher = sha256.hasher();
        let mut make = || -> std::io::Result<()> {
            let (mut from, mut to) = (File::open("/dev/urandom")?.take(bytes), File::create(&file)?);
            let mut piece = vec![0; 1 << 20];
            loop {
                let read = from.read(&mut piece)?;
                if read == 0 {
                    return Ok(());
                }
                hasher.update(&piece[..read]);
                to.write_all(&piece[..read])?;
            }
        };
        make().map_err(|error| failed(&file, &error))?;
        tree::build::run(&tree::build::Request::file(&file), &mut |_| Ok(()), self.control)?;
        let request = commit::Request::new([&file]).output(self.at("kept"));
        commit::run(&request, &mut |_| Ok(()), self.control)?;
        Ok(hasher)
    }

    fn scene(&mut self, scene: Scene, events: &mut Events<'_>) -> Result<(), Error> {
        if self.control.is_cancelled() {
            return Err(Problem::Cancelled.into());
        }
        events(super::Event::Staged(&scene)).map_err(Error::Sink)?;
        self.scenes.push(scene);
        Ok(())
    }

    /// The client sends C and expects H(M‖C): the state of H after M is enough to answer.
    fn plain(&mut self, server: Server, keeps: u64, state: &Hasher, events: &mut Events<'_>) -> Result<(), Error> {
        let challenge = pfh_audit::seed()?;
        let answer_of = |mut hasher: Hasher| {
            hasher.update(&challenge);
            hasher.finalize().bytes().to_vec()
        };
        // The client had M when it computed the state that it expects answers of.
        let expected = answer_of(state.clone());
        let answer = match server {
            Server::Honest => {
                let file = self.file();
                let data = std::fs::read(&file).map_err(|error| failed(&file, &error))?;
                let sha256: Algorithm = "sha256".parse().expect("a name of the registry");
                let mut hasher = sha256.hasher();
                hasher.update(&data);
                answer_of(hasher)
            }
            _ => answer_of(state.clone()),
        };
        let passes = answer == expected;
        let why = (!passes).then(|| "another digest".to_owned());
        let (question, answer) = (challenge.len() as u64, answer.len() as u64);
        self.scene(Scene { asked: ChallengeKind::Plain, server, keeps, question, answer, passes, why }, events)
    }

    /// A fresh challenge of ours.
    fn challenge(&self) -> Result<(), Error> {
        let mut request = challenge::Request::new(self.at("kept")).output(self.at("challenge"));
        (request.extent, request.replace) = (self.extent, true);
        challenge::run(&request, &mut |_| Ok(()), self.control)
    }

    fn judge(&mut self, server: Server, keeps: u64, events: &mut Events<'_>) -> Result<(), Error> {
        let request = verify::Request::new(self.at("kept"), self.at("challenge"), self.at("answer"));
        let verdict: AuditVerdict = verify::run(&request, &mut |_| Ok(()), self.control)?;
        let size = |path: PathBuf| path.metadata().map_or(0, |found| found.len());
        let (question, answer) = (size(self.at("challenge")), size(self.at("answer")));
        let (passes, why) = (verdict.status() == Status::Proved, verdict.result.err().map(|why| why.to_string()));
        self.scene(Scene { asked: ChallengeKind::Leaves, server, keeps, question, answer, passes, why }, events)
    }

    /// The server answers from the file in the place of the original, by its tree. Gives the
    /// answer.
    fn leaves(&mut self, server: Server, keeps: u64, events: &mut Events<'_>) -> Result<Vec<u8>, Error> {
        self.challenge()?;
        let mut request = prove::Request::new(self.at("challenge"), self.file());
        (request.output, request.replace) = (Destination::from(self.at("answer")), true);
        prove::run(&request, &mut |_| Ok(()), self.control)?;
        self.judge(server, keeps, events)?;
        let path = self.at("answer");
        std::fs::read(&path).map_err(|error| failed(&path, &error))
    }

    /// The server repeats an answer that was right once.
    fn replay(&mut self, before: &[u8], keeps: u64, events: &mut Events<'_>) -> Result<(), Error> {
        self.challenge()?;
        let path = self.at("answer");
        std::fs::write(&path, before).map_err(|error| failed(&path, &error))?;
        self.judge(Server::Replay, keeps, events)
    }
}
