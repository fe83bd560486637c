#!/usr/bin/env bash
# Makes the inputs of the conformance table in the working directory: good, damaged, missing, empty, saturated and hostile ones.
# The argument is the program, which makes the trees, lists and images that the table reads.
set -euo pipefail
pfh=$1
case $pfh in */*) pfh=$(realpath "$pfh") ;; esac

# Bytes that nothing compresses and that are the same everywhere: SEED LENGTH.
noise() { { head -c "$2" /dev/zero | openssl enc -aes-128-ctr -K "$(printf '%032x' "$1")" -iv "$(printf '%032x' 0)"; } 2>/dev/null; }
sha256() { openssl dgst -sha256 -r "$1" | cut -d ' ' -f 1; }

printf abc >a
printf 'another file\n' >b
: >empty
noise 1 4000 >noise
ln -s circle circle
mkfifo fifo
mkdir -p d/sub e
printf one >d/1
printf two >d/sub/2
printf 'three\nlines\n\n' >'d/with a space'
printf odd >$'d/\xff.bin'

# Lists: right, with a wrong digest, torn, of files that are not there, of nothing.
printf '%s  a\n%s  b\n' "$(sha256 a)" "$(sha256 b)" >right
printf '%s  a\n%s  b\n' "$(sha256 b)" "$(sha256 b)" >wrong
printf 'zzzz\n%s  a\n%s-broken  b\n' "$(sha256 a)" "$(sha256 b | cut -c 1-60)" >torn
printf '%s  a\n%s  gone\n' "$(sha256 a)" "$(sha256 b)" >missing
printf '%s  gone\n' "$(sha256 b)" >all-missing
printf '%s  circle\n%s  a\n' "$(sha256 b)" "$(sha256 a)" >unreadable
"$pfh" hash -r d -o d.list 2>/dev/null
cp -r d changed
printf One >changed/1
rm changed/sub/2
printf new >changed/new

# Known files.
printf evil >evil
printf '%s  evil.exe\n' "$(sha256 evil)" >bad
printf 'zzzz\n%s-broken  evil.exe\n%064d  other\n' "$(sha256 evil | cut -c 1-60)" 7 >torn-bad
printf '%s  nothing\n' "$(sha256 empty)" >known-empty

# Similar files: a file and its beginning, one that is saturated, one that is too short.
mkdir s
noise 2 30000 >s/one
{ noise 2 25000; noise 3 5000; } >s/other
noise 4 30000 >s/alone
printf short >s/short
mkdir t
noise 5 400000 >t/half
cat t/half t/half >t/twice
rm t/half
noise 6 20000 >t/other
"$pfh" hash -r -a ssdeep -f ssdeep s -o s.ssdeep 2>/dev/null || true
printf 'no line of ssdeep\n' | cat s.ssdeep - >torn.ssdeep

# Duplicates.
mkdir -p twins/x twins/y
printf same >twins/x/1
printf same >twins/y/2
printf differs >twins/y/3

# An archive, and the same torn.
tar --format=ustar --owner=0 --group=0 --mtime=@0 -cf arc.tar a b
head -c 1200 arc.tar >torn.tar

# An image with its log, and the same with a changed byte.
noise 7 300000 >disk
"$pfh" acquire disk --to disk.img --no-progress >/dev/null 2>&1
cp disk.img changed.img
printf X | dd of=changed.img bs=1 seek=1000 conv=notrunc 2>/dev/null
sed 's/disk\.img/changed.img/g' disk.img.log >changed.img.log 2>/dev/null || true

# A tree, and a file that changed since.
noise 8 100000 >grown
"$pfh" tree build grown --no-progress >/dev/null
cp grown shrunk
cp grown.pfhtree shrunk.pfhtree
printf X | dd of=shrunk bs=1 seek=50000 conv=notrunc 2>/dev/null
printf 'no tree' >a.pfhtree
# A tree under a key, and another key.
cp grown keyed
printf 'a key of any length' >tree.key
printf 'another key' >other.key
"$pfh" tree build -a hmac-sha256 --key-file tree.key keyed --no-progress >/dev/null

# Disks, and the same with one that cannot be read.
bash "$(dirname "${BASH_SOURCE[0]}")/system.sh" system
cp -a system torn-system
rm torn-system/dev/nvme0n1

# A bag, and the same with a changed file.
mkdir -p bag/data
printf letter >bag/data/letter
"$pfh" bag create bag >/dev/null 2>&1
cp -r bag torn-bag
printf Letter >torn-bag/data/letter

# Results to export and report: with times, without, with a line that is not a record.
"$pfh" hash -f jsonl a b -o times.jsonl 2>/dev/null
{ cat times.jsonl; echo '{"type":"file"'; } >torn.jsonl
mkdir case
cp d.list times.jsonl case
mkdir sealed
"$pfh" hash -r d -o sealed/d.list --seal 2>/dev/null
cp -r sealed unsealed
printf '%s  new\n' "$(sha256 a)" >>unsealed/d.list

# An audit: the auditor's record, a challenge, its answer, and a forged one.
"$pfh" audit commit grown -o kept 2>/dev/null
"$pfh" audit challenge kept --all -o question 2>/dev/null
"$pfh" audit prove question grown -o answer 2>/dev/null
cp answer forged
printf X | dd of=forged bs=1 seek=5000 conv=notrunc 2>/dev/null
"$pfh" audit challenge kept --all -o other-question 2>/dev/null

# A known set and a set of blocks.
"$pfh" known build set.pfhknown --bad bad --good right 2>/dev/null
"$pfh" known build blocks.pfhknown --blocks 512 --bad noise 2>/dev/null
# Its content at a sector, and behind three bytes.
{ cat noise; printf abc; cat noise; } >shifted
{ head -c 1024 /dev/zero; cat noise; head -c 2000 /dev/zero; } >medium
head -c 4096 /dev/zero >blank

# Facts about a tree and a list of it: the statements of the list, and the changes since. facts.json has the verdict on each.
stated() { printf '%s  %s\n' "$(sha256 "$1")" "${2:-./$1}" >>../l; }
fact() {
    mkdir -p "facts/$1/t/d"
    cd "facts/$1/t"
    for name in a b d/c; do printf 'file %s' "${name#d/}" >$name; stated $name; done
    eval "$2"
    cd ../../..
}
fact equal true
fact changed 'printf another >a'
fact renamed 'mv a z'
fact swapped 'mv a x; mv b a; mv x b'
fact missing 'rm a'
fact directory 'rm a; mkdir a'
fact pipe 'rm a; mkfifo a'
fact a-listed-directory 'stated a ./d'
fact a-link 'mkdir e; ln -s ../a e/link; stated a ./e/link'
fact twice-alike 'stated a'
fact twice-otherwise 'stated b ./a'
fact spelt 'stated d/c ./d//c; stated d/c d/../d/c'
fact spelt-otherwise 'stated b ./d//c'
fact other-case 'mv a A'
fact a-blank 'stated b "./d/e "; cp b d/e'
fact unknown-algorithm 'cp b d/f; echo "FOO999 (./d/f) = 12ab" >>../l'
fact no-digest 'cp b d/f; { echo path,sha256; sed "s/\\(.*\\)  \\(.*\\)/\\2,\\1/" ../l; echo ./d/f,; } >../m; mv ../m ../l'
fact no-digest-and-changed 'cp b d/f; { echo path,sha256; sed "s/\\(.*\\)  \\(.*\\)/\\2,\\1/" ../l; echo ./d/f,; } >../m; mv ../m ../l; printf another >a'
fact other-algorithm 'cp a d/f; "$pfh" hash -q -a blake3 ./d/f >>../l'
fact cut '"$pfh" hash -q -r -f jsonl . -o ../m; sed "\$d" ../m >../l'
fact cut-and-changed '"$pfh" hash -q -r -f jsonl . -o ../m; sed "\$d" ../m >../l; printf another >a'
fact no-record 'echo neither >>../l'
fact nothing ': >../l'
