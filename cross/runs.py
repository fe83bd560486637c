"""The runs of pfh that `cross/same-output` compares: command lines over the corpora of `cross/corpora.py`."""

from dataclasses import dataclass


@dataclass
class Run:
    """Arguments, of a run whose name begins with the command that it tries; the corpus that it reads; a file for its standard input; the
    directory that it runs in. Later ones may read from out/ what earlier ones wrote."""

    name: str
    arguments: list[str]
    corpus: str = "corpus"
    stdin: str | None = None
    directory: str = "."


def runs(names: list[tuple[str, bool]]) -> list[Run]:
    """All, for algorithms of these names; beside each, whether it is one of similarity."""
    plain = [name for name, is_similar in names if not is_similar]
    similar = [name for name, is_similar in names if is_similar]
    return hashes(plain, similar) + checks() + sets() + comparisons(similar) + trees() + images(plain) + insides() + results()


def hashes(plain: list[str], similar: list[str]) -> list[Run]:
    every, few = ",".join(plain), "md5,sha1,sha256"
    # Their digests have parameters, for which a tag has no place.
    tagged = ",".join(name for name in plain if not name.startswith(("parallelhash", "sakura")))
    return [
        Run("hash sums", ["hash", "-r", "corpus", "-o", "out/sums"]),
        Run("hash jsonl", ["hash", "-r", "-a", every, "-f", "jsonl", "corpus", "-o", "out/all.jsonl"]),
        Run("hash csv", ["hash", "-r", "-a", every, "-f", "csv", "corpus", "-o", "out/all.csv"]),
        Run("hash one", ["hash", "-a", tagged, "-f", "bsd", "corpus/edges/3145741", "corpus/pattern"]),
        Run("hash bsd", ["hash", "-r", "-a", few, "-f", "bsd", "corpus"]),
        Run("hash hashdeep", ["hash", "-r", "-a", few, "-f", "hashdeep", "--piecewise", "64KiB", "corpus", "-o", "out/hashdeep"]),
        Run("hash dfxml", ["hash", "-r", "-a", few, "-f", "dfxml", "corpus", "-o", "out/all.dfxml"]),
        Run("hash sealed", ["hash", "-r", "-a", "sha3-256,kt128", "-f", "jsonl", "--seal", "corpus", "-o", "out/sealed.jsonl"]),
        Run("hash small table", ["hash", "-r", "-m", "1", "-t", "3", "-a", few, "corpus"]),
        Run("hash threads", ["hash", "-r", "-t", "1", "-a", "sha512,blake3,md5", "corpus"]),
        Run("hash largest first", ["hash", "-r", "--order", "size", "--exclude", "*.txt", "corpus"]),
        Run("hash followed", ["hash", "-r", "-L", "corpus"]),
        Run("hash missing", ["hash", "corpus/none", "corpus/text", "corpus/pattern"]),
        Run("hash similar", ["hash", "-r", "-a", ",".join(similar), "-f", "jsonl", "corpus", "-o", "out/similar.jsonl"]),
        Run("hash input", ["hash", "-a", few, "-"], stdin="given/pattern"),
        Run("hash names", ["hash", "--files-from", "-"], stdin="given/names"),
        Run("hash there", ["hash", "-o", "out/sums", "corpus/pattern"]),
        Run("hash nothing", ["hash", "--no-such-option"]),
        Run("hash harmed", ["hash", "-r", "corpus", "-o", "../out/harmed.sums"], "harmed", directory="harmed"),
        Run("schema", ["schema", "hash"]),
    ]


def checks() -> list[Run]:
    found = [
        Run("check", ["check", "out/sums"]),
        Run("check all", ["check", "out/all.jsonl"]),
        Run("check sealed", ["check", "out/sealed.jsonl"]),
        Run("check audit", ["check", "--audit", "--all", "out/all.dfxml", "corpus"]),
        Run("check input", ["check", "-"], stdin="given/sums"),
        Run("check json", ["check", "--json", "given/sums"]),
        Run("check harmed", ["check", "../out/sums"], "harmed", directory="harmed"),
        Run("check harmed json", ["check", "--json", "../out/all.csv"], "harmed", directory="harmed"),
        Run("check harmed audit", ["check", "--audit", "--all", "../out/sums", "corpus"], "harmed", directory="harmed"),
        Run("check update", ["check", "--update", "../out/harmed.sums", "."], "harmed", directory="harmed"),
    ]
    for name in ("utf16", "upper-crlf", "one missing", "wrong", "broken", "outside", "noise", "not there"):
        found.append(Run(f"check {name}", ["check", f"given/{name}"], "given"))
    return found


