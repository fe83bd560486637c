"""Fetch programs of Debian packages as three releases have them.

    bench/run programs DIR          about 1,500 programs of 57 packages, 250 MB (DIR.apt keeps the packages)

The packages of bookworm, trixie and sid come through this machine's own apt-get, with lists of its own. DIR holds
RELEASE/SOURCE PACKAGE/PACKAGE/NAME. The contents of sid change from day to day.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SUITES = "bookworm trixie sid".split()
PACKAGES = (
    "coreutils binutils-x86-64-linux-gnu util-linux e2fsprogs openssh-client openssl curl findutils grep sed tar diffutils "
    "procps psmisc bash dash gawk vim-tiny nano less sqlite3 iproute2 net-tools samba-common-bin bind9-dnsutils qemu-utils "
    "poppler-utils cups-client lvm2 xz-utils zstd perl-base gdb git wget rsync nmap tcpdump mtools dosfstools btrfs-progs "
    "xfsprogs libtiff-tools webp ffmpeg sox flac vorbis-tools gpg openvpn krb5-user ldap-utils snmp smartmontools hdparm "
    "pciutils usbutils"
).split()
LARGEST = 3_000_000


def fetch(suite, room, kind="deb", words=("download", *PACKAGES)):
    """Updates the lists of a release, of packages or of sources (deb-src), and runs apt-get in the room with these words."""
    for folder in ("lists/partial", "cache/archives/partial"):
        (room / folder).mkdir(parents=True, exist_ok=True)
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (room / "one.list").write_text(f"{kind} [signed-by={keys}] http://deb.debian.org/debian {suite} main\n")
    options = {
        "Dir::Etc::sourcelist": room / "one.list", "Dir::Etc::sourceparts": "-", "Dir::State::lists": room / "lists",
        "Dir::Cache": room / "cache", "APT::Sandbox::User": "root",
    }  # fmt: skip
    apt = ["apt-get", "--quiet", *(word for name, value in options.items() for word in ("--option", f"{name}={value}"))]
    subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*apt, *words], cwd=room, check=True, stdout=subprocess.DEVNULL)


def take(package, suite, tree):
    """Copies the programs of a package."""
    fields = subprocess.run(["dpkg-deb", "--show", "--showformat", "${source:Package} ${Package}", package], check=True, capture_output=True, text=True)
    source, name = fields.stdout.split()
    with tempfile.TemporaryDirectory(dir=tree.parent) as room:
        subprocess.run(["dpkg-deb", "--extract", package, room], check=True)
        for file in sorted(Path(room).rglob("*")):
            if file.is_symlink() or not file.is_file() or file.stat().st_size > LARGEST or file.open("rb").read(4) != b"\x7fELF":
                continue
            target = tree / suite / source / name / file.name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)


def main(words):
    ask = argparse.ArgumentParser(prog="bench/run programs", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("dir", type=Path)
    said = ask.parse_args(words)
    if said.dir.exists():
        sys.exit(f"{said.dir} exists already")
    tree = said.dir.with_suffix(".part")
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for suite in SUITES:
        room = said.dir.with_suffix(".apt").resolve() / suite
        if not list(room.glob("*.deb")):
            fetch(suite, room)
        for package in sorted(room.glob("*.deb")):
            take(package, suite, tree)
    tree.rename(said.dir)
    print(f"{sum(file.is_file() for file in said.dir.rglob('*'))} programs")
