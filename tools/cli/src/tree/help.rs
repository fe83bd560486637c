//! What the pages of `pfh tree` say after the options: terms, an example, exit codes.

pub const TREE: &str = "\
Terms:
  leaf      a piece of the file, 16 KiB unless `build --leaf` says otherwise
  tree      FILE.pfhtree: the digests of all leaves, and of pairs of them up to one root (`--outboard` names another place)
  root      32 bytes that stand for the whole file; with BLAKE3 its BLAKE3 digest, as b3sum prints it

  pfh tree build disk.img                      once: reads everything
  pfh tree update disk.img --range 64KiB:4096  after a change: reads that part and its path in the tree
  pfh tree check disk.img --root HEX           which parts are not what they were

Exit codes: 0; 1 a negative verdict; 2 usage, or a change that does not fit the file; 3 file or tree cannot be read, or changed
meanwhile; 4 the output could not be written; 128+n ended by signal n.";

pub const BUILD: &str = "\
  pfh tree build disk.img                          prints the root, writes disk.img.pfhtree
  pfh tree build -a sha256 --leaf 4KiB disk.img
  tar c case12 | pfh tree build - --outboard case12.pfhtree
  pfh tree build --join part0 part1 part2 --outboard whole.pfhtree    parts of one file, in order
  pfh tree build case12                            one tree over all files below case12, in case12.pfhtree: its catalogue
  pfh tree build -r case12                         each file below case12
  pfh tree build -a kt128 disk.img                 the root is `pfh hash -a kt128 disk.img`; so are -a sakura-li-128,leaves=64 ...

Exit codes: 0; 2 usage; 3 the file cannot be read, or changed meanwhile: no tree is written; 4 the tree could not be written.";

pub const UPDATE: &str = "\
  pfh tree update disk.img --range 64KiB:4096,1MiB:1
  pfh tree update disk.img --changed-since disk.img.yesterday
  pfh tree update disk.img --range 0:512 --proof update      for `pfh audit renew`

Under leaf interleaving (sakura-li-*) a leaf is every 16th block of the file, or every Nth with leaves=N: all of it is read.   pfh tree update case12                                     of a directory: what the file system says has changed
  pfh tree update case12 --entry a/new --entry a/old         these two alone, and their paths in the tree

Changes are written in place under a journal (TREE.journal): whatever interrupts it, the old tree or the new one is there.
Two updates at once wait for each other.

Exit codes: 0; 2 a range that the file has not, or a file of another length; 3 file or tree cannot be read, or changed meanwhile;
4 the tree could not be written.";

pub const APPEND: &str = "\
  cat more >> disk.img; pfh tree append disk.img

Exit codes: 0; 2 the file has become shorter; 3 file or tree cannot be read, or changed meanwhile; 4 the tree could not be written.";

pub const CHECK: &str = "\
  pfh tree check disk.img
  pfh tree check disk.img --root b1946a...         a file and a tree that were changed together are found
  pfh tree check disk.img --kept kept              the same, with what `pfh audit commit` printed
  pfh tree check case12 --root 33c1de...           all files of a directory by its catalogue; --entry a/b reads that one

Exit codes: 0 all leaves are those of the tree, and the root is the one stated; 1 they are not; 2 usage; 3 file, tree or KEPT cannot be read.";

pub const PROVE: &str = "\
  pfh tree prove disk.img --range 64KiB:4096 -o part     5 to 7 KB with BLAKE3
  pfh tree verify part --root b1946a... -o bytes         with the root alone

A file whose bytes around the range are not those of its tree is not proved: exit 1.

Exit codes: 0; 1 the file's bytes are not those of its tree; 2 the file has no such range; 3 file or tree cannot be read;
4 output failed.";

pub const VERIFY: &str = "\
  pfh tree verify part --root b1946a...
  pfh tree verify part --root b1946a... -o bytes         writes the range only if it is verified

With BLAKE3 the root is the file's BLAKE3 digest, as b3sum prints it.

Exit codes: 0 verified; 1 the proof does not give the root: nothing is written; 2 usage; 3 PROOF cannot be read; 4 output failed.";

pub const DIFF: &str = "\
  pfh tree diff disk.img disk.img.yesterday.pfhtree      OFFSET:LENGTH for each range that differs, whole leaves

Trees alone are read. `pfh tree check` compares a file with its tree.

Exit codes: 0 the same; 1 they differ; 2 usage; 3 a tree cannot be read, or they have different functions or leaf lengths: nothing
to compare with.";

pub const ROOT: &str = "\
  pfh tree root --as fs-verity program                   as `fsverity digest program`
  pfh tree root --as s3-etag --part 8MiB object --expect 9b2cf5...-12
  pfh tree root --as glacier archive

Exit codes: 0; 1 a value is not the one expected; 2 usage; 3 a file cannot be read, or changed meanwhile.";

pub const EXPORT: &str = "\
  pfh tree export disk.img --obao disk.img.obao          as `bao encode --outboard disk.img disk.img.obao` writes it

Exit codes: 0; 1 the file gives another root than --root; 2 usage; 3 the file cannot be read; 4 output failed.";

pub const IMPORT: &str = "\
  pfh tree import disk.img --obao disk.img.obao --root b1946a...

Every node of the outboard is computed again, the file is not read: `pfh tree check` compares it with its tree. The outboard of a file
of at most 1,024 bytes holds no nodes: build its tree.

Exit codes: 0; 1 another root than --root; 2 usage, or a file of another length; 3 an input cannot be read, or is damaged;
4 output failed.";