def sets() -> list[Run]:
    known = "out/set.pfhknown"
    return [
        Run("known build", ["known", "build", "--good", "given/sums", "--bad", "given/digests", known], "given"),
        Run("known info", ["known", "info", known], "given"),
        Run("known info noise", ["known", "info", "given/noise"], "given"),
        Run("match", ["match", "-r", "-k", known, "corpus"]),
        Run("match harmed", ["match", "-r", "-k", f"../{known}", "--json", "corpus"], "harmed", directory="harmed"),
        Run("match similar", ["match", "-r", "--similar", "out/similar.jsonl", "corpus"]),
        Run("lookup", ["lookup", "-k", known], "given", stdin="given/digests"),
        Run("lookup one", ["lookup", "-k", known, "--digest", "d41d8cd98f00b204e9800998ecf8427e"], "given"),
    ]


def comparisons(similar: list[str]) -> list[Run]:
    found = [Run(f"compare {n}", ["compare", "-a", n, "-f", "csv", "corpus"]) for n in similar if n != "mrsh-v2-network"]
    return found + [
        Run("compare groups", ["compare", "-a", "ssdeep,tlsh", "--cluster", "--html", "out/groups.html", "corpus"]),
        Run("compare evidence", ["compare", "-a", "mrsh-v2", "--evidence", "corpus"]),
        Run("dups", ["dups", "-r", "corpus"]),
        Run("dups json", ["dups", "-r", "--json", "corpus", "harmed"], "harmed"),
        Run("diff", ["diff", "corpus/text", "corpus/edges"]),
        Run("diff list", ["diff", "out/sums", "corpus"]),
        Run("diff harmed", ["diff", "corpus", "harmed/corpus"], "harmed"),
        Run("diff json", ["diff", "--json", "corpus", "harmed/corpus"], "harmed"),
        Run("bag create", ["bag", "create", "-a", "sha256,md5", "bag"], "bag"),
        Run("bag validate", ["bag", "validate", "bag"], "bag"),
        Run("bag validate none", ["bag", "validate", "corpus"]),
    ]


def trees() -> list[Run]:
    source, found = "corpus/edges/3145741", []
    for n in ("blake3", "sha256", "sha3-256", "kt128"):
        tree = f"out/{n}.pfhtree"
        # A tree of two levels has its leaves in the algorithm's name.
        leaf = [] if n == "kt128" else ["--leaf", "4KiB"]
        found += [
            Run(f"tree build {n}", ["tree", "build", "-a", n, *leaf, "--outboard", tree, source]),
            Run(f"tree check {n}", ["tree", "check", "--outboard", tree, source]),
        ]
    blake3, at = "out/blake3.pfhtree", "harmed/corpus/edges/1048577"
    before = ["--outboard", "out/before.pfhtree"]
    return found + [
        Run("tree root", ["tree", "root", "--as", "fs-verity", "corpus/edges/1048577"]),
        Run("tree build before", ["tree", "build", *before, "corpus/edges/1048577"]),
        Run("tree check harmed", ["tree", "check", *before, at], "harmed"),
        Run("tree update", ["tree", "update", *before, "--range", "500000:1", at], "harmed"),
        Run("tree check updated", ["tree", "check", *before, at], "harmed"),
        Run("tree build catalogue", ["tree", "build", "--outboard", "out/directory.pfhtree", "corpus/text"]),
        Run("tree check catalogue", ["tree", "check", "--outboard", "out/directory.pfhtree", "corpus/text"]),
        Run("tree check catalogue harmed", ["tree", "check", "--outboard", "out/directory.pfhtree", "harmed/corpus/text"], "harmed"),
        Run("audit commit", ["audit", "commit", "--outboard", blake3, source, "-o", "out/kept"]),
        # A question has random numbers: that of the first program is asked of both.
        Run("audit challenge", ["audit", "challenge", "out/kept", "--leaves", "5", "-o", "out/random"]),
        Run("audit prove", ["audit", "prove", "--outboard", blake3, "question", source, "-o", "out/answer"]),
        Run("audit verify", ["audit", "verify", "out/kept", "question", "out/answer"]),
        Run("audit prove keyed", ["audit", "prove", "--keyed", "--outboard", blake3, "question", source]),
        Run("audit verify wrong", ["audit", "verify", "out/kept", "question", "given/noise"], "given"),
        Run("audit prove wrong", ["audit", "prove", "--outboard", blake3, "question", "corpus/pattern"]),
        Run("plan", ["plan", "-r", "corpus", "--unit", "4MiB", "-o", "out/plan"]),
        *(Run(f"run {unit}", ["run", "out/plan", "--unit", str(unit)]) for unit in (2, 1)),
        Run("merge early", ["merge", "out/plan", "-o", "out/merged"]),
        Run("run 3", ["run", "out/plan", "--unit", "3"]),
        Run("merge", ["merge", "out/plan", "-o", "out/merged"]),
    ]


