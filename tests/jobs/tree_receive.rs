//! A file that comes in parts: its tree is the one that a build gives, for any order, overlaps,
//! memory and interruptions; and nothing else ever passes for it.

use crate::room::Room;
use crate::trees::{built, tree_of};
use pfh::job::{Error, Kind};
use pfh::tree::receive::{self, Delivery, Request, Sender};
use pfh::tree::{Arrivals, Event, Failure, Function, Parameters, Problem, Shape, Summary, TreeKind, TreeWork};
use pfh::{Control, Secret};
use std::fs;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const TREES: [(&str, usize); 14] = [
    ("blake3", 1024),
    ("blake3", 16 << 10),
    ("sha256", 2048),
    ("sha3-256", 4096),
    ("kt128", 0),
    ("kt256", 0),
    ("parallelhash128", 0),
    ("parallelhash256,block=3000", 0),
    ("parallelhashxof128:20", 0),
    ("parallelhashxof256", 0),
    ("sakura-fng-128,block=4096", 0),
    ("sakura-fng-256", 0),
    ("sakura-li-128", 0),
    ("sakura-li-256,leaves=3", 0),
];

struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut dice = Dice(seed);
    (0..length).map(|_| dice.below(256) as u8).collect()
}

fn receive(request: &Request) -> Result<Summary, Error> {
    receive::run(request, &mut |_| Ok(()), &Control::new())
}

fn from(path: impl Into<PathBuf>, offset: u64) -> Delivery {
    Delivery::new(Sender::File(path.into()), offset, None)
}

/// The request with a change.
fn with(mut request: Request, change: impl FnOnce(&mut Request)) -> Request {
    change(&mut request);
    request
}

/// A file of the room for each range of the data.
fn parts(room: &Room, data: &[u8], ranges: &[Range<usize>]) -> Vec<Delivery> {
    let part = |(number, range): (usize, &Range<usize>)| {
        from(room.file(format!("part{number}"), &data[range.clone()]), range.start as u64)
    };
    ranges.iter().enumerate().map(part).collect()
}

fn by(request: Request, (algorithm, leaf): (&str, usize)) -> Request {
    request.algorithm(algorithm, (leaf > 0).then_some(leaf), None).unwrap()
}

/// Parts of a file in any order; some overlap.
fn cuts(dice: &mut Dice, length: usize) -> Vec<Range<usize>> {
    let mut cuts = vec![0, length];
    cuts.extend((0..dice.below(7)).map(|_| dice.below(length + 1)));
    cuts.sort_unstable();
    let mut ranges: Vec<Range<usize>> = cuts.windows(2).map(|cut| cut[0]..cut[1]).collect();
    for _ in 0..dice.below(3) {
        let start = dice.below(length + 1);
        ranges.push(start..length.min(start + dice.below(90_000)));
    }
    for at in (1..ranges.len()).rev() {
        ranges.swap(at, dice.below(at + 1));
    }
    ranges
}

/// That the file and its tree are those of the data, and nothing else is left.
fn assert_received(room: &Room, data: &[u8], tree: (&str, usize), summary: &Summary) {
    let name = tree.0;
    let (algorithm, leaf) = (name, if tree.1 > 0 { tree.1 } else { 16 << 10 });
    assert!(fs::read(room.at("file")).unwrap() == data, "{name}");
    let received = tree_of(&room.at("file"));
    let whole = room.file("whole", data);
    assert_eq!(built(&whole, algorithm, leaf).root, summary.root, "{name}");
    assert!(tree_of(&whole) == received, "{name}");
    assert!(!room.at("file.partial").exists() && !room.at("file.receipt").exists(), "{name}");
}

#[test]
fn parts_in_any_order_give_the_tree_of_a_build() {
    let mut dice = Dice(65);
    for tree in TREES {
        for length in [0, 1, 1023, 8192, 65_536, 100_000, 700_001] {
            let room = Room::new();
            let data = noise(length, length as u64);
            let ranges = cuts(&mut dice, length);
            let mut request = by(Request::new(room.at("file"), parts(&room, &data, &ranges)), tree);
            // Memory for one leaf each, or for all.
            request.memory = if dice.below(2) == 0 { 2 * ranges.len() * (64 << 10) } else { request.memory };
            request.every = Some(1 + dice.below(length + 1) as u64);
            let summary = receive(&request).unwrap();
            assert_eq!(summary.done, TreeWork::Received { before: 0 });
            assert_received(&room, &data, tree, &summary);
        }
    }
}

