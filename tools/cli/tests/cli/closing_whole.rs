//! Each number of each closing sentence of a run that ends by itself.
#![cfg(unix)]

use crate::closing_table::{Whole, room, shell, wrong};
use pfh_inject::{Need, lacks};

const TABLE: &[Whole] = &[
    Whole {
        before: "$0 hash -r d -o list; printf more >> d/3; rm d/4",
        line: "check --io plain list",
        code: 1,
        sentences: &[
            (
                "{} of {} files verified against list: sha256; {} not as the manifest has it; {} missing; {} file read a \
                 second time: {} differed both times",
                &[
                    "lines ': OK$' out",
                    "wc -l < list",
                    "echo $(($(opened 'd/[^>]*') - $(lines ': OK$' out)))",
                    "echo $(($(wc -l < list) - $(files d)))",
                    "lines 'FAILED$' out",
                    "lines 'FAILED$' out",
                ],
            ),
            ("WARNING: {} listed file could not be read", &["lines 'FAILED open or read' out"]),
            ("WARNING: {} computed checksum did NOT match", &["lines 'FAILED$' out"]),
        ],
    },
    // Two algorithms; some files have a digest of one alone.
    Whole {
        before: "$0 hash -r d -a sha256,md5 -f bsd -o all; grep -v '^MD5 (d/[0-4])' all > list",
        line: "check --io plain list",
        code: 0,
        sentences: &[("{} files verified against list: md5 ({}), sha256", &["opened 'd/[^>]*'", "grep -c ^MD5 list"])],
    },
    Whole {
        before: "$0 hash -r d -o list; printf more >> d/3; rm d/4; mv d/5 d/moved; cp d/6 d/copy; echo > d/new",
        line: "check --audit --io plain list d",
        code: 1,
        sentences: &[
            (
                "audit of {} files against {} entries: {} matched, {} metadata-only, {} modified, {} bit-rot, {} moved, \
                 {} copied, {} new, {} missing, {} unverified, {} error",
                &[
                    "opened 'd/[^>]*'",
                    "wc -l < list",
                    "sha256sum -c list 2>&1 | lines ': OK$'",
                    "echo 0",
                    "sha256sum -c list 2>&1 | lines ': FAILED$'",
                    "echo 0",
                    "lines '^moved ' out",
                    "lines '^copied ' out",
                    "lines '^new ' out",
                    "lines '^missing ' out",
                    "echo 0",
                    "echo 0",
                ],
            ),
            (
                "{} of {} files verified against list: sha256; {} not as the manifest has it; {*}",
                &[
                    "sha256sum -c list 2>&1 | lines ': OK$'",
                    "wc -l < list",
                    "lines '^(modified|moved|copied|new|missing) ' out",
                ],
            ),
        ],
    },
    Whole {
        before: "cp -r d e; printf more >> e/3; rm e/4; echo > e/new; echo > e/newer",
        line: "diff --io plain d e",
        code: 1,
        sentences: &[(
            "d and e differ: {} changed, {} added, {} removed; {} same by sha256",
            &[
                "diff -rq d e | lines '^Files'",
                "diff -rq d e | lines '^Only in e'",
                "diff -rq d e | lines '^Only in d'",
                "echo $(($(opened 'd/[^>]*') - 2))",
            ],
        )],
    },
    Whole {
        before: "cp -r d e; sleep 3; $0 diff --cache c d e; echo > d/new; cp d/new e",
        line: "diff --io plain --cache c d e",
        code: 0,
        sentences: &[(
            "d and e are the same: {} files by sha256; {} files were not read again",
            &["files d", "echo $(($(files d e) - $(opened 'd/[^>]*') - $(opened 'e/[^>]*')))"],
        )],
    },
    Whole {
        before: "mkdir b; mv d b/data",
        line: "bag create --io plain b",
        code: 0,
        sentences: &[("b: a bag of {} files, {} bytes, by sha512", &["opened 'b/data/[^>]*'", "bytes 'b/data/[^>]*'"])],
    },
    Whole {
        before: "mkdir b; mv d b/data; $0 bag create b",
        line: "bag validate --io plain b",
        code: 0,
        sentences: &[(
            "b: a valid bag: {} files and {} tag files are as its manifests say, by sha512",
            &["opened 'b/data/[^>]*'", "wc -l < b/tagmanifest-sha512.txt"],
        )],
    },
    Whole {
        before: "mkdir b; mv d b/data; $0 bag create b; printf more >> b/data/1; rm b/data/2; echo > b/data/new",
        line: "bag validate --io plain b",
        code: 1,
        sentences: &[(
            "b: no valid bag: {} errors; {} files and {} tag files are as its manifests say, by sha512",
            &["lines '^error ' out", "echo $(($(opened 'b/data/[^>]*') - 2))", "wc -l < b/tagmanifest-sha512.txt"],
        )],
    },
    Whole {
        before: "ln -s 1 d/link",
        line: "plan -r d -o plan --files 5",
        code: 0,
        sentences: &[(
            "{} units: {} files, {} bytes; {} skipped, {} cannot be listed",
            &["ls plan/units | wc -l", "files d", "size d", "find d -type l | wc -l", "echo 0"],
        )],
    },
    Whole {
        before: "$0 plan -r d -o plan --files 5; rm d/6 d/7",
        line: "run --io plain plan --unit 2",
        code: 3,
        sentences: &[(
            "{} of {} files have no digest in the unit",
            &["lines ENOENT err", "echo $(($(lines ENOENT err) + $(opened 'd/[^>]*')))"],
        )],
    },
    Whole {
        before: "$0 plan -r d -o plan --files 5; rm d/0 d/7; for n in 1 2 3; do $0 run plan --unit $n; done",
        line: "merge plan -o list",
        code: 3,
        sentences: &[(
            "{} of {} files have no digest in the output",
            &[
                "echo $(($(sed -n 's/.*\"entries\":\\([0-9]*\\).*/\\1/p' plan/plan.json) - $(wc -l < list)))",
                "cat plan/units/* | tr '\\0' '\\n' | wc -l",
            ],
        )],
    },
    Whole {
        before: "true",
        line: "acquire disk --to image",
        code: 0,
        sentences: &[("disk: {} bytes ({*}) in {*} s, {*} MB/s", &["size image"])],
    },
    Whole {
        before: "printf '0 + 1\\n0 0x10000 +\\n0x10000 0x2000 -\\n0x12000 0x1000 +\\n0x13000 0x200 -\\n0x13200 0x361e0 +\\n' > faults",
        line: "acquire --map-as-faults faults disk --to image",
        code: 3,
        sentences: &[
            ("disk: {} bytes ({*}) in {*} s, {*} MB/s", &["size image"]),
            (
                "{} bytes were unreadable and are filled in; the digests are those of the filled image",
                &["mapped - image.map"],
            ),
        ],
    },
    Whole {
        before: "true",
        line: "acquire --verify disk --to image.E01",
        code: 0,
        sentences: &[
            ("disk: {} bytes ({*}) in {*} s, {*} MB/s", &["size disk"]),
            (
                "padded with {} zero bytes to whole sectors: the digests are those of the padded image",
                &["$0 acquire --image image.E01 --to raw >&2; echo $(($(size raw) - $(size disk)))"],
            ),
        ],
    },
    Whole {
        before: "true",
        line: "dd if=disk of=image bs=4096 count=70 skip=2",
        code: 0,
        sentences: &[
            ("{}+{} records in", &["echo $(($(size image) / 4096))", "echo $(($(size image) % 4096 > 0))"]),
            ("{}+{} records out", &["echo $(($(size image) / 4096))", "echo $(($(size image) % 4096 > 0))"]),
            ("{} bytes copied, {*} s, {*} MB/s", &["size image"]),
        ],
    },
    Whole {
        before: "$0 acquire disk --to image; printf XYZ | dd of=disk bs=1 seek=70000 conv=notrunc; truncate -s 290000 disk",
        line: "verify image --against disk",
        code: 1,
        sentences: &[
            ("image: raw, {} bytes in 1 file", &["size image"]),
            (
                "compared: {} of {} bytes of the image with {} of {} bytes of disk",
                &["size disk", "size image", "size disk", "size disk"],
            ),
            (
                "disk: differs within {} bytes from offset {} on",
                &[
                    "cmp -l image disk 2>/dev/null | wc -l",
                    "echo $(($(cmp -l image disk 2>/dev/null | awk 'NR == 1 { print $1 }') - 1))",
                ],
            ),
            ("image.log.jsonl: {} records, the chain holds: {*}", &["wc -l < image.log.jsonl"]),
        ],
    },
    Whole {
        before: "$0 tree build d",
        line: "tree check d",
        code: 0,
        sentences: &[("d: OK: {} files are those of d.pfhtree, by blake3, root {*}", &["opened 'd/[^>]*'"])],
    },
    Whole {
        before: "$0 tree build d; printf more >> d/3; printf more >> d/s/10; rm d/4; echo > d/new",
        line: "tree check d",
        code: 1,
        sentences: &[(
            "d: DIFFERS from d.pfhtree: {} changed, {} added, {} removed",
            &["lines '^changed: ' out", "lines '^added: ' out", "lines '^removed: ' out"],
        )],
    },
    Whole {
        before: "$0 tree build --leaf 1KiB disk",
        line: "tree check disk",
        code: 0,
        sentences: &[(
            "disk: OK: {} leaves are those of disk.pfhtree, blake3 root {*}",
            &["echo $((($(bytes disk) + 1023) / 1024))"],
        )],
    },
    Whole {
        before: "$0 hash -r d -a sha256,md5 -f hashdeep -o list; cp d/1 twin; $0 hash twin -o other; echo 'no digest' >> other",
        line: "known build --bad list --good other set",
        code: 3,
        sentences: &[
            ("{} sets, distinct digests: {} md5, {} sha256", &["echo 2", "files d", "files d"]),
            ("{} place holds no record; what it was meant to hold is not in the file", &["lines '^no' other"]),
        ],
    },
    Whole {
        before: "true",
        line: "known build --blocks 512 --bad d set",
        code: 0,
        sentences: &[(
            "1 set of {} files, distinct blocks: {} of 512 bytes",
            &[
                "opened 'd/[^>]*'",
                "find d -type f -printf '%s\\n' | awk '{ n += int($1 / 512) + ($1 % 512 > 0) } END { print n }'",
            ],
        )],
    },
    Whole {
        before: "$0 hash -r d -o list; $0 known build --bad list set; md5sum d/* > other 2>/dev/null",
        line: "lookup -k set < other",
        code: 3,
        sentences: &[(
            "{} digests have algorithms that no set holds: nothing to compare them with",
            &["wc -l < other"],
        )],
    },
    Whole {
        before: "$0 hash -r d missing gone -f jsonl > list",
        line: "export list --to bodyfile -o body",
        code: 3,
        sentences: &[(
            "{} records became {} rows; {} errors have no time and are left out",
            &["lines '\"type\":\"(file|error)\"' list", "wc -l < body", "lines '\"type\":\"error\"' list"],
        )],
    },
    Whole {
        before: "$0 hash -r d -o list; $0 hash d/1 -f jsonl > lines; echo torn > text; $0 acquire disk --to image",
        line: "report list lines text image.log.jsonl --html page",
        code: 3,
        sentences: &[(
            "{} results with {} records are on the page; {} seal or chain holds; {} file not understood or not whole",
            &[
                "echo 3",
                "echo $(($(wc -l < list) + 1 + $(wc -l < image.log.jsonl)))",
                "echo 1",
                "lines '^pfh: text: ' err",
            ],
        )],
    },
    Whole {
        before: "(cd d && zip -qr ../in.zip .); printf 'StuffIt (c)1997-' > a.sit; cp a.sit b.sit",
        line: "hash --inside -o list in.zip a.sit b.sit",
        code: 3,
        sentences: &[
            ("containers not opened: {}; their contents were not read", &["lines 'recognised, not read' err"]),
            (
                "{} of {} files have no digest in the output",
                &[
                    "lines 'recognised, not read' err",
                    "echo $(($(wc -l < list) + $(lines 'recognised, not read' err)))",
                ],
            ),
        ],
    },
    Whole {
        before: "$0 hash -r d -a sha256 -f hashdeep -o list",
        line: "known export list --to hashdeep out-list",
        code: 0,
        sentences: &[("{} items exported", &["lines '^[0-9]' out-list"])],
    },
];

#[test]
fn each_number_is_counted_where_it_happens() {
    if lacks(&[Need::Program("strace"), Need::Program("zip")]) {
        return;
    }
    let mut all = Vec::new();
    for row in TABLE {
        let room = room();
        shell(&room, &format!("({}) >/dev/null 2>&1", row.before));
        let trace = "strace -ff -y -qq -s 0 -e trace=read,pread64,readv,preadv,preadv2,write,pwrite64,writev,io_uring_setup -e inject=io_uring_setup:error=ENOSYS -o t";
        let seen = shell(&room, &format!("{trace} \"$0\" {} >out 2>err", row.line));
        if seen.code != Some(row.code) {
            let said = std::fs::read_to_string(room.path().join("err")).unwrap_or_default();
            all.push(format!("{}: {:?}\n{said}", row.line, seen.code));
        }
        all.extend(wrong(&room, row.sentences).iter().map(|wrong| format!("{}: {wrong}", row.line)));
    }
    assert!(all.is_empty(), "{} are wrong:\n{}", all.len(), all.join("\n"));
}