def images(plain: list[str]) -> list[Run]:
    source = "corpus/edges/3145741"
    return [
        Run("acquire raw", ["acquire", source, "--to", "out/raw.img", "-a", ",".join(plain), "--cached", "--verify"]),
        Run("acquire split", ["acquire", source, "--to", "out/split", "--split", "1MiB", "--cached", "--verify"]),
        Run("acquire sparse", ["acquire", "corpus/zeros", "--to", "out/sparse.img", "--sparse", "--cached"]),
        Run("acquire e01", ["acquire", source, "--to", "out/disk.E01", "--cached", "--verify"]),
        Run("acquire input", ["acquire", "-", "--to", "out/input.img", "--cached"], stdin="given/pattern"),
        Run("acquire image", ["acquire", "--image", "media/ext2.E01", "--to", "out/ext2.img", "--cached"], "media"),
        Run("acquire short", ["acquire", "--image", "media/short.E01", "--to", "out/short.img", "--cached"], "media"),
        Run("acquire missing", ["acquire", "corpus/none", "--to", "out/none.img", "--cached"]),
        Run("acquire there", ["acquire", "corpus/pattern", "--to", "out/sums", "--cached"]),
        Run("verify raw", ["verify", "out/raw.img"]),
        Run("verify split", ["verify", "out/split.000"]),
        Run("verify e01", ["verify", "out/disk.E01"]),
        Run("verify against", ["verify", "out/raw.img", "--against", "corpus/edges/1048577"]),
        Run("verify flipped", ["verify", "media/flipped.E01"], "media"),
        Run("verify short", ["verify", "media/short.E01"], "media"),
        Run("hash e01", ["hash", "--image", "out/disk.E01"]),
        Run("hash images", ["hash", "--image", "media/ext2.E01", "media/short.E01", "media/flipped.E01"], "media"),
    ]


def insides() -> list[Run]:
    member = "media/made.tar.gz!/made.zip!/größe.txt"
    return [
        Run("list", ["list", "-r", "media"], "media"),
        Run("list json", ["list", "-r", "--json", "media"], "media"),
        Run("list none", ["list", "media/none.zip"], "media"),
        Run("hash inside", ["hash", "-r", "--inside", "-a", "md5,sha256", "media", "-o", "out/inside"], "media"),
        Run("hash inside deleted", ["hash", "--inside", "--deleted", "-f", "jsonl", "media/ext2.E01", "media/imynd.dd"], "media"),
        Run("check inside", ["check", "--inside", "out/inside"], "media"),
        Run("diff inside", ["diff", "--inside", "media/made.zip", "media/made.tar.xz"], "media"),
        Run("cat", ["cat", member], "media"),
        Run("cat runs", ["cat", "--runs", "media/ext2.E01!/a_directory/a_file"], "media"),
        Run("cat none", ["cat", f"{member}!/none"], "media"),
    ]


def results() -> list[Run]:
    return [
        Run("export timesketch", ["export", "out/all.jsonl", "--to", "timesketch", "-o", "out/times.csv"]),
        Run("export bodyfile", ["export", "-", "--to", "bodyfile", "-o", "out/body"], stdin="out/all.jsonl"),
        Run("export noise", ["export", "given/noise", "--to", "bodyfile", "-o", "out/none"], "given"),
        Run("report", ["report", "out/sums", "out/all.jsonl", "out/sealed.jsonl", "given/broken", "--html", "out/page.html"]),
        Run("help", ["help", "acquire"]),
    ]