#[test]
fn a_run_goes_on_where_another_ended() {
    let mut dice = Dice(4);
    for tree in TREES {
        let room = Room::new();
        let data = noise(300_000, 8);
        let ranges = cuts(&mut dice, 300_000);
        let all = parts(&room, &data, &ranges);
        // One part a run; what came of the others is kept.
        let mut came = vec![false; 300_000];
        for (number, (delivery, range)) in all.iter().zip(&ranges).enumerate() {
            let before = came.iter().filter(|came| **came).count() as u64;
            came[range.clone()].fill(true);
            let mut request = by(Request::new(room.at("file"), [delivery.clone()]), tree);
            request.length = Some(300_000);
            match receive(&request) {
                Ok(summary) => {
                    assert!(came.iter().all(|came| *came), "{tree:?}, run {number}");
                    assert_eq!(summary.done, TreeWork::Received { before });
                    assert_received(&room, &data, tree, &summary);
                    break;
                }
                Err(error) => {
                    let Some(Problem::Awaited { missing, .. }) = error.find() else { panic!("{error}") };
                    let bytes: u64 = missing.iter().map(|range| range.end - range.start).sum();
                    assert_eq!(bytes, came.iter().filter(|came| !**came).count() as u64);
                    assert!(
                        missing.iter().all(|range| !came[range.start as usize..range.end as usize].contains(&true))
                    );
                    assert_eq!(error.kind(), Kind::Input);
                    assert!(!room.at("file").exists() && !room.at("file.pfhtree").exists());
                }
            }
        }
        assert!(room.at("file").exists(), "{tree:?}");
    }
}

/// Half of a file, in two parts that share a leaf, and the request for the rest.
fn half(room: &Room, tree: (&str, usize)) -> (Vec<u8>, Request) {
    let data = noise(200_000, 5);
    let mut first = by(Request::new(room.at("file"), parts(room, &data, &[0..50_000, 50_000..100_001])), tree);
    first.length = Some(200_000);
    assert!(matches!(receive(&first).unwrap_err().find(), Some(Problem::Awaited { .. })));
    let rest = from(room.file("rest", &data[100_001..]), 100_001);
    (data, with(first, |request| request.deliveries = vec![rest]))
}

/// Whichever byte was altered meanwhile, there is no root; with it put back there is the right one.
#[test]
fn an_altered_target_gives_no_root() {
    for tree in TREES {
        let room = Room::new();
        let (data, rest) = half(&room, tree);
        let partial = fs::read(room.at("file.partial")).unwrap();
        for at in [0, 49_999, 50_000, 99_999, 100_000] {
            let mut altered = partial.clone();
            altered[at] ^= 1;
            fs::write(room.at("file.partial"), altered).unwrap();
            let error = receive(&rest).unwrap_err();
            let Some(Problem::Altered { path, offset }) = error.find() else { panic!("{tree:?}, {at}: {error}") };
            assert!(path.ends_with("file.partial") && *offset <= at as u64 && at as u64 - offset < 65_536, "{at}");
            assert_eq!(error.kind(), Kind::Input);
        }
        // Cut off, and gone.
        fs::write(room.at("file.partial"), &partial[..70_000]).unwrap();
        assert!(matches!(receive(&rest).unwrap_err().find(), Some(Problem::Altered { .. })));
        fs::remove_file(room.at("file.partial")).unwrap();
        assert!(matches!(receive(&rest).unwrap_err().find(), Some(Problem::Altered { offset: 0, .. })));
        fs::write(room.at("file.partial"), partial).unwrap();
        assert_received(&room, &data, tree, &receive(&rest).unwrap());
    }
}

#[test]
fn bytes_that_come_twice_must_be_the_same() {
    let room = Room::new();
    let (data, mut rest) = half(&room, ("blake3", 1024));
    let mut other = data[60_000..120_000].to_vec();
    other[33_333] ^= 1;
    let good = rest.deliveries.clone();
    rest.deliveries.push(from(room.file("other", &other), 60_000));
    let error = receive(&rest).unwrap_err();
    let Some(Problem::Conflict { from: sender, offset: 93_333 }) = error.find() else { panic!("{error}") };
    assert!(sender.ends_with("other") && error.kind() == Kind::Negative);
    // The bytes that came first stay.
    rest.deliveries = good;
    rest.deliveries.push(from(room.file("other", &data[60_000..120_000]), 60_000));
    assert_received(&room, &data, ("blake3", 1024), &receive(&rest).unwrap());
}

