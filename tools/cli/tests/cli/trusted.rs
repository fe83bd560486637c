//! Files that are signed or verified are read once, and states that two runs share are taken in
//! turns.
#![cfg(unix)]

use crate::program::{Room, keys, pfh, sha256};
use pfh_inject::{File, Files, Need, Trial, lacks};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The contents of a file of the room.
fn read(room: &Room, name: &str) -> Vec<u8> {
    fs::read(room.path().join(name)).unwrap()
}

/// A file system that gives the signed file when it is opened first, and a forged one that fits the
/// changed evidence ever after: no command takes the one for the other.
#[test]
fn a_second_opening_finds_nothing_to_believe() {
    if lacks(&[Need::Fuse]) {
        return;
    }
    let room = Room::new();
    keys(&room);
    room.file("d/a", b"one");
    let seen = pfh(&room, "hash -q -r d -o list --seal --key k.pem");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let (list, seal) = (read(&room, "list"), read(&room, "list.seal"));
    room.file("d/a", b"two");
    let forged = String::from_utf8(list.clone()).unwrap().replace(&sha256(b"one"), &sha256(b"two")).into_bytes();
    for words in ["check --key k.pub M/list", "diff M/list d", "check --audit --key k.pub M/list d"] {
        let lying = File::of("list", list.clone()).then(forged.clone());
        let mounted = Files::new().with(lying).with(File::of("list.seal", seal.clone())).mount().unwrap();
        let seen = pfh(&room, &words.replace('M', &mounted.path().display().to_string()));
        assert_eq!(seen.code, Some(1), "{words}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    }
    // The log of an image: the chain of the one, and what the other states.
    for (name, content) in [("s", vec![1_u8; 8192]), ("t", vec![2_u8; 8192])] {
        room.file(name, &content);
        let words = format!("acquire {name} --to {name}/i.dd --key k.pem --no-progress");
        fs::create_dir(room.path().join(format!("{name}.d"))).unwrap();
        let seen = pfh(&room, &words.replace(&format!("{name}/"), &format!("{name}.d/")));
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    }
    let files = |of: &str, name: &str| read(&room, &format!("{of}.d/{name}"));
    let mut forged = files("t", "i.dd.log.jsonl");
    let signed = files("s", "i.dd.log.jsonl");
    forged.resize(signed.len(), b'\n');
    for lying in ["i.dd.log.jsonl", "i.dd.log"] {
        let mut mounted = Files::new().with(File::of("i.dd", files("t", "i.dd")));
        for name in ["i.dd.log.jsonl", "i.dd.log"] {
            let file = File::of(name, files("s", name));
            let mut other = files("t", name);
            other.resize(files("s", name).len(), b'\n');
            mounted = mounted.with(if name == lying { file.then(other) } else { file });
        }
        let mounted = mounted.mount().unwrap();
        let seen = pfh(&room, &format!("verify {}/i.dd --key k.pub --no-progress", mounted.path().display()));
        assert_eq!(seen.code, Some(1), "{lying}: {}{}", String::from_utf8_lossy(&seen.stdout), seen.stderr);
    }
}

/// Somebody puts another list in the place of each list that appears: the seal is of the list that
/// was written.
#[test]
fn a_list_that_is_swapped_is_not_sealed() {
    let room = Room::new();
    keys(&room);
    for number in 0..40 {
        room.file(format!("d/{number}"), format!("content {number}").as_bytes());
    }
    pfh(&room, "hash -q -r d -o true");
    let written = read(&room, "true");
    let forged = String::from_utf8(written.clone()).unwrap().replace(&sha256(b"content 7"), &"0".repeat(64));
    for round in 0..8 {
        let list = room.path().join("l");
        let (watched, other) = (list.clone(), room.file("forged", forged.as_bytes()));
        let swapper = std::thread::spawn(move || {
            let end = Instant::now() + Duration::from_secs(20);
            while Instant::now() < end {
                if watched.exists() {
                    return fs::rename(&other, &watched).is_ok();
                }
            }
            false
        });
        let seen = pfh(&room, "hash -q -r d -o l --seal --key k.pem");
        assert!(swapper.join().unwrap() && seen.code == Some(0), "{round}: {}", seen.stderr);
        let seen = pfh(&room, "check --key k.pub --status l");
        assert_eq!(seen.code, Some(1), "{round}: the swapped list");
        fs::write(&list, &written).unwrap();
        let seen = pfh(&room, "check --key k.pub --status l");
        assert_eq!(seen.code, Some(0), "{round}: the list that was written: {}", seen.stderr);
        for name in ["l", "l.seal"] {
            fs::remove_file(room.path().join(name)).unwrap();
        }
    }
}

/// A file that replaces a private one is private, and so are those beside it.
#[test]
fn private_files_stay_private() {
    use std::os::unix::fs::PermissionsExt;
    let room = Room::new();
    room.file("d/a", b"1");
    let script = "umask 022; P=\"$0\"; $P hash -q -r d -o l --seal; chmod 600 l; $P check -q --share 1/2 l; \
        echo 2 >d/b; $P hash -q --update l d; $P hash -q -r d -o m; chmod 640 m; $P hash -q -r d -o m --force; \
        $P hash -q -r d -o n; chmod 600 n; rm -f n.seal; $P hash -q -r d -o n --force --seal; \
        mkdir -p b/data; echo 1 >b/data/a; $P bag create -q b; chmod 600 b/*.txt; echo 2 >b/data/b; $P bag update -q b";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_pfh")]).current_dir(room.path()).stderr(Stdio::null());
    command.status().unwrap();
    let mode = |name: &str| fs::metadata(room.path().join(name)).unwrap().permissions().mode() & 0o777;
    for name in ["l", "l.seal", "l.checked", "l.1", "l.1.seal", "n", "n.seal", "b/bagit.txt"] {
        assert_eq!(mode(name) & 0o077, 0, "{name}: {:o}", mode(name));
    }
    for entry in fs::read_dir(room.path().join("b")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        assert!(!name.ends_with(".txt") || mode(&format!("b/{name}")) & 0o077 == 0, "{name}");
    }
    assert_eq!(mode("m"), 0o640, "the mode of what was replaced");
}

/// A link in the place of a file whose name nobody typed came with the data: nothing is written
/// through it, also where it leads to an empty file or nowhere.
#[test]
fn no_state_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    for target in ["empty", "full", "none"] {
        let room = Room::new();
        room.file("d/a", b"1");
        assert_eq!(pfh(&room, "hash -q -r d -o l --seal").code, Some(0));
        room.file("elsewhere/empty", b"");
        room.file("elsewhere/full", b"text");
        let states = ["l.checked", "l.1", "l.seal.new", "n.seal"];
        for state in states {
            symlink(format!("elsewhere/{target}"), room.path().join(state)).unwrap();
        }
        room.file("d/b", b"2");
        for words in ["check --share 1/2 l", "hash --update l d --seal", "hash -r d -o n --seal --force"] {
            let seen = pfh(&room, words);
            assert!(seen.code == Some(2) && seen.stderr.contains("link"), "{target}, {words}: {seen:?}");
        }
        assert_eq!(read(&room, "elsewhere/empty"), b"");
        assert_eq!(read(&room, "elsewhere/full"), b"text");
        assert!(!room.path().join("elsewhere/none").exists() && !room.path().join("n").exists());
        assert!(states.iter().all(|state| room.path().join(state).is_symlink()));
    }
}

/// The same of the files beside an image, a tree and a set, and of directories.
#[test]
fn nothing_beside_an_output_is_written_through_a_link() {
    use std::os::unix::fs::symlink;
    let acquire = "acquire s --to i.dd -q --timestamp http://127.0.0.1:1/";
    let build = "known build --bad bad -q set";
    for (link, words) in [
        ("i.dd.log", acquire),
        ("i.dd.log.jsonl", acquire),
        ("i.dd.log.jsonl.tsr", acquire),
        ("i.dd.map", acquire),
        ("i.dd.map.new", acquire),
        ("set.work", build),
        ("set.partial", build),
        ("s.pfhtree", "tree build -q s"),
        ("d.pfhtree", "tree build -q d"),
    ] {
        for target in ["empty", "full", "directory", "none"] {
            let room = Room::new();
            room.file("s", &[1; 4096]);
            room.file("d/a", b"1");
            room.file("bad", b"900150983cd24fb0d6963f7d28e17f72  letter\n");
            room.file("elsewhere/empty", b"");
            room.file("elsewhere/full", b"text");
            fs::create_dir(room.path().join("elsewhere/directory")).unwrap();
            symlink(format!("elsewhere/{target}"), room.path().join(link)).unwrap();
            let seen = pfh(&room, words);
            let is_named = target == "directory" || seen.stderr.contains("link");
            assert!(seen.code == Some(2) && is_named, "{link} to {target}: {seen:?}");
            assert_eq!((read(&room, "elsewhere/empty"), read(&room, "elsewhere/full")), (vec![], b"text".to_vec()));
            assert_eq!(fs::read_dir(room.path().join("elsewhere/directory")).unwrap().count(), 0, "{link}");
            assert!(!room.path().join("elsewhere/none").exists() && room.path().join(link).is_symlink(), "{link}");
        }
    }
}

/// A file that is replaced keeps its owner, its access control list and its other attributes.
#[test]
fn a_file_that_is_replaced_keeps_its_rights() {
    use std::os::unix::fs::MetadataExt;
    if lacks(&[Need::Root, Need::Program("setfattr")]) {
        return;
    }
    let room = Room::new();
    room.file("d/a", b"1");
    room.file("b/data/a", b"1");
    for words in ["hash -q -r d -o l --seal", "bag create -q b"] {
        assert_eq!(pfh(&room, words).code, Some(0), "{words}");
    }
    // rw for the owner, r for user 1000, the group and the mask (acl(5), as the kernel keeps it).
    let list = "0x0200000001000600ffffffff02000400e803000004000400ffffffff10000400ffffffff20000000ffffffff";
    let kept = ["l", "l.seal", "b/manifest-sha512.txt", "b/bag-info.txt"];
    let sh = |line: &str| {
        let output = Command::new("sh").args(["-ec", line]).current_dir(room.path()).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for name in kept {
        let line = format!(
            "chown 1234:4321 {name}; chmod 640 {name}; setfattr -n system.posix_acl_access -v {list} {name}; \
             setfattr -n user.case -v 7 {name}"
        );
        if !sh(&line).0 {
            return eprintln!("skipped: the file system of {} has no such attributes", room.path().display());
        }
    }
    room.file("d/b", b"2");
    room.file("b/data/b", b"2");
    for words in ["hash -q --update l d --seal", "bag update -q b", "hash -q -r d -o l --force --seal"] {
        let before = kept.map(|name| read(&room, name));
        assert_eq!(pfh(&room, words).code, Some(0), "{words}");
        assert!(kept.iter().zip(before).any(|(name, before)| read(&room, name) != before), "{words}");
        for name in kept {
            let found = fs::metadata(room.path().join(name)).unwrap();
            assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (1234, 4321, 0o640), "{words}: {name}");
            let said = sh(&format!("getfattr -d -m - -e hex {name}")).1;
            assert!(said.contains(list) && said.contains("user.case=0x37"), "{words}: {name}: {said}");
        }
    }
}

/// A signal while a command waits for its input: what it was to write is not there.
#[test]
fn a_signal_leaves_nothing_behind() {
    for words in [
        "hash -q --files-from fifo -o out --seal",
        "hash -q --files-from fifo -f csv -o out",
        "hash -q d fifo --special read -o out --seal",
    ] {
        for signal in [1, 15, 2] {
            let room = Room::new();
            room.file("d/a", b"1");
            let made = Command::new("mkfifo").arg(room.path().join("fifo")).status().unwrap();
            assert!(made.success());
            // Open to read as well, so that opening waits for nobody.
            let mut fifo = fs::File::options().read(true).write(true).open(room.path().join("fifo")).unwrap();
            fifo.write_all(b"d/a\n").unwrap();
            let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words.split(' ')).directory(room.path());
            let seen = trial.signal_once_caught(Duration::from_millis(150), signal).run().unwrap();
            assert_eq!(seen.code, Some(128 + signal), "{words}: {}", seen.stderr);
            let left =
                fs::read_dir(room.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let left: Vec<String> = left.filter(|name| !["d", "fifo"].contains(&&**name)).collect();
            assert!(left.is_empty(), "{words}, signal {signal}: {left:?}");
        }
    }
}

/// A write beyond `ulimit -f` is an error; nothing new is left but a state that the command goes on
/// from, and the old files are as they were.
#[test]
fn a_limit_of_the_size_of_files_is_an_error() {
    let lines: String = (0..20_000).map(|number| format!("{number:032x}  n{number}\n")).collect();
    for (words, goes_on_from) in [
        ("known build --bad list -q out", "out.work"),
        ("hash -q -r d -f jsonl -o out", ""),
        ("hash -q -r d -a sha256,sha512 -o out --seal", ""),
        ("hash -q --update l d", ""),
        ("bag update -q b", ""),
        ("tree build -q s --leaf 1KiB", ""),
        ("audit tokens kept --data s --count 2000 -o out", ""),
        ("acquire s --to i.dd -q", "i.dd"),
    ] {
        let room = Room::new();
        room.file("list", lines.as_bytes());
        room.file("s", &vec![1; 3 << 20]);
        for number in 0..400 {
            room.file(format!("d/a-name-that-takes-some-room-{number}"), b"");
            room.file(format!("b/data/a-name-that-takes-some-room-{number}"), b"");
        }
        for made in ["hash -q -r d -o l --seal", "bag create -q b", "tree build -q s", "audit commit s -o kept"] {
            assert_eq!(pfh(&room, made).code, Some(0), "{made}");
        }
        fs::remove_file(room.path().join("s.pfhtree")).unwrap();
        for number in 400..1200 {
            room.file(format!("d/a-name-that-takes-some-room-{number}"), b"");
            room.file(format!("b/data/a-name-that-takes-some-room-{number}"), b"");
        }
        let before = files_of(room.path());
        let mut command = Command::new("bash");
        let line = format!("ulimit -f 64; \"$0\" {words}");
        command.args(["-c", &line, env!("CARGO_BIN_EXE_pfh")]).current_dir(room.path());
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(4) && said.contains("large"), "{words}: {:?} {said}", output.status);
        let mut after = files_of(room.path());
        after.retain(|name, _| goes_on_from.is_empty() || !name.starts_with(goes_on_from));
        let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&after), names(&before), "{words}");
        assert!(after == before, "{words}: a file is another one");
    }
}

