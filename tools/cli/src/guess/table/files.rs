//! Options and operands of the commands about files.

use super::super::row::{Row, asks, runs};

/// The rows.
pub const ROWS: &[Row] = &[
    asks(
        "extract",
        "{FILE} {NAME}",
        "the directory that files go to is named",
        &[
            ("pfh extract {FILE} {NAME} --to {BASE}.files …", "below a new directory"),
            ("pfh cat {FILE}!/{NAME}", "to standard output; -o FILE writes one file"),
        ],
        "7z, tar",
    )
    .without(&["--to", "-o", "-d", "-C", "--output", "--directory", "--target", "--dest"]),
    asks(
        "extract",
        "{FILE}",
        "the directory that files go to is named",
        &[
            ("pfh extract {FILE} --to {BASE}.files …", "all files, below a new directory"),
            ("pfh list {FILE}", "the names in it; pfh cat NAME -o FILE writes one"),
        ],
        "7z, tar",
    )
    .without(&["--to", "-o", "-d", "-C", "--output", "--directory", "--target", "--dest"]),
    runs("extract", "-o|-d|-C|--output|--directory|--target|--dest|--out {NAME}", "--to {NAME}", "7z, unzip, tar"),
    runs("extract", "-r|-R|--recursive|-v|--verbose|-y|-aoa|-f", "", "7z, tar"),
    runs(
        "compare",
        "{DIR} {DIR2} --checksum|--brief|--one-way|--size-only|--delete|--content",
        "pfh diff {DIR} {DIR2} …",
        "rclone",
    ),
    // A list, and the files that it is compared with.
    runs("audit", "{LIST} {DIR}", "pfh check --audit {LIST} {DIR} …", "hashdeep"),
    runs("audit", "-k {LIST} {DIR}", "pfh check --audit {LIST} {DIR} …", "hashdeep"),
    runs("audit", "{LIST}", "pfh check --audit {LIST} …", "hashdeep"),
    runs("hash", "-a -k {LIST}", "pfh check --audit {LIST} …", "hashdeep").over(),
    runs("hash", "-m -k {LIST}", "pfh match -k {LIST} …", "hashdeep").over(),
    runs("hash", "-x -k {LIST}", "pfh match -k {LIST} --only unknown …", "hashdeep").over(),
    asks(
        "hash",
        "-k {LIST}",
        "hash compares with no list",
        &[
            ("pfh check --audit {LIST} …", "the state of each file of the list"),
            ("pfh match -k {LIST} …", "which files are in the list"),
        ],
        "hashdeep",
    ),
    asks(
        "hash",
        "-m {LIST}",
        "-m is the memory here, and a list in md5deep and ssdeep",
        &[
            ("pfh match -k {LIST} …", "files whose digest is in the list"),
            ("pfh match --similar {LIST} …", "files like those"),
        ],
        "md5deep, ssdeep",
    )
    .over(),
    runs("hash", "-c {ALGORITHM}", "-a {ALGORITHM}", "hashdeep"),
    runs("hash", "-c", "pfh check …", "sha256sum"),
    runs("hash", "--check", "pfh check …", "sha256sum"),
    runs("hash", "--audit", "pfh check --audit …", "hashdeep"),
    runs("hash", "--verify", "pfh check …", ""),
    runs("check", "-k {LIST}", "pfh check --audit {LIST} …", "hashdeep"),
    runs("check", "-c", "", "sha256sum"),
    runs("check", "--check", "", "sha256sum"),
    runs("check|diff", "-v|--verbose", "", "hashdeep"),
    runs("check|match", "-l|-b", "", "hashdeep"),
    runs("diff", "-q|--quiet", "", "diff").over().with(&["-r", "--recursive", "-N", "--new-file"]),
    runs("check|diff|verify|bag|bag validate|bag create", "-r|-R|--recursive", "", "hashdeep, diff"),
    asks(
        "check",
        "{DIR} {DIR2}",
        "{DIR} is a directory: give the manifest first; two directories are compared by diff",
        &[("pfh diff {DIR} {DIR2} …", "")],
        "rclone",
    ),
    asks("check", "{DIR}", "{DIR} is a directory: give the manifest first", &[("pfh hash -r {DIR}", "")], ""),
    // Similar and known files.
    asks(
        "compare",
        "-t {N}",
        "-t is threads here, and the threshold in ssdeep and sdhash",
        &[("pfh compare --threshold {N} …", "the threshold"), ("pfh @ --threads {N} …", "threads")],
        "ssdeep, sdhash",
    )
    .over()
    .with(&["ssdeep", "sdhash"]),
    asks(
        "compare",
        "-p {N}",
        "-p is readers here, and threads in sdhash",
        &[("pfh @ --threads {N} …", "threads"), ("pfh @ --prefetchers {N} …", "threads that read")],
        "sdhash",
    )
    .over()
    .with(&["sdhash"]),
    runs("compare", "-p {SET}", "{SET}", "ssdeep").over().with(&["ssdeep"]),
    asks(
        "compare",
        "-x",
        "-x is --one-file-system here; ssdeep compares lists by it",
        &[("pfh compare …", "lists of digests are compared without it"), ("pfh @ --one-file-system …", "")],
        "ssdeep",
    )
    .over()
    .with(&["ssdeep"]),
    runs("compare", "-m|-k {SET}", "--against {SET}", "ssdeep").over(),
    runs("compare", "-d|-l", "", "ssdeep"),
    runs("compare", "-g", "--cluster --linkage single", "ssdeep"),
    runs("compare", "-c|--csv", "-f csv", "ssdeep"),
    runs("compare", "--min-score|--min|--score {N}", "--threshold {N}", ""),
    asks(
        "match",
        "-t {N}",
        "-t is threads here, and the threshold in ssdeep",
        &[("pfh match --threshold {N} …", "the threshold"), ("pfh match --threads {N} …", "threads")],
        "ssdeep",
    )
    .over()
    .with(&["--similar"]),
    runs("match", "-m {SET}", "-k {SET}", "md5deep").over(),
    asks(
        "match",
        "-x {SET}",
        "-x is --one-file-system here; md5deep lists by it files that are not in a list",
        &[
            ("pfh match --only unknown -k {SET} …", "files that are not in the list"),
            ("pfh match --one-file-system -k {SET} …", "files on one file system, by the list"),
        ],
        "md5deep",
    )
    .over()
    .without(&["-k", "--known", "--digest", "--similar"]),
    runs("match", "{LIST} {DIR}", "pfh match -r -k {LIST} {DIR} …", "").without(&[
        "-r",
        "--recursive",
        "-k",
        "--known",
        "--digest",
        "--similar",
    ]),
    runs("match", "{LIST} {FILE}", "pfh match -k {LIST} {FILE} …", "").without(&[
        "-k",
        "--known",
        "--digest",
        "--similar",
    ]),
    runs("lookup", "{LIST} {DIGEST}", "pfh lookup -k {LIST} --digest {DIGEST} …", "hfind"),
    runs("lookup", "-k|--known {SET} {DIGEST}", "pfh lookup -k {SET} --digest {DIGEST} …", "").over(),
    runs("lookup", "{DIGEST} {DIR}", "pfh match -r --digest {DIGEST} {DIR} …", ""),
    asks(
        "lookup|match",
        "--nsrl|--virustotal",
        "a set of known files is compiled from lists, and named",
        &[
            ("pfh help known build", "pfh known build nsrl.pfhknown --good NSRLFile.txt"),
            ("pfh help @", "-k nsrl.pfhknown"),
        ],
        "NSRL",
    ),
    asks(
        "lookup",
        "{DIGEST}",
        "a digest is looked up in a set of known files",
        &[
            ("pfh help lookup", "pfh lookup -k nsrl.pfhknown --digest {DIGEST}"),
            ("pfh help known build", "pfh known build nsrl.pfhknown --good NSRLFile.txt"),
        ],
        "hfind",
    )
    .without(&["-k", "--known"]),
    runs("lookup", "{DIGEST} {LIST}", "pfh lookup -k {LIST} --digest {DIGEST} …", ""),
    runs("lookup", "{LIST}", "pfh lookup -k {LIST} …", "hfind"),
    asks(
        "lookup",
        "-f {LIST}",
        "-f is the format here; digests come from standard input",
        &[("pfh lookup … < {LIST}", "")],
        "hfind",
    )
    .over(),
    runs("known", "{LIST}", "pfh known info {LIST} …", ""),
    runs("known", "show|list|dump", "info", ""),
    runs("known", "add|create|import|make", "build", ""),
    asks(
        "known build",
        "{OUT} {LIST}",
        "state the class of the files in the list",
        &[
            ("pfh known build {OUT} --bad {LIST} …", "known-bad: matches are hits"),
            ("pfh known build {OUT} --good {LIST} …", "known-good: matches can be left out"),
        ],
        "hfind",
    ),
    asks(
        "known build",
        "{LIST}",
        "the set gets a name of its own",
        &[
            ("pfh known build {BASE}.pfhknown --bad {LIST} …", "known-bad"),
            ("pfh known build {BASE}.pfhknown --good {LIST} …", "known-good"),
        ],
        "hfind",
    )
    .without(&["--good", "--bad", "--notable", "--no-change", "--class", "--sets"]),
    // Files left out.
    asks(
        "hash|match|dups|list",
        "-x {GLOB}",
        "-x is --one-file-system here, and leaves files out elsewhere",
        &[("pfh @ --exclude {GLOB} …", "files that match are left out"), ("pfh @ --one-file-system {GLOB} …", "")],
        "diff, tar",
    )
    .over(),
    asks(
        "hash|match|dups|list|compare",
        "-x {BELOW}",
        "-x is --one-file-system here, and leaves files out elsewhere",
        &[("pfh @ --exclude {BELOW} …", "it is left out"), ("pfh @ --one-file-system …", "each file system of a PATH")],
        "diff, tar",
    )
    .over(),
    runs("*", "-e|--ignore|--iexclude|--exclude-dir|--skip {NAME}", "--exclude {NAME}", "restic, rsync"),
    runs("*", "-name|--name|-iname {GLOB}", "--include {GLOB}", "find, fclones"),
    runs("dups", "-s|--min {SIZE}", "--min-size {SIZE}", "fclones"),
    runs("dups", "--max {SIZE}", "--max-size {SIZE}", "fclones"),
    runs("dups", "-f|--omitfirst", "--redundant", "fdupes"),
    runs("dups", "-S|--size|-1|--sameline", "", "fdupes"),
    asks(
        "dups",
        "-m {FILE}",
        "-m is the memory here; the sum is the last line in any case",
        &[("pfh dups -q {FILE} …", "the sum alone")],
        "fdupes",
    )
    .over(),
    // A script changes nothing until it is run.
    runs("dups", "--dry-run|-n", "", "fclones"),
    asks(
        "dups",
        "--hardlink|--link|--linkhard|-H",
        "dups links nothing itself; it writes a script for that",
        &[("pfh dups --action hardlink --script link.sh …", "read it, then run it")],
        "fclones, jdupes",
    ),
    asks(
        "dups",
        "--reflink|--dedupe|--dedup|-B",
        "dups shares nothing itself; it writes a script for that",
        &[("pfh dups --action reflink --script reflink.sh …", "read it, then run it")],
        "fclones, jdupes",
    ),
    asks(
        "dups",
        "--move|--move-to {NAME}",
        "dups moves nothing itself; it writes a script for that",
        &[("pfh dups --action move={NAME} --script move.sh …", "read it, then run it")],
        "fclones",
    ),
    asks(
        "dups",
        "-d|--delete|--remove|-N",
        "dups removes nothing itself; it writes a script for that",
        &[("pfh dups --script remove.sh …", "read it, then run it"), ("pfh dups --redundant …", "only the names")],
        "fdupes, fclones",
    ),
    runs("diff", "-N|--new-file|--brief|-c|-u|--report-identical-files", "", "diff"),
    runs("diff", "--checksum|--content|--download|--binary|--ignore-times", "", "rclone, rsync"),
    asks(
        "diff|check",
        "--size-only",
        "equal sizes prove nothing: content is compared",
        &[("pfh @ …", "by digests")],
        "rclone",
    ),
    asks("diff", "--combined {NEW}", "the result goes to standard output", &[("pfh diff … > {NEW}", "")], "rclone"),
    runs("match", "{DIR} {LIST}", "pfh match -r -k {LIST} {DIR} …", "").without(&[
        "-r",
        "--recursive",
        "-k",
        "--known",
        "--digest",
        "--similar",
    ]),
    runs("dups", "--summary|--summarize", "-q", "jdupes"),
    runs("check", "--missing-ok|--skip-missing|--allow-missing", "--ignore-missing", ""),
    asks(
        "audit",
        "{DIR}",
        "files are compared with a list that was made before",
        &[
            ("pfh hash -r {DIR} -o {BASE}.sums", "the list; later: pfh check --audit {BASE}.sums {DIR}"),
            ("pfh help audit", "audits of a storage server"),
        ],
        "",
    ),
    asks(
        "report",
        "{FILE}",
        "the page gets a name",
        &[("pfh report {FILE} --html {BASE}.html …", "one file for a browser")],
        "",
    )
    .without(&["--html", "-o", "--output", "--serve", "--pdf"]),
    asks(
        "report",
        "--pdf {NAME}",
        "pages are HTML, which a browser prints as PDF",
        &[("pfh report --html {NAME}.html …", "then print it")],
        "",
    ),
    asks(
        "export",
        "--to csv|json|jsonl|dfxml|hashdeep|sums",
        "export makes timelines and Parquet; a list gets another format when its files are read",
        &[("pfh hash -r . -f {VALUE} -o list.{VALUE}", "the files here, in this format")],
        "",
    )
    .over(),
];