/// Two senders of one run that differ: which of them came first is open, where they differ is not.
#[test]
fn two_senders_that_differ_are_a_conflict_whoever_is_first() {
    for _ in 0..8 {
        let room = Room::new();
        let data = noise(500_000, 6);
        let mut other = data.clone();
        other[400_000] ^= 8;
        let request = Request::new(room.at("file"), [from(room.file("a", &data), 0), from(room.file("b", &other), 0)]);
        let error = receive(&request).unwrap_err();
        let Some(Problem::Conflict { offset: 400_000, .. }) = error.find() else { panic!("{error}") };
        assert!(!room.at("file").exists());
    }
}

#[test]
fn a_request_that_makes_no_sense_changes_nothing() {
    let room = Room::new();
    let whole = room.file("whole", &noise(50_000, 1));
    room.file("theirs", "somebody's");
    let ask = |deliveries: &[Delivery]| Request::new(room.at("file"), deliveries.to_vec());
    let one = || ask(&[from(&whole, 0)]);
    let long = Delivery::new(Sender::File("-".into()), 0, None);
    let mut sized = ask(&[from(&whole, 1)]);
    sized.length = Some(50_000);
    let mut little = ask(&[from(&whole, 0), from(&whole, 0)]);
    little.memory = 65_535;
    let mut endless = ask(&[from(&whole, 0)]);
    endless.length = Some(u64::MAX);
    let far = ask(&[from(&whole, u64::MAX - 3)]);
    for (request, wanted) in [
        (ask(&[long]), "- has no known end"),
        (sized, "beyond the end"),
        (little, "2 senders need 65536 bytes"),
        (endless, "no tree that can be held"),
        (far, "beyond the end"),
        (Request::new(room.at("theirs"), [from(&whole, 0)]), "exists and is not empty"),
        (Request::new(&whole, [from(&whole, 0)]), "which is read"),
        (with(Request::new(&whole, [from(&whole, 0)]), |request| request.replace = true), "which is read"),
        (with(one(), |request| request.tree = room.at("file")), "are the same file"),
        (with(one(), |request| (request.tree, request.replace) = (whole.clone(), true)), "which is read"),
        (with(one(), |request| request.tree = room.at("theirs")), "exists and is not empty"),
    ] {
        let error = receive(&request).unwrap_err();
        assert!(error.to_string().replace(": ", " ").contains(&wanted.replace(": ", " ")), "{wanted}: {error}");
        assert_eq!(error.kind(), Kind::Request, "{error}");
        assert_eq!(room.names(), ["theirs", "whole"], "{wanted}");
    }
    let error = receive(&ask(&[from(room.at("none"), 0)])).unwrap_err();
    assert!(matches!(error.kind(), Kind::Input | Kind::Request) && room.names() == ["theirs", "whole"], "{error}");
}

#[test]
fn a_receipt_of_something_else_is_named_and_stays() {
    let room = Room::new();
    let (data, rest) = half(&room, ("blake3", 1024));
    let receipt = fs::read(room.at("file.receipt")).unwrap();
    let longer = with(rest.clone(), |request| request.length = Some(200_001));
    let other = by(rest.clone(), ("sha256", 1024));
    let leaf = by(rest.clone(), ("blake3", 2048));
    for request in [longer, other, leaf] {
        let error = receive(&request).unwrap_err();
        assert!(matches!(error.find(), Some(Problem::Receipt { .. })) && error.kind() == Kind::Request, "{error}");
    }
    let mut torn = receipt.clone();
    torn[100] ^= 1;
    fs::write(room.at("file.receipt"), &torn).unwrap();
    let error = receive(&rest).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Receipt { .. })) && error.kind() == Kind::Input, "{error}");
    // Any other file of that name is somebody else's.
    fs::write(room.at("file.receipt"), "theirs").unwrap();
    assert!(matches!(receive(&rest).unwrap_err(), Error::Refused(_)));
    fs::write(room.at("file.receipt"), receipt).unwrap();
    assert_received(&room, &data, ("blake3", 1024), &receive(&rest).unwrap());
}

