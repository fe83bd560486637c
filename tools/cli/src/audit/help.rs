//! The text below the options of the pages of `pfh audit`: who runs which command, terms, an
//! example, exit codes.

pub const AUDIT: &str = "\
Who runs which command:
  owner     has the file:          pfh tree build disk.img; pfh audit commit disk.img -o kept
  server    stores file and tree:  pfh audit serve DIRECTORY
  auditor   holds `kept` alone:    pfh audit ask http://HOST:8417 kept

Terms:
  leaf      a piece of the file, by default 16 KiB (`pfh tree build --leaf`)
  tree      FILE.pfhtree: the digests of all leaves, and of pairs of them up to one root
  root      a digest of 32 bytes for the whole file
  kept      a line of text with root, length and name (identity) of a file
  challenge a question with a random number that selects the leaves
  token     a challenge with its answer, made in advance from the data

Verdicts: PROVED, with the comparison made and the loss that it would have detected; REJECTED, an answer that proves nothing; NOT ASKED, a
server that is unreachable, refuses, or does not answer in time.

Exit codes: 0 all proved; 1 an answer was rejected; 2 usage; 3 a file could not be asked for; 4 output or system failed; 128+n ended by
signal n.";

pub const COMMIT: &str = "\
Run by the owner, who has file and tree.

  pfh tree build case12/disk.img
  pfh audit commit --identity disk.img case12/disk.img -o kept
  pfh audit commit a.img b.img c.img -o catalogue      one line per file; see `ask --together` and `ask --catalogue`

Exit codes: 0 success; 1 the file has another length than its tree; 2 usage; 3 file or tree cannot be read; 4 output failed.";

pub const CHALLENGE: &str = "\
Run by the auditor. Use a challenge only once.

  pfh audit challenge kept -o c
  pfh audit challenge kept --find 0.1% --confidence .999 -o c

Exit codes: 0 success; 2 usage, or KEPT is none; 3 KEPT cannot be read; 4 output failed.";

pub const PROVE: &str = "\
Run by the server that stores file and tree.

  pfh audit prove c case12/disk.img -o p
  pfh audit prove --keyed c case12/disk.img -o p       32 bytes, for an auditor with a copy of the file

Exit codes: 0 success; 2 usage, or the challenge is none; 3 file or tree cannot be read, or are not those asked about; 4 output failed.";

pub const VERIFY: &str = "\
Run by the auditor.

  pfh audit verify kept c p
  pfh audit verify kept c p --data copy.img            a keyed answer; the copy must have the kept root

A signature in the answer is always verified, and its key printed. A copy without the kept root proves nothing (exit 3).

Exit codes: 0 PROVED; 1 REJECTED; 2 usage, or the challenge is none; 3 an input cannot be read, the copy is not the file, or a keyed answer
came without --data.";

pub const TOKENS: &str = "\
Run by an auditor who still has the data. Each token serves one later audit without the data; its answer has 32 bytes. Keep the file
secret: a server that knows the answers can give them without the data.

  pfh audit tokens kept --data disk.img --count 365 -o tokens
  pfh audit ask http://HOST:8417 --tokens tokens       for example daily; needs no data

Exit codes: 0 success; 2 usage, or KEPT is none; 3 the copy cannot be read, or is not the file that was committed; 4 output failed.";

pub const RENEW: &str = "\
The owner changes a part of the file and proves the new root; the auditor needs neither file nor tree.

  owner     pfh tree update disk.img --range 64KiB:4096 --proof update
  auditor   pfh audit renew kept update -o kept.new

The update must start from the kept root, and its paths must lead to both roots; this proves that only the listed leaves changed. Whether
their new content is right, only the person who ordered the change knows.

Exit codes: 0 renewed; 1 the update proves nothing, and nothing is written; 2 usage, or not an update; 3 an input cannot be read;
4 output failed.";

pub const DEMO: &str = "\
  pfh audit demo
  pfh audit demo --size 1GiB --find 0.1%

Figure 1 of Lopes, Franqueira & Hobson, Efficient computation of hashes: the client sends C and expects H(M||C). A server that deleted M and
kept the state of SHA-256 after it answers rightly. Under a challenge of `pfh audit challenge` a server that kept all digests of the tree,
or an earlier answer, is rejected. The files lie in a temporary directory, and are removed.

Exit codes: 0 as the paper says; 1 not so; 2 usage; 3 the files cannot be made; 4 output failed; 128+n ended by signal n.";

#[cfg(feature = "serve")]
pub const SERVE: &str = "\
Run by the storage server. Anyone who can connect can ask.

  pfh audit serve case12                               http://127.0.0.1:8417
  pfh audit serve case12 --listen 0.0.0.0:8417 --key KEY

Exit codes: 0 never, it runs until a signal: 128+n; 2 usage, or no file in DIRECTORY has a tree; 3 DIRECTORY cannot be read; 4 cannot listen at the
address.";

#[cfg(feature = "serve")]
pub const ASK: &str = "\
Run by the auditor.

  pfh audit ask http://HOST:8417 kept
  pfh audit ask http://HOST:8417 kept --find 0.1% --confidence .999
  pfh audit ask http://HOST:8417 catalogue --together            one sample over all files
  pfh audit ask http://HOST:8417 kept --keyed --data copy.img    32 bytes instead of the leaves
  pfh audit ask http://HOST:8417 kept --every 1d                 for a service; from cron, without --every

Exit codes: 0 all PROVED; 1 an answer is REJECTED; 2 usage; 3 NOT ASKED: unreachable, refused, or no answer in time; 4 output or
system failed; 128+n ended by signal n.";
