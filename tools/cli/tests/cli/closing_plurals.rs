//! Sentences of one thing have no plural: "1 files", "states 1 digests".
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Outcome, Trial};

/// Words that end as plurals do, and are none.
const SINGULAR: &[&str] =
    &["is", "was", "has", "does", "gives", "class", "pass", "its", "holds", "says", "kes", "less"];

fn shell(room: &Room, line: &str) -> Outcome {
    Trial::new("sh").args(["-c", line, env!("CARGO_BIN_EXE_pfh")]).directory(room.path()).run().unwrap()
}

/// The first "1 <word>s" of a text, perhaps with an adjective between: "1 listed files".
fn plural(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let words: Vec<&str> = line.split(|c: char| c.is_whitespace() || c == '(').collect();
        words.windows(2).find_map(|pair| {
            let [number, word] = pair else { return None };
            let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_plural = word.ends_with('s') && word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_lowercase());
            (*number == "1" && is_plural && !SINGULAR.contains(&word)).then(|| line.to_owned())
        })
    })
}

/// One of everything: a file, a record, a leaf, a set, a round.
const LINES: &[&str] = &[
    "hash -v d/only",
    "hash d/only d/none",
    "hash -r d -o list --seal --cache cache",
    "hash -r d -f jsonl -o lines",
    "hash -r -a ssdeep d",
    "check list",
    "check --share 1/1 list",
    "check --ignore-missing gone",
    "check gone",
    "check wrong",
    "check torn",
    "check --audit list d",
    "check --audit wrong d",
    "check --audit -f hashdeep list d",
    "check --update list d",
    "check -n list",
    "diff d e",
    "diff list e",
    "dups --no-progress d e",
    "dups d e --script script",
    "compare d e",
    "compare -a sha256 --cluster d e",
    "compare -a ssdeep --stats text d e",
    "match -k list d/only",
    "match -k torn d/only",
    "match -r -k wrong d",
    "known build set --bad list",
    "known build blocks --blocks 512 --bad d",
    "known build torn-set --bad torn",
    "known info --verify set",
    "known info blocks",
    "lookup -k set --digest d41d8cd98f00b204e9800998ecf8427e",
    "tree build d/only --outboard tree",
    "tree check d/only --outboard tree",
    "tree diff tree tree",
    "tree check d/only",
    "tree build e",
    "tree check e",
    "audit commit d/only --outboard tree -o kept",
    "audit challenge kept -o challenge",
    "audit prove challenge d/only --outboard tree -o answer",
    "audit verify kept challenge answer",
    "audit verify kept challenge answer --data d/only",
    "acquire d/only --to image --verify",
    "verify image",
    "verify image --against d/only",
    "dd if=d/only of=copy hash=md5 hashlog=copy.log",
    "verify copy --log copy.log",
    "bag create bag",
    "bag validate bag",
    "list arc.tar",
    "hash -v --inside arc.tar",
    "plan -r d -o plan",
    "run plan --unit 1",
    "merge plan -o merged",
    "report lines text checked --html page",
    "report list torn --html other",
    "export lines --to bodyfile -o body",
    "export odd --to bodyfile -o body2",
];

#[test]
fn one_thing_has_no_plural() {
    let room = Room::new();
    for folder in ["d", "e"] {
        room.file(format!("{folder}/only"), b"one file alone\n");
    }
    room.file("bag/data/only", b"x");
    room.file("gone", format!("{}  d/gone\n", "0".repeat(32)).as_bytes());
    room.file("wrong", format!("{}  d/only\n", "0".repeat(32)).as_bytes());
    room.file("torn", format!("{}  d/only\n\nzzz\n", "0".repeat(32)).as_bytes());
    room.file("text", b"Dear Ada\n");
    room.file("odd", b"{\"type\":\"prophecy\"}\n");
    shell(
        &room,
        "tar -cf arc.tar e; \"$0\" check --json gone > checked 2>/dev/null; \"$0\" check --json torn >> checked",
    );
    let (mut wrong, mut unspoken) = (Vec::new(), Vec::new());
    for line in LINES {
        let seen = shell(&room, &format!("\"$0\" {line}"));
        let said = String::from_utf8_lossy(&seen.stdout) + &*seen.stderr;
        if seen.code == Some(2) || seen.code == Some(4) {
            unspoken.push(format!("{line}: {:?} {said}", seen.code));
        }
        wrong.extend(plural(&said).map(|found| format!("{line}: {found}")));
    }
    for page in ["page", "other"] {
        let text = std::fs::read_to_string(room.path().join(page)).expect("a page").replace(['<', '>'], " ");
        wrong.extend(plural(&text).map(|found| format!("{page}: {found}")));
    }
    assert!(unspoken.is_empty(), "these do not run:\n{}", unspoken.join("\n"));
    assert!(wrong.is_empty(), "plurals of one:\n{}", wrong.join("\n"));
    // It can see.
    assert!(plural("pfh: states 1 digests of it").is_some() && plural("all (1 files)").is_some());
    assert!(plural("1 file is, 11 files are, 1 of 2 files, 1 has, -1 x").is_none());
}