/// A run that ended between the last name of the file and the removal of the receipt.
#[test]
fn a_file_that_has_its_name_and_a_receipt_is_compared_and_finished() {
    for tree in TREES {
        let room = Room::new();
        let (data, rest) = half(&room, tree);
        let receipt = fs::read(room.at("file.receipt")).unwrap();
        // A receipt that is not of a whole file gives no right to the file.
        fs::rename(room.at("file.partial"), room.at("file")).unwrap();
        assert!(matches!(receive(&rest).unwrap_err(), Error::Refused(_)), "{tree:?}");
        fs::rename(room.at("file"), room.at("file.partial")).unwrap();
        let complete = complete_receipt(&data, tree);
        assert_ne!(complete, receipt);
        fs::remove_file(room.at("file.partial")).unwrap();
        fs::write(room.at("file.receipt"), &complete).unwrap();
        // Nobody need send anything again.
        let mut altered = data.clone();
        altered[123_456] ^= 1;
        fs::write(room.at("file"), &altered).unwrap();
        assert!(matches!(receive(&rest).unwrap_err().find(), Some(Problem::Altered { .. })), "{tree:?}");
        assert!(fs::read(room.at("file")).unwrap() == altered, "it stays");
        fs::write(room.at("file"), &data).unwrap();
        let summary = receive(&rest).unwrap();
        assert_eq!(summary.done, TreeWork::Received { before: 200_000 });
        assert_received(&room, &data, tree, &summary);
    }
}

/// The receipt of a file that has come as a whole.
fn complete_receipt(data: &[u8], (name, leaf): (&str, usize)) -> Vec<u8> {
    let kind = match Function::named(name) {
        None => TreeKind::Flat(Shape::of(algorithm(name)).unwrap()),
        Some(function) => TreeKind::Pairs(Parameters::new(function, leaf).unwrap()),
    };
    let (all, executor) = (0..data.len() as u64, pfh::executor(1));
    let mut arrivals = Arrivals::new(kind, all.end);
    arrivals.claim(all.clone()).unwrap();
    assert!(arrivals.place(all.clone(), kind.values(all.end, 0, data, &executor)).is_empty());
    arrivals.receipt()
}

fn algorithm(name: &str) -> pfh::digest::Algorithm {
    name.parse::<pfh::Algorithm>().unwrap().into()
}

#[test]
fn another_run_on_the_same_file_is_refused() {
    let room = Room::new();
    let (data, rest) = half(&room, ("kt128", 0));
    let held = fs::File::open(room.at("file.partial")).unwrap();
    held.lock().unwrap();
    let error = receive(&rest).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Busy(_))), "{error}");
    // Not only closed: a child of another test may have the descriptor for a moment.
    held.unlock().unwrap();
    assert_received(&room, &data, ("kt128", 0), &receive(&rest).unwrap());
}

/// Connections, which come in any order and in small writes.
#[test]
fn senders_that_connect() {
    let data = noise(600_000, 2);
    let cut = 333_333;
    let room = Room::new();
    let deliveries = [
        Delivery::new(Sender::Tcp("127.0.0.1:0".into()), cut as u64, None),
        Delivery::new(Sender::Tcp("127.0.0.1:0".into()), 0, Some(cut as u64)),
    ];
    let mut request = Request::new(room.at("file"), deliveries);
    request.length = Some(600_000);
    let mut addresses: Vec<SocketAddr> = Vec::new();
    let mut senders = Vec::new();
    let summary = receive::run(
        &request,
        &mut |event| {
            if let Event::Listening(address) = event {
                addresses.push(address);
                let bytes = if addresses.len() == 1 { data[cut..].to_vec() } else { data[..cut].to_vec() };
                senders.push(std::thread::spawn(move || {
                    let mut stream = TcpStream::connect(address).unwrap();
                    bytes.chunks(1777).for_each(|some| stream.write_all(some).unwrap());
                }));
            }
            Ok(())
        },
        &Control::new(),
    );
    senders.into_iter().for_each(|sender| sender.join().unwrap());
    assert_received(&room, &data, ("blake3", 16 << 10), &summary.unwrap());
}

