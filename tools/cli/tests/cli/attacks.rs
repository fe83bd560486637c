//! The attacks that TUF lists (rollback, freeze, mix and match, swap, another key, a weak key, the
//! wrong file under a right signature, a cut chain, the stamp of an earlier line), each tried on
//! each signed or proved thing.
#![cfg(unix)]

use crate::program::{PUBLIC_KEY, Room, pfh, random};
use pfh_inject::{File, Files, Need, Trial, lacks};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;

/// Points of small order: under each of them somebody without a key can sign something.
const WEAK: [&str; 3] = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Attack {
    /// All of an older state, to a verifier who knows the newest one.
    Rollback,
    /// The same state once more, as if nothing had happened since.
    Freeze,
    /// A file of one state among those of another.
    MixAndMatch,
    /// A file that is another one when it is opened again.
    Swap,
    /// All is sound, under the key of somebody else.
    OtherKey,
    /// The verifier is given a key under which anybody can sign.
    WeakKey,
    /// A genuine statement on something else, under this one's name.
    WrongFile,
    /// Files that are cut at a line, in the middle, to nothing, or taken away.
    Cut,
    /// A time stamp of a line that is not the last one.
    EarlierStamp,
}

use Attack::{Cut, EarlierStamp, Freeze, MixAndMatch, OtherKey, Rollback, Swap, WeakKey, WrongFile};
const ATTACKS: [Attack; 9] = [Rollback, Freeze, MixAndMatch, Swap, OtherKey, WeakKey, WrongFile, Cut, EarlierStamp];

type State = BTreeMap<String, Vec<u8>>;

/// Something that is signed or proved, in four states.
struct Thing {
    name: &'static str,
    /// Files of the verifier, which nobody else writes.
    own: &'static [&'static str],
    /// The command that verifies; `M` is the directory of the state, `K` the key, and `+` stands
    /// before words for a verifier who knows the newest state in `N`.
    command: &'static str,
    /// Words that the verdict names, since it cannot tell a state from a later one.
    named: &'static [&'static str],
    newest: State,
    older: State,
    /// The newest once more; of things that answer a question: the answer to another one.
    again: State,
    /// Of another thing, by the right key.
    foreign: State,
    /// Of other content, by another key.
    stranger: State,
    /// The exit codes of each attack; none where it does not apply.
    expected: [&'static str; 9],
}

/// The files of a directory.
fn state(directory: &Path) -> State {
    let files = fs::read_dir(directory).unwrap().flatten().filter(|entry| entry.path().is_file());
    files.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn good(room: &Room, words: &str) {
    let seen = pfh(room, words);
    assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
}

/// The keys of the right one, and the private key of somebody else.
fn keys(room: &Room) {
    crate::program::keys(room);
    room.secret("other", "02".repeat(32).as_bytes());
}

/// The states of a list and its seal in this format.
fn list(format: &'static str) -> Thing {
    // Each edition of one list, which replaces the one before.
    let made = |directory: &str, contents: [&str; 2], key: &str| {
        let room = Room::new();
        keys(&room);
        let within = room.path().join(directory);
        contents.map(|content| {
            room.file(format!("{directory}/a"), content.as_bytes());
            let words = format!("hash -q -f {format} a -o l --force --seal --key ../{key}");
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split_whitespace()).directory(&within);
            assert_eq!(trial.run().unwrap().code, Some(0), "{words}");
            state(&within)
        })
    };
    let [older, newest] = made("d", ["zero", "one."], "k.pem");
    let [_, foreign] = made("e", ["five", "nine"], "k.pem");
    let [_, stranger] = made("d", ["zero", "evil"], "other");
    Thing {
        name: format,
        own: &[],
        command: "check --key K M/l + --after N/l.seal",
        named: &["number 2", "made 20", " as l"],
        again: newest.clone(),
        newest,
        older,
        foreign,
        stranger,
        expected: ["1", "0", "1", "1", "1", "2", "1", "1 3", ""],
    }
}

/// The states of an image with its logs.
fn log() -> Thing {
    let made = |content: u8, image: &str, case: &str, key: &str| {
        let room = Room::new();
        keys(&room);
        room.file("s", &vec![content; 8192]);
        fs::create_dir(room.path().join("d")).unwrap();
        good(&room, &format!("acquire s --to d/{image} --key {key} --case {case} -q"));
        // The map is not signed: what it states is compared with the log.
        let mut files = state(&room.path().join("d"));
        files.retain(|name, _| !name.ends_with(".map"));
        files.into_iter().map(|(name, bytes)| (name.replace(image, "i.dd"), bytes)).collect::<State>()
    };
    let newest = made(1, "i.dd", "17", "k.pem");
    Thing {
        name: "log",
        own: &[],
        command: "verify --no-progress --key K M/i.dd",
        named: &["case 17", "i.dd", "source"],
        again: newest.clone(),
        newest,
        older: made(2, "i.dd", "16", "k.pem"),
        foreign: made(3, "j.dd", "5", "k.pem"),
        stranger: made(4, "i.dd", "17", "other"),
        expected: ["0", "0", "1", "1", "1", "2", "3", "0 1 3", "3"],
    }
}

