//! Examples of each page beyond the first, which `help.rs` has: the purpose, and the command. Each
//! is parsed by a test.

/// A page, with purposes and the commands that serve them.
pub const MORE: &[(&str, [(&str, &str); 2])] = &[
    (
        "pfh",
        [
            ("classify every file since the manifest", "pfh check --audit list evidence/"),
            ("full help for a command", "pfh help hash"),
        ],
    ),
    (
        "hash",
        [
            ("bring a list up to date", "pfh hash --update archive.jsonl archive/"),
            (
                "every night, without rereading unchanged files",
                "pfh hash -r --cache kept -f jsonl -o today.jsonl archive/",
            ),
        ],
    ),
    (
        "compare",
        [
            ("a page for the browser, with groups", "pfh compare --cluster --html pairs.html samples/"),
            ("new files against a list of old digests", "pfh compare -a tlsh new/ --against old.tlsh"),
        ],
    ),
    (
        "match",
        [
            ("leave out known files", "pfh match -r -k nsrl.pfhknown --only unknown evidence/"),
            ("files similar to known ones", "pfh match -r --similar malware.ssdeep --threshold 60 evidence/"),
        ],
    ),
    (
        "acquire",
        [
            ("a raw image in pieces, read back afterwards", "pfh acquire /dev/sdb --to disk.img --split 4GiB --verify"),
            ("two targets at once, with SHA-256 beside", "pfh acquire /dev/sdb --to a.E01 --to b.img -a md5,sha256"),
        ],
    ),
    (
        "dd",
        [
            ("the first gibibyte", "pfh dd if=/dev/sdb of=start.img bs=1M count=1024 hash=md5"),
            ("only digests of a disk", "pfh dd if=/dev/sdb of=/dev/null hash=sha256"),
        ],
    ),
    (
        "verify",
        [
            ("with the public key of the log", "pfh verify case12.E01 --log case12.E01.log.jsonl --key examiner.pub"),
            ("image against disk", "pfh verify disk.img --against /dev/sdb"),
        ],
    ),
    (
        "check",
        [
            ("a thirtieth each night, all files in a month", "pfh check --share 1/30 list"),
            ("new, moved and rotten files as well", "pfh check --audit list /mnt/copy"),
        ],
    ),
    (
        "diff",
        [
            ("a list of last year against the files now", "pfh diff last-year.jsonl archive/"),
            ("which files are gone, for xargs", "pfh diff -z --only removed monday.sums tuesday.sums"),
        ],
    ),
    (
        "dups",
        [
            ("a script that keeps the first operand's files", "pfh dups originals/ copies/ --script go.sh"),
            (
                "hard links in place of copies, but not below originals/",
                "pfh dups . --never originals --action hardlink --script go.sh",
            ),
        ],
    ),
    (
        "bag",
        [
            ("make a bag", "pfh bag create -a sha256,sha512 deposit/"),
            ("after files came or went", "pfh bag update deposit/"),
        ],
    ),
    (
        "bag create",
        [
            ("with lines in bag-info.txt", "pfh bag create --info Contact-Name=Ada deposit/"),
            ("with every manifest that old tools read", "pfh bag create -a md5,sha1,sha256 deposit/"),
        ],
    ),
    (
        "bag validate",
        [("for a program", "pfh bag validate --json deposit/"), ("only the verdict", "pfh bag validate -q deposit/")],
    ),
    (
        "bag update",
        [
            ("with one more manifest", "pfh bag update -a sha512 deposit/"),
            ("take contents that changed", "pfh bag update --force deposit/"),
        ],
    ),
    (
        "report",
        [
            ("while jobs run, for a browser on this machine", "pfh report case12/ --serve"),
            ("with the key of seals and logs", "pfh report case12/ --html case12/report.html --key ada.pub --force"),
        ],
    ),
    (
        "export",
        [
            ("files in an image, for mactime", "pfh export image.jsonl --to bodyfile -o image.body"),
            ("verdicts for a data frame", "pfh export verdicts.jsonl --to parquet -o verdicts.parquet"),
        ],
    ),
    ("schema", [("list all schemas", "pfh schema"), ("the schema of a check", "pfh schema check")]),
    (
        "lookup",
        [
            ("digests of a file, one a line", "pfh lookup -k malware.txt --class bad"),
            ("for a program", "pfh lookup -k nsrl.pfhknown -f jsonl"),
        ],
    ),
    (
        "known",
        [
            ("describe a set", "pfh known info sets.pfhknown"),
            ("keep it up with NSRL", "pfh known build --good RDS.db --delta delta.sql sets.pfhknown"),
        ],
    ),
    (
        "known build",
        [
            ("with a class of your own", "pfh known build --class own=templates.md5 sets.pfhknown"),
            ("with a delta of NSRL's", "pfh known build --good RDS.db --delta delta.sql sets.pfhknown"),
        ],
    ),
    (
        "known export",
        [
            ("for Autopsy", "pfh known export sets.pfhknown sets.kdb --to kdb"),
            ("with names, of a list", "pfh known export list NSRLFile.txt --to rdsv2 --class bad"),
        ],
    ),
    (
        "known info",
        [("sets and counts", "pfh known info sets.pfhknown"), ("for a program", "pfh known info --json sets.pfhknown")],
    ),
    (
        "algorithms",
        [
            ("which kernels this machine prefers", "pfh algorithms --measure"),
            ("for a program", "pfh algorithms --json"),
        ],
    ),
    (
        "tree",
        [
            ("after a change", "pfh tree update disk.img --range 64KiB:4096"),
            ("find changes", "pfh tree check disk.img"),
        ],
    ),
    (
        "tree build",
        [
            ("with SHA-256 and small leaves", "pfh tree build -a sha256 --leaf 4KiB disk.img"),
            ("each file of a folder", "pfh tree build -r case12/"),
        ],
    ),
    (
        "tree update",
        [
            ("several ranges", "pfh tree update disk.img --range 64KiB:4096,1MiB:1"),
            ("the differences from an old copy", "pfh tree update disk.img --changed-since disk.img.yesterday"),
        ],
    ),
    (
        "tree watch",
        [
            ("a catalogue elsewhere", "pfh tree watch case12/ --outboard trees/case12"),
            ("for a program", "pfh tree watch --json case12/"),
        ],
    ),
    (
        "tree append",
        [
            ("a tree elsewhere", "pfh tree append disk.img --outboard trees/disk"),
            ("another tree", "pfh tree append log.jsonl"),
        ],
    ),
    (
        "tree receive",
        [
            ("streams", "pfh tree receive -o disk.img 0+1GiB=fifo 1GiB+1GiB=-"),
            ("connections", "pfh tree receive -o disk.img --size 2GiB 0=tcp://[::]:9000"),
        ],
    ),
    (
        "tree check",
        [
            (
                "by a root that was kept",
                "pfh tree check disk.img --root af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            ),
            ("for a program", "pfh tree check --json disk.img"),
        ],
    ),
    (
        "tree diff",
        [
            ("two trees", "pfh tree diff a.img.pfhtree b.img.pfhtree"),
            ("for a program", "pfh tree diff --json a.img b.img.pfhtree"),
        ],
    ),
    (
        "tree prove",
        [
            ("the first sector", "pfh tree prove disk.img --range 0:512 -o part"),
            ("of a tree elsewhere", "pfh tree prove disk.img --outboard trees/disk --range 0:512 -o part"),
        ],
    ),
    (
        "tree verify",
        [
            (
                "take the bytes out",
                "pfh tree verify part --root af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262 -o bytes",
            ),
            (
                "for a program",
                "pfh tree verify --json part --root af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            ),
        ],
    ),
    (
        "tree root",
        [
            ("an object of S3 in parts", "pfh tree root --as s3-etag --part 8MiB object"),
            ("for a program", "pfh tree root --as glacier --json archive"),
        ],
    ),
    (
        "tree export",
        [
            ("to elsewhere", "pfh tree export case12/disk.img --obao disk.obao"),
            ("replace an old one", "pfh tree export --force disk.img --obao disk.img.obao"),
        ],
    ),
    (
        "tree import",
        [
            ("to elsewhere", "pfh tree import disk.img --obao disk.img.obao --outboard trees/disk"),
            ("replace an old one", "pfh tree import --force disk.img --obao disk.img.obao"),
        ],
    ),
    (
        "audit",
        [
            ("the server's side", "pfh audit serve case12/"),
            ("the auditor's side", "pfh audit ask http://storage:8417 kept"),
        ],
    ),
    (
        "audit commit",
        [
            ("under a name that the server knows", "pfh audit commit --identity disk.img case12/disk.img -o kept"),
            ("a line for each file", "pfh audit commit a.img b.img c.img -o catalogue"),
        ],
    ),
    (
        "audit challenge",
        [
            ("all leaves", "pfh audit challenge kept --all -o c"),
            ("one leaf", "pfh audit challenge kept --leaves 1 -o c"),
        ],
    ),
    (
        "audit prove",
        [
            ("32 bytes, for an auditor with a copy", "pfh audit prove --keyed c disk.img -o p"),
            ("signed", "pfh audit prove --key server.key c disk.img -o p"),
        ],
    ),
    (
        "audit verify",
        [
            ("a keyed answer", "pfh audit verify kept c p --data copy.img"),
            ("by the server's key", "pfh audit verify --signed-by server.pub kept c p"),
        ],
    ),
    (
        "audit tokens",
        [
            ("for a year of weeks", "pfh audit tokens kept --data disk.img --count 52 -o tokens"),
            ("a few", "pfh audit tokens kept --data disk.img --count 3 -o tokens"),
        ],
    ),
    (
        "audit renew",
        [
            ("into another file", "pfh audit renew kept update -o new"),
            ("one of several files", "pfh audit renew --identity disk.img kept update"),
        ],
    ),
    ("audit demo", [("a larger file", "pfh audit demo --size 1GiB"), ("for a program", "pfh audit demo --json")]),
    (
        "audit serve",
        [
            ("on another port", "pfh audit serve --listen 0.0.0.0:8417 case12/"),
            ("with signed answers", "pfh audit serve --key server.key case12/"),
        ],
    ),
    (
        "audit ask",
        [
            ("and keep the evidence", "pfh audit ask http://storage:8417 kept --evidence today"),
            ("for a program", "pfh audit ask http://storage:8417 kept --json"),
        ],
    ),
    (
        "bench",
        [
            ("which files a case has", "pfh bench sizes evidence/"),
            ("the time for a case", "pfh bench forecast --like evidence/"),
        ],
    ),
    (
        "bench languages",
        [
            ("two algorithms", "pfh bench languages -a md5,sha256 -o study"),
            ("a few sizes", "pfh bench languages --sizes 64,4096 -o study"),
        ],
    ),
    (
        "bench report",
        [("another clock", "pfh bench report --time cpu study/"), ("the usual place", "pfh bench report")],
    ),
    ("bench sizes", [("this folder", "pfh bench sizes ."), ("a mounted image", "pfh bench sizes /mnt/image")]),
    (
        "bench forecast",
        [
            ("and keep the measurements", "pfh bench forecast --like evidence/ --save fit.json"),
            ("a list of sizes", "pfh bench forecast --like list.jsonl"),
        ],
    ),
    ("bench self", [("this machine", "pfh bench self"), ("all other benchmarks", "pfh bench papers --list")]),
    (
        "bench papers",
        [
            ("one of them", "pfh bench papers --only pfh-III -o study"),
            ("one page of all", "pfh bench papers -o study --html papers.html"),
        ],
    ),
    ("bench fit", [("standard input", "pfh bench fit -"), ("another file", "pfh bench fit study/result.csv")]),
    (
        "plan",
        [
            ("units of a size, in JSON", "pfh plan -r archive/ --unit 512MiB -f jsonl -o PLAN/"),
            ("a large file by several machines", "pfh plan disk.img -a blake3 --split 16GiB -o PLAN/"),
        ],
    ),
    (
        "run",
        [("the first unit", "pfh run PLAN/ --unit 1"), ("another one, on another machine", "pfh run PLAN/ --unit 7")],
    ),
    (
        "merge",
        [
            ("with a seal", "pfh merge PLAN/ -o archive.sums --seal"),
            ("replace an old manifest", "pfh merge PLAN/ -o archive.sums --force"),
        ],
    ),
    ("selftest", [("of a program", "pfh selftest --json /media/usb"), ("the working directory", "pfh selftest")]),
    ("disks", [("for a program", "pfh disks --json"), ("open no device", "pfh disks --no-read")]),
    (
        "extract",
        [
            ("a directory of the second partition", "pfh extract case12.E01 p2/Users/ada --to ada/"),
            ("also deleted files", "pfh extract case12.E01 --deleted --to files/"),
        ],
    ),
    ("info", [("the first of many segments", "pfh info disk.E01"), ("a virtual disk", "pfh info machine.vmdk")]),
    (
        "cat",
        [
            ("where its bytes lie", "pfh cat --runs case12.E01!/p2/Users/ada/notes.txt"),
            ("a deleted file", "pfh cat case12.E01!/p2/old.doc!deleted-5127 -o old.doc"),
        ],
    ),
    ("list", [("an archive", "pfh list papers.zip"), ("for a program", "pfh list --json case12.E01")]),
    ("completions", [("for zsh", "pfh completions zsh"), ("for fish", "pfh completions fish")]),
    (
        "man",
        [
            ("where man looks", "pfh man /usr/local/share/man/man1"),
            ("replace others' pages", "pfh man --force target/man/"),
        ],
    ),
];

/// Examples of the command line of the paper, as it prints them.
pub const PAPER: [(&str, &str); 3] = [
    ("everything below t5, with a table of 256 MB", "pfh -c hash -m 256 -d t5 -r"),
    ("two threads: one reads, one hashes", "pfh -d t5 -t 2 -h ssdeep"),
    ("every pair of similar files", "pfh -c full -d t5 -t 8 -m 128"),
];

/// The meaning of exit codes, for pages without a list of their own.
pub const EXIT_CODES: &str = "\
Exit codes: 0 all good; 1 a negative verdict; 2 usage, or refused: nothing was changed; 3 finished, but something was unreadable or
not understood; 4 aborted, the output is incomplete; 128+n ended by signal n.";