/// A sender that ends too early, or brings too much, and one that nobody is: cancelled.
#[cfg(unix)]
#[test]
fn streams_that_end_early_or_late_or_never() {
    let room = Room::new();
    let data = noise(100_000, 7);
    room.file("whole", &data);
    room.sh("mkfifo a b");
    let ask = |length: Option<u64>| {
        let mut request = Request::new(room.at("file"), [Delivery::new(Sender::File(room.at("a")), 0, length)]);
        request.length = Some(100_000);
        request
    };
    let feed = |bytes: &[u8]| {
        let (path, bytes) = (room.at("a"), bytes.to_vec());
        // The reader may be satisfied before the end.
        std::thread::spawn(move || _ = fs::write(path, bytes))
    };
    for length in [None, Some(100_000)] {
        let sender = feed(&data[..60_000]);
        let error = receive(&ask(length)).unwrap_err();
        let Some(Problem::Awaited { missing, .. }) = error.find() else { panic!("{error}") };
        assert!(missing.iter().eq([&(60_000..100_000)]), "{length:?}: {missing:?}");
        sender.join().unwrap();
    }
    let sender = feed(&[&data[..], b"more"].concat());
    let error = receive(&ask(None)).unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Piece { .. })), "{error}");
    sender.join().unwrap();
    // The end of the sender was not seen: it is asked again, and brings too much again.
    let sender = feed(&[&data[..], b"more"].concat());
    assert!(matches!(receive(&ask(None)).unwrap_err().find(), Some(Problem::Piece { .. })));
    sender.join().unwrap();
    assert!(!room.at("file").exists());
    let sender = feed(&data);
    assert_received(&room, &data, ("blake3", 16 << 10), &receive(&ask(None)).unwrap());
    sender.join().unwrap();
    fs::remove_file(room.at("file")).unwrap();
    // Nobody writes.
    let control = Control::new().with_cancel(Arc::new(AtomicBool::new(true)));
    let never = with(ask(None), |request| request.deliveries = vec![from(room.at("b"), 0)]);
    let error = receive::run(&never, &mut |_| Ok(()), &control).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
    assert!(matches!(error.find(), Some(Problem::Interrupted(_))));
    // One FIFO cannot be two senders.
    std::os::unix::fs::symlink(room.at("a"), room.at("link")).unwrap();
    let mut twice = ask(None);
    twice.deliveries.push(from(room.at("link"), 50));
    assert!(matches!(receive(&twice).unwrap_err().find(), Some(Problem::SameStream { .. })));
}

/// A sender that was written to while it was read: no root rests on it, and the next run compares.
#[test]
fn a_sender_that_changes_meanwhile_gives_no_root() {
    let room = Room::new();
    let data = noise(64 << 10, 9);
    let file = room.file("sender", &data);
    let append = || fs::File::options().append(true).open(&file).unwrap().write_all(b"!").unwrap();
    // Both are open before the first byte; the first waits for the second's end.
    let mut request = Request::new(room.at("file"), [from(&file, 0)]);
    request.deliveries.push(Delivery::new(Sender::Tcp("127.0.0.1:0".into()), 0, Some(1)));
    request.length = Some(64 << 10);
    let (mut failed, mut sender) = (0, None);
    let ran = receive::run(
        &request,
        &mut |event| {
            match event {
                Event::Listening(address) => {
                    append();
                    let first = data[0];
                    sender = Some(std::thread::spawn(move || {
                        TcpStream::connect(address).unwrap().write_all(&[first]).unwrap();
                    }));
                }
                Event::Failed(Failure::Read { file, .. }) if file.ends_with("sender") => failed += 1,
                _ => {}
            }
            Ok(())
        },
        &Control::new(),
    );
    sender.unwrap().join().unwrap();
    let error = ran.unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Doubtful { failed: 1, .. })) && failed == 1, "{error}");
    assert_eq!(error.kind(), Kind::Input);
    assert!(!room.at("file").exists());
    // Now it is longer than the file: that is found again.
    let again = with(request, |request| _ = request.deliveries.pop());
    assert!(matches!(receive(&again).unwrap_err().find(), Some(Problem::Piece { .. })));
    fs::write(&file, &data).unwrap();
    assert_received(&room, &data, ("blake3", 16 << 10), &receive(&again).unwrap());
}

#[test]
fn trees_under_a_key() {
    let room = Room::new();
    let data = noise(150_000, 3);
    let key = room.file("key", &[9; 32]);
    let secret = Secret::read(&key).unwrap();
    for name in ["blake3-keyed", "hmac-sha256", "hmac-sha3-256", "kmac256"] {
        let request = Request::new(room.at(name), parts(&room, &data, &[70_000..150_000, 0..70_000]));
        let summary = receive(&request.clone().algorithm(name, Some(1024), Some(&secret)).unwrap()).unwrap();
        let whole = room.file("whole", &data);
        let build = pfh::tree::build::Request::file(&whole).algorithm(name, Some(1024), Some(&secret)).unwrap();
        assert_eq!(crate::trees::build(&build).unwrap().root, summary.root, "{name}");
        assert!(tree_of(&whole) == tree_of(&room.at(name)), "{name}");
        assert!(request.algorithm(name, None, None).is_err());
        fs::remove_file(room.at("whole.pfhtree")).unwrap();
    }
    let onto = Request::new(room.at("x"), [from(room.at("whole"), 0)]);
    let mut keyed = onto.algorithm("kmac256", None, Some(&secret)).unwrap();
    (keyed.tree, keyed.replace) = (key, true);
    assert!(matches!(receive(&keyed).unwrap_err(), Error::Refused(_)));
}