/// A file with its tree in a room, and the auditor's line of it.
fn committed(content: u64, name: &str) -> Room {
    let room = Room::new();
    keys(&room);
    room.file(name, &random(content, 20_000));
    good(&room, &format!("tree build -q {name}"));
    good(&room, &format!("audit commit --identity {name} {name} -o kept"));
    room
}

/// The states of the answer to a challenge: the auditor has the line and the challenge.
fn answer(keyed: bool) -> Thing {
    let made = |content: u64, name: &str, key: &str| {
        let room = committed(content, name);
        good(&room, "audit challenge kept -o challenge");
        let how = if keyed { "--keyed".to_owned() } else { format!("--key {key}") };
        good(&room, &format!("audit prove challenge {name} {how} -o answer"));
        let mut state = state(room.path());
        let copy = state.remove(name).unwrap();
        state.retain(|name, _| ["kept", "challenge", "answer"].contains(&&**name));
        if keyed {
            state.insert("copy".into(), copy);
        }
        state
    };
    Thing {
        name: if keyed { "keyed answer" } else { "answer" },
        own: if keyed { &["kept", "challenge", "copy"] } else { &["kept", "challenge"] },
        command: if keyed {
            "audit verify M/kept M/challenge M/answer --data M/copy"
        } else {
            "audit verify M/kept M/challenge M/answer --signed-by K"
        },
        named: &[],
        newest: made(1, "f", "k.pem"),
        older: made(4, "f", "k.pem"),
        again: made(1, "f", "k.pem"),
        foreign: made(2, "g", "k.pem"),
        stranger: made(3, "f", "other"),
        expected: ["1", "1", "1", "1", "1", if keyed { "" } else { "2" }, "1", "1 3", ""],
    }
}

/// The states of a proof that a file changed in some leaves alone.
fn update() -> Thing {
    let made = |content: u64, name: &str, changes: usize| {
        let room = committed(content, name);
        for change in 0..changes {
            if change > 0 {
                good(&room, "audit renew kept update -o kept.new");
                fs::rename(room.path().join("kept.new"), room.path().join("kept")).unwrap();
            }
            let mut bytes = fs::read(room.path().join(name)).unwrap();
            bytes[5000 + change] ^= 1;
            fs::write(room.path().join(name), bytes).unwrap();
            let at = 5000 + change;
            let _ = fs::remove_file(room.path().join("update"));
            good(&room, &format!("tree update -q {name} --range {at}:1 --proof update"));
        }
        let mut state = state(room.path());
        state.retain(|name, _| ["kept", "update"].contains(&&**name));
        state
    };
    Thing {
        name: "update",
        own: &["kept"],
        command: "audit renew M/kept M/update",
        named: &[],
        newest: made(1, "f", 2),
        older: made(1, "f", 1),
        again: made(1, "f", 1),
        foreign: made(2, "g", 1),
        stranger: made(3, "f", 1),
        // A file that holds something else than an update is a mistake in the request.
        expected: ["1", "1", "1", "1", "1", "", "1", "2 3", ""],
    }
}

/// The states of a part of a file that is proved to a holder of the root.
fn part() -> Thing {
    let made = |content: u64, name: &str| {
        let room = committed(content, name);
        good(&room, &format!("tree prove {name} --range 100:2000 -o part"));
        let root = fs::read_to_string(room.path().join("kept")).unwrap();
        let root = root.split(' ').find(|word| word.len() == 64).unwrap();
        room.file("root", root.as_bytes());
        let mut state = state(room.path());
        state.retain(|name, _| ["root", "part"].contains(&&**name));
        state
    };
    Thing {
        name: "part",
        own: &["root"],
        command: "tree verify M/part --root R",
        named: &[],
        newest: made(1, "f"),
        older: made(4, "f"),
        again: made(5, "f"),
        foreign: made(2, "g"),
        stranger: made(3, "f"),
        expected: ["1", "1", "1", "1", "1", "", "1", "1 3", ""],
    }
}