/// The files below a directory beside the evidence, by their names, with their bytes.
fn files_of(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_file() {
            files.insert(name, fs::read(entry.path()).unwrap());
        } else if name != "data" && name != "d" {
            files.extend(files_of(&entry.path()).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        }
    }
    files
}

/// A server that answers on this port, and its end.
pub struct Serving(Child, SocketAddr);

impl Serving {
    /// Nobody reads its standard error.
    pub fn start(room: &Room, words: &str) -> Serving {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pfh"));
        command.args(words.split(' ')).current_dir(room.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut said, mut byte) = (String::new(), [0]);
        while !said.ends_with('\n') {
            assert_eq!(child.stdout.as_mut().unwrap().read(&mut byte).unwrap(), 1, "{said}");
            said.push(byte[0] as char);
        }
        let address = said.split("://").nth(1).unwrap().split(['/', ' ', '\n', ',']).next().unwrap();
        let address = address.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        Serving(child, address)
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.1)
    }

    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(self.1).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let _ = stream.write_all(request.as_bytes());
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }

    /// Ends by SIGTERM.
    pub fn end(mut self) {
        let killed = Command::new("kill").arg(self.0.id().to_string()).status().unwrap();
        assert!(killed.success());
        for _ in 0..500 {
            if self.0.try_wait().unwrap().is_some() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.0.kill().unwrap();
        panic!("SIGTERM does not end it");
    }
}

