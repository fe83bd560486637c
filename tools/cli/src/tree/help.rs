//! The text below the options of the pages of `pfh tree`: terms, an example, exit codes.

pub const TREE: &str = "\
Terms:
  leaf      a piece of the file, by default 16 KiB (`build --leaf`)
  tree      FILE.pfhtree, or the file of `--outboard`: the digests of all leaves, and of pairs of them up to one root
  root      a digest of 32 bytes for the whole file; with BLAKE3 its BLAKE3 digest, as b3sum prints it

  pfh tree build disk.img                      once: read everything
  pfh tree update disk.img --range 64KiB:4096  after a change: read that part and its path in the tree
  pfh tree check disk.img --root HEX           list the parts that changed

Exit codes: 0 success; 1 a negative verdict; 2 usage, or a range outside the file; 3 file or tree cannot be read, or changed meanwhile;
4 the output could not be written; 128+n ended by signal n.";

pub const BUILD: &str = "\
  pfh tree build disk.img                          prints the root, writes disk.img.pfhtree
  pfh tree build -a sha256 --leaf 4KiB disk.img
  tar c case12 | pfh tree build - --outboard case12.pfhtree
  pfh tree build --join part0 part1 part2 --outboard whole.pfhtree    parts of one file, in order
  pfh tree build case12                            one tree over all files below case12, in case12.pfhtree: its catalogue
  pfh tree build -r case12                         each file below case12
  pfh tree build -a hmac-sha256 --key-file key disk.img      the root is a message authentication code; all verbs need the key
  pfh tree build -a kt128 disk.img                 the root is `pfh hash -a kt128 disk.img`; so are -a sakura-li-128,leaves=64 ...

Exit codes: 0 success; 2 usage; 3 the file cannot be read, or changed meanwhile: no tree is written; 4 the tree could not be written.";

pub const UPDATE: &str = "\
  pfh tree update disk.img --range 64KiB:4096,1MiB:1
  pfh tree update disk.img --changed-since disk.img.yesterday
  pfh tree update disk.img --range 0:512 --proof update      for `pfh audit renew`

  pfh tree update case12                                     a directory: files whose metadata changed
  pfh tree update case12 --entry a/new --entry a/old         only these two, and their paths in the tree

Under leaf interleaving (sakura-li-*) a leaf is every 16th block of the file (every Nth with leaves=N), so the whole file is read.

Changes are written in place under a journal (TREE.journal); after an interruption the old or the new tree exists. Concurrent
updates wait for each other.

Exit codes: 0 success; 2 a range outside the file, or a file of another length; 3 file or tree cannot be read, or changed meanwhile;
4 the tree could not be written.";

pub const WATCH: &str = "\
  pfh tree build case12; pfh tree watch case12
  pfh tree watch case12 --json >>roots.jsonl

Every change of a file is followed within a quarter of a second, or two while changes do not cease: its name, the change, and the
new root. Only changed files are read. When the kernel lost count of changes, or a directory comes or goes, all files are compared by size
and time. A write through a mapping is seen when the file is closed.

Exit codes: 0 never, it runs until a signal: 128+n, with the catalogue complete; 2 usage; 3 DIR cannot be watched, or is gone; 4 the
catalogue could not be written.";

pub const APPEND: &str = "\
  cat more >> disk.img; pfh tree append disk.img

Exit codes: 0 success; 2 the file has become shorter; 3 file or tree cannot be read, or changed meanwhile; 4 the tree could not be written.";

pub const RECEIVE: &str = "\
  pfh tree receive -o disk.img 0=part0 1GiB=part1    prints the root
  mkfifo a b; pfh tree receive -o disk.img 0+1GiB=a 1GiB+1GiB=b
  pfh tree receive -o disk.img 0+1GiB=tcp://[::]:9000 1GiB+1GiB=-

Each leaf is hashed while it is in memory; one that two parts share is read back. Under leaf interleaving (sakura-li-*) the whole file is.
After an interruption the bytes that came are read back and compared with FILE.receipt. Bytes that come again are compared too.

Exit codes: 0 success; 1 two senders differ in a byte; 2 usage, or FILE exists; 3 ranges are missing, which are named, a sender failed,
or FILE.partial was altered; 4 the output could not be written; 128+n ended by signal n. After each the same command goes on.";

pub const CHECK: &str = "\
  pfh tree check disk.img
  pfh tree check disk.img --root b1946a...         a file and a tree that were changed together are found
  pfh tree check disk.img --kept kept              the same, with the line of `pfh audit commit`
  pfh tree check case12 --root 33c1de...           all files of a directory by its catalogue; --entry a/b reads that one

Exit codes: 0 all leaves match the tree, and the root matches; 1 they differ; 2 usage; 3 file, tree or KEPT cannot be read.";

pub const PROVE: &str = "\
  pfh tree prove disk.img --range 64KiB:4096 -o part     5 to 7 KB with BLAKE3
  pfh tree verify part --root b1946a... -o bytes         with the root alone

Exit codes: 0 success; 1 the file's bytes around the range differ from its tree; 2 a range outside the file; 3 file or tree cannot be read;
4 output failed.";

pub const VERIFY: &str = "\
  pfh tree verify part --root b1946a...
  pfh tree verify part --root b1946a... -o bytes         writes the range only if it is verified

With BLAKE3 the root is the file's BLAKE3 digest, as b3sum prints it.

Exit codes: 0 verified; 1 the proof does not give the root: nothing is written; 2 usage; 3 PROOF cannot be read; 4 output failed.";

pub const DIFF: &str = "\
  pfh tree diff disk.img disk.img.yesterday.pfhtree      prints OFFSET:LENGTH of each differing range of leaves

Only trees are read; `pfh tree check` compares a file with its tree.

Exit codes: 0 equal; 1 different; 2 usage; 3 a tree cannot be read, or the trees have different functions or leaf lengths.";

pub const ROOT: &str = "\
  pfh tree root --as fs-verity program                   as `fsverity digest program`
  pfh tree root --as s3-etag --part 8MiB object --expect 9b2cf5...-12
  pfh tree root --as glacier archive

Exit codes: 0 success; 1 a value is not the one expected; 2 usage; 3 a file cannot be read, or changed meanwhile.";

pub const EXPORT: &str = "\
  pfh tree export disk.img --obao disk.img.obao          as `bao encode --outboard disk.img disk.img.obao` writes it

Exit codes: 0 success; 1 the file gives another root than --root; 2 usage; 3 the file cannot be read; 4 output failed.";

pub const IMPORT: &str = "\
  pfh tree import disk.img --obao disk.img.obao --root b1946a...

Every node of the outboard is verified; the file is not read (`pfh tree check` compares it with its tree). The outboard of a file of at
most 1,024 bytes has no nodes; build its tree instead.

Exit codes: 0 success; 1 another root than --root; 2 usage, or a file of another length; 3 an input cannot be read, or is damaged;
4 output failed.";