/// The states of the answer to a token: that of the next one, of another one, of another file.
fn token() -> Thing {
    let made = |content: u64, name: &str| {
        let room = committed(content, name);
        good(&room, &format!("audit tokens kept --data {name} --count 2 -o tokens"));
        let text = fs::read_to_string(room.path().join("tokens")).unwrap();
        let digits = text.lines().filter_map(|line| line.strip_prefix("token ")?.split(' ').nth(1));
        let bytes = |digits: &str| {
            let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
            (0..digits.len()).step_by(2).map(byte).collect::<Vec<u8>>()
        };
        let state = |digits: &str| {
            State::from([("tokens".into(), text.clone().into_bytes()), ("answer".into(), bytes(digits))])
        };
        digits.map(state).collect::<Vec<State>>()
    };
    let mut states = made(1, "f");
    Thing {
        name: "token",
        own: &["tokens"],
        command: "audit ask S --tokens M/tokens",
        named: &[],
        older: made(4, "f").remove(0),
        foreign: made(2, "g").remove(0),
        stranger: made(3, "f").remove(0),
        again: states.remove(1),
        newest: states.remove(0),
        expected: ["1", "1", "1", "", "1", "", "1", "1", ""],
    }
}

/// A server that gives each client these bytes as its answer.
fn served(answer: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 65_536]);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", answer.len());
        let _ = stream.write_all(&[head.as_bytes(), &answer].concat());
    });
    format!("http://{address}")
}

impl Thing {
    /// The files that the verifier has, where somebody gives the rest.
    fn given(&self, by: &State) -> State {
        let is_own = |name: &str| self.own.contains(&name);
        let theirs = by.iter().filter(|(name, _)| !is_own(name));
        let own = self.newest.iter().filter(|(name, _)| is_own(name));
        own.chain(theirs).map(|(name, bytes)| (name.clone(), bytes.clone())).collect()
    }