#[test]
fn servers_answer_though_nobody_reads_their_standard_error() {
    let room = Room::new();
    room.file("d/f", &[7; 4096]);
    room.file("c/l.md5", b"900150983cd24fb0d6963f7d28e17f72  letter\n");
    assert_eq!(pfh(&room, "tree build d/f").code, Some(0));
    for words in ["audit serve d --listen 127.0.0.1:0", "report c --serve=0"] {
        let serving = Serving::start(&room, words);
        for number in 0..3000 {
            let answer = serving.ask("POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc");
            assert!(answer.starts_with("HTTP/1.1 4"), "{words}, request {number}: {answer:?}");
        }
        // A head that is too long is answered, and not cut off.
        let long = format!("GET / HTTP/1.1\r\nHost: x\r\nA: {}\r\n\r\n", "x".repeat(100_000));
        assert!(serving.ask(&long).starts_with("HTTP/1.1 431"), "{words}");
        serving.end();
    }
}

#[test]
fn slow_clients_do_not_shut_the_page() {
    let room = Room::new();
    room.file("c/l.md5", b"900150983cd24fb0d6963f7d28e17f72  letter\n");
    let serving = Serving::start(&room, "report c --serve=0");
    let mut slow = Vec::new();
    for _ in 0..200 {
        let mut stream = TcpStream::connect(serving.1).unwrap();
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nHo");
        slow.push(stream);
    }
    let answer = serving.ask(&format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", serving.1));
    assert!(answer.starts_with("HTTP/1.1 200"), "{}", answer.lines().next().unwrap_or_default());
    drop(slow);
    serving.end();
}

/// Each token is good for one audit, also where several audits begin at once.
#[test]
fn a_token_is_used_once() {
    let room = Room::new();
    for copy in ["img", "sv/img"] {
        room.file(copy, &[9; 100_000]);
    }
    for words in ["tree build sv/img", "tree build img", "audit commit img -o kept"] {
        let seen = pfh(&room, words);
        assert_eq!(seen.code, Some(0), "{words}: {}", seen.stderr);
    }
    let seen = pfh(&room, "audit tokens kept --data img --count 12 -o tok");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    let serving = Serving::start(&room, "audit serve sv --listen 127.0.0.1:0 -q");
    let url = serving.url();
    let mut good = 0;
    for _ in 0..3 {
        let ask = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_pfh"));
            command.args(["audit", "ask", &url, "--tokens", "tok"]).current_dir(room.path());
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let asked: Vec<Child> = (0..3).map(|_| ask()).collect();
        good +=
            asked.into_iter().filter_map(|mut one| one.wait().ok()).filter(std::process::ExitStatus::success).count();
    }
    let text = String::from_utf8(read(&room, "tok")).unwrap();
    let used = text.lines().filter(|line| line.starts_with("used ")).count();
    assert_eq!((good, used), (9, 9), "as many tokens as audits");
    serving.end();
}

/// Two media in turn in one loop device have nothing in common, however alike their facts are: not
/// for a cache, not for a list's times, not for a catalogue, and not below an overlay.
#[test]
fn media_in_one_drive_share_no_digest() {
    let programs = ["mksquashfs", "mkfs.erofs", "mount", "losetup"].map(Need::Program);
    if lacks(&[&[Need::Loop], &programs[..]].concat()) {
        return;
    }
    let squashfs = "mksquashfs $x $x.i -all-time 1700000000 -mkfs-time 1700000000 -noappend -quiet >/dev/null";
    let erofs = "mkfs.erofs -T 1700000000 -U 00000000-0000-0000-0000-000000000001 $x.i $x >/dev/null 2>&1";
    for (kind, make, lies_over) in
        [("squashfs", squashfs, false), ("erofs", erofs, false), ("squashfs", squashfs, true)]
    {
        let room = Room::new();
        let (over, under) = match lies_over {
            true => ("mount -t overlay overlay -o lowerdir=m:e o", "umount o"),
            false => ("mount --bind m o", "umount o"),
        };
        let script = format!(
            "set -e; P=\"$0\"; mkdir a b e m o; for x in a b; do echo conf-$x >$x/conf; \
             touch -d @1700000000 $x/conf $x; {make}; done; L=$(losetup -f); \
             for x in a b; do mount -t {kind} -o ro,loop=$L $x.i m; {over}; r=0; \
             $P hash -q -r o --cache c -f jsonl -o list.$x || r=$?; \
             if [ $x = a ]; then $P tree build -q o || r=$?; \
             else cp list.a upd; $P hash --update upd --trust-times o 2>said || true; \
             $P tree update -q o || r=$?; $P tree check o >checked || r=$?; fi; \
             {under}; umount m; sleep 0.5; [ $r = 0 ]; done"
        );
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script, env!("CARGO_BIN_EXE_pfh")]).current_dir(room.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
        for (list, content) in [("list.a", "conf-a\n"), ("list.b", "conf-b\n")] {
            let text = String::from_utf8(read(&room, list)).unwrap();
            assert!(text.contains(&sha256(content.as_bytes())), "{kind}: {list}: {text}");
        }
        let said = String::from_utf8(read(&room, "said")).unwrap();
        assert!(said.contains("bit rot"), "{kind}: the times of the other image are not trusted: {said}");
    }
}
