"""A Dask cluster of real processes over TLS on loopback, trees to be hashed, and runs to be compared."""

import contextlib
import datetime
import ipaddress
import os
import pathlib
import random
import signal
import subprocess
import sysconfig
import time

SCRIPTS = pathlib.Path(sysconfig.get_path("scripts"))
PFH = str(SCRIPTS / "pfh")
#: The tests that take minutes: those of `make slow`.
SLOW = "slow" in os.environ.get("PFH_TIERS", "").split(",")


def pfh(*words, cwd=None, code=0, **options):
    """Runs the command of the wheel; gives what it printed."""
    done = subprocess.run([PFH, *map(str, words)], cwd=cwd, capture_output=True, timeout=600, **options)
    assert code is None or done.returncode == code, (words, done.returncode, done.stderr.decode())
    return done


def certificates(directory):
    """A key and a certificate that signs itself, for this machine's loopback."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, "pfh test")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = directory / "cert.pem", directory / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    secret.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return certificate, secret


def environment(directory, failures=1):
    """The variables that have Dask, its workers and clients use these certificates, and listen on loopback alone."""
    certificate, secret = certificates(directory)
    prefix = "DASK_DISTRIBUTED__"
    found = {"COMM__TLS__CA_FILE": certificate, "COMM__REQUIRE_ENCRYPTION": "True"}
    for side in ("SCHEDULER", "WORKER", "CLIENT"):
        found |= {f"COMM__TLS__{side}__CERT": certificate, f"COMM__TLS__{side}__KEY": secret}
    # Neither pages nor metrics: no port but those of TLS.
    found |= {"SCHEDULER__ALLOWED_FAILURES": failures, "SCHEDULER__HTTP__ROUTES": "[]", "WORKER__HTTP__ROUTES": "[]"}
    return os.environ | {prefix + name: str(value) for name, value in found.items()} | {"PYTHONWARNINGS": "ignore"}


class Cluster:
    """A scheduler and workers, each under a nanny that starts it again."""

    def __init__(self, directory, failures=1):
        directory.mkdir(parents=True, exist_ok=True)
        self.directory, self.environment = directory, environment(directory, failures)
        self.file = str(directory / "scheduler.json")
        self.processes = []
        self.variables = {}
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", self.file)
        end = time.monotonic() + 60
        while not os.path.exists(self.file):
            assert time.monotonic() < end, (directory / "log").read_text()
            time.sleep(0.1)

    def _start(self, kind, *words, before=(), **variables):
        log = open(self.directory / "log", "ab")
        words = [*before, str(SCRIPTS / "dask"), kind, "--no-dashboard", "--dashboard-address", "127.0.0.1:0", "--protocol", "tls", *words]
        child = subprocess.Popen(words, env=self.environment | variables, stdout=log, stderr=log, cwd=self.directory)
        log.close()
        self.processes.append(child)
        return child

    def worker(self, before=(), **variables):
        """Starts a worker, with other environment variables, under another program."""
        self.variables[len(self.processes)] = variables
        words = ["--scheduler-file", self.file, "--nthreads", "1", "--nworkers", "1", "--host", "127.0.0.1"]
        return self._start("worker", *words, "--local-directory", str(self.directory), before=before, **variables)

    def client(self):
        """Sets this process up as a client; gives the address for ``connect``."""
        import dask.config

        for name, value in self.environment.items():
            if name.startswith("DASK_DISTRIBUTED__"):
                dask.config.set({name.removeprefix("DASK_").lower().replace("__", "."): value})
        return self.file

    def ready(self, workers):
        """Waits until this many workers are there."""
        from pfh.cluster import connect

        adapter = connect(self.client())
        for _ in range(3):
            end = time.monotonic() + 30
            while adapter.slots < workers and time.monotonic() < end:
                time.sleep(0.2)
            if adapter.slots >= workers:
                return adapter.close()
            # On a busy machine Dask's scheduler drops some workers as they register, and these do not come again.
            self.worker()
        raise AssertionError((self.directory / "log").read_text()[-2000:])

    def revive(self):
        """Starts a worker in place of each whose nanny gave up: it was killed before it had begun."""
        for place in range(1, len(self.processes)):
            if self.processes[place].poll() is not None and place in self.variables:
                self.worker(**self.variables.pop(place))

    def kill_one(self, chance):
        """Kills a worker, not its nanny, if there is one at the moment; says if there was."""
        found = []
        for nanny in self.processes[1:]:
            found += children(nanny.pid)
        found = [pid for pid in found if b"spawn_main" in command(pid)]
        if found:
            try:
                os.kill(chance.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                return False
        return bool(found)

    def close(self):
        for child in reversed(self.processes):
            child.terminate()
        for child in self.processes:
            try:
                child.wait(20)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()


@contextlib.contextmanager
def two_workers(directory, before=()):
    """A cluster with a worker under another program, and one of another kind of processor; closed at the end."""
    cluster = Cluster(directory)
    try:
        cluster.worker(before=before)
        cluster.worker(PFH_ISA="portable")
        cluster.ready(2)
        yield cluster
    finally:
        cluster.close()


def children(pid):
    """The processes below one, whichever of its threads started them."""
    below = []
    for listed in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            below += [int(word) for word in listed.read_text().split()]
        except OSError:
            continue
    return below + [grandchild for child in below for grandchild in children(child)]


def command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def tree(root, files=60, seed=1):
    """A tree with names that are not text, an empty and a large file, a link, a FIFO, and a gap."""
    chance = random.Random(seed)
    (root / "below" / "deep").mkdir(parents=True)
    for number in range(files):
        where = root / ("below" if number % 2 else "below/deep") / f"{number:03}"
        where.write_bytes(chance.randbytes(chance.randrange(20_000)))
    (root / "empty").write_bytes(b"")
    (root / "large").write_bytes(chance.randbytes(1_500_000))
    for name in (b"\xff\xfe", b"a\nline", b"back\\slash", "é ü".encode(), b" ", b"-r"):
        pathlib.Path(os.fsdecode(os.path.join(os.fsencode(root), name))).write_bytes(name)
    (root / "link").symlink_to("empty")
    os.mkfifo(root / "fifo")
    return root


def parts(run):
    """The bytes of each part of a run."""
    return {path.name: path.read_bytes() for path in sorted((pathlib.Path(run) / "parts").iterdir())}