    /// The exit code of the command over these files, and its words; all of `later` have the bytes
    /// there when they are opened for the second time.
    fn judged(&self, state: &State, later: Option<&State>, key: &str, knows: bool) -> (i32, String) {
        let room = Room::new();
        room.file("key", key.as_bytes());
        self.newest.iter().for_each(|(name, bytes)| drop(room.file(format!("N/{name}"), bytes)));
        fs::create_dir(room.path().join("M")).unwrap();
        let mut mounted = None;
        match later {
            None => state.iter().for_each(|(name, bytes)| drop(room.file(format!("M/{name}"), bytes))),
            Some(later) => {
                let mut files = Files::new();
                for (name, bytes) in state {
                    let file = File::of(name, bytes.clone());
                    let other = later.get(name).filter(|other| *other != bytes).map(|other| {
                        let mut other = other.clone();
                        other.resize(bytes.len(), b'\n');
                        other
                    });
                    files = files.with(match other {
                        Some(other) => file.then(other),
                        None => file,
                    });
                }
                mounted = Some(files.mount().unwrap());
            }
        }
        let place = mounted.as_ref().map_or("M".to_owned(), |mounted| mounted.path().display().to_string());
        let text = |name: &str| state.get(name).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        let (always, known) = self.command.split_once(" + ").unwrap_or((self.command, ""));
        let words = always.split(' ').chain(known.split(' ').filter(|word| knows && !word.is_empty()));
        let words: Vec<String> = words
            .map(|word| match word {
                "K" => "key".to_owned(),
                "R" => text("root").unwrap(),
                "S" => served(state.get("answer").cloned().unwrap_or_default()),
                word => word.strip_prefix("M/").map_or(word.to_owned(), |name| format!("{place}/{name}")),
            })
            .collect();
        let seen = pfh(&room, &words.join(" "));
        let code = seen.code.unwrap_or(-1);
        (code, format!("{}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr))
    }

    /// Each form of an attack: the exit codes, and the words of those that end with 0.
    fn attacked(&self, attack: Attack) -> (BTreeSet<i32>, Vec<String>) {
        let mut codes = BTreeSet::new();
        let mut believed = Vec::new();
        let mut take = |(code, said): (i32, String)| {
            codes.insert(code);
            believed.extend((code == 0).then_some(said));
        };
        let newest = &self.newest;
        let reachable: Vec<&String> = newest.keys().filter(|name| !self.own.contains(&name.as_str())).collect();
        match attack {
            Rollback => take(self.judged(&self.given(&self.older), None, PUBLIC_KEY, true)),
            Freeze => take(self.judged(&self.given(&self.again), None, PUBLIC_KEY, true)),
            OtherKey => take(self.judged(&self.given(&self.stranger), None, PUBLIC_KEY, false)),
            WrongFile => take(self.judged(&self.given(&self.foreign), None, PUBLIC_KEY, true)),
            WeakKey => WEAK.iter().for_each(|key| take(self.judged(newest, None, key, false))),
            MixAndMatch => {
                for (whole, name, from) in [(newest, &self.older), (&self.older, newest)]
                    .into_iter()
                    .flat_map(|(whole, from)| reachable.iter().map(move |name| (whole, *name, from)))
                {
                    let mut mixed = self.given(whole);
                    if mixed.get(name) != from.get(name) {
                        mixed.extend(from.get_key_value(name).map(|(name, bytes)| (name.clone(), bytes.clone())));
                        // Where a whole has one file, that is a rollback or the newest itself.
                        if mixed != self.given(newest) {
                            take(self.judged(&mixed, None, PUBLIC_KEY, false));
                        }
                    }
                }
            }
            // Where the verifier keeps what an answer must fit, the true answer comes too late.
            Swap if !self.own.is_empty() => {
                take(self.judged(&self.given(&self.stranger), Some(&self.given(newest)), PUBLIC_KEY, false));
            }
            // Else the evidence is the stranger's, and the first look finds a signed statement.
            Swap => {
                let is_statement = |name: &str| name.starts_with('l') || name.contains(".log");
                let first = self.stranger.iter().map(|(name, bytes)| match newest.get(name) {
                    Some(signed) if is_statement(name) => (name.clone(), signed.clone()),
                    _ => (name.clone(), bytes.clone()),
                });
                take(self.judged(&first.collect(), Some(&self.stranger), PUBLIC_KEY, false));
            }
            Cut => {
                for name in reachable {
                    let bytes = &newest[name];
                    let line = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                    let parts = [Some(line), Some(bytes.len() / 2), Some(0), None];
                    for length in parts {
                        let mut cut = newest.clone();
                        match length {
                            Some(length) => cut.insert(name.clone(), bytes[..length].to_vec()),
                            None => cut.remove(name),
                        };
                        take(self.judged(&cut, None, PUBLIC_KEY, false));
                    }
                }
            }
            EarlierStamp => {
                let log = &newest["i.dd.log.jsonl"];
                for end in log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1) {
                    let start = log[..end - 1].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
                    if end < log.len() {
                        let mut stamped = newest.clone();
                        stamped.insert("i.dd.log.jsonl.tsr".into(), stamp(&log[start..end]));
                        take(self.judged(&stamped, None, PUBLIC_KEY, false));
                    }
                }
            }
        }
        (codes, believed)
    }
}

/// The answer of an authority (RFC 3161) that stamped these bytes, without a signature.
fn stamp(line: &[u8]) -> Vec<u8> {
    fn value(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let body = parts.concat();
        assert!(body.len() < 256);
        let length = if body.len() < 128 { vec![body.len() as u8] } else { vec![0x81, body.len() as u8] };
        [&[tag], &length[..], &body].concat()
    }
    let digest = crate::program::sha256(line);
    let digest: Vec<u8> = (0..64).step_by(2).map(|at| u8::from_str_radix(&digest[at..at + 2], 16).unwrap()).collect();
    let sha256 = value(0x30, &[&value(6, &[&[0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1]]), &[5, 0]]);
    let imprint = value(0x30, &[&sha256, &value(4, &[&digest])]);
    let numbers = [value(2, &[&[1]]), value(6, &[&[0x2a, 3]]), imprint, value(2, &[&[7]])];
    let info = value(0x30, &[&numbers.concat(), &value(0x18, &[b"20260101000000Z"])]);
    let kind = value(6, &[&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 0x10, 1, 4]]);
    let content = value(0x30, &[&kind, &value(0xa0, &[&value(4, &[&info])])]);
    let signed = value(0x30, &[&value(2, &[&[3]]), &value(0x31, &[]), &content, &value(0x31, &[])]);
    let outer = value(6, &[&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]]);
    let token = value(0x30, &[&outer, &value(0xa0, &[&signed])]);
    value(0x30, &[&value(0x30, &[&value(2, &[&[0]])]), &token])
}

/// The table: no attack ends with 0, but for those that a verifier without a memory cannot tell
/// from the truth, and there the verdict names the facts.
#[test]
fn every_attack_on_every_signed_thing() {
    let formats = ["sums", "bsd", "hashdeep", "jsonl", "dfxml", "csv"];
    let others = [log(), answer(false), answer(true), update(), part(), token()];
    let mut wrong = String::new();
    for thing in formats.map(list).into_iter().chain(others) {
        let (code, said) = thing.judged(&thing.newest, None, PUBLIC_KEY, false);
        assert_eq!(code, 0, "{}: {said}", thing.name);
        assert!(thing.named.iter().all(|word| said.contains(word)), "{}: {said}", thing.name);
        for (attack, expected) in ATTACKS.into_iter().zip(thing.expected) {
            if expected.is_empty() || attack == Swap && lacks(&[Need::Fuse]) {
                continue;
            }
            let (codes, believed) = thing.attacked(attack);
            let found = codes.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            if found != expected {
                wrong += &format!("{}, {attack:?}: {found}, and not {expected}: {believed:?}\n", thing.name);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
