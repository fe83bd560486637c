"""Reads digests from what programs print: {name: digests}."""


def sums(output):
    """A digest, a space, a space or star, a name; comments left out."""
    found = {}
    for line in output.splitlines():
        if not line.startswith((b"#", b"%")):
            at = line.index(b" ")
            found[line[at + 2 :]] = (line[:at],)
    return found


def hashdeep(output):
    """size,digest[,digest…],name: by hashdeep and by pfh -f hashdeep."""
    found, algorithms = {}, 0
    for line in output.splitlines():
        if line.startswith(b"%%%% size,"):
            algorithms = line.count(b",") - 1
        elif not line.startswith((b"%", b"#")):
            fields = line.split(b",", algorithms + 1)
            found[fields[-1]] = tuple(fields[1:-1])
    return found


def fields(output):
    """Digests and the name, separated by single spaces: the template that rhash is given."""
    found = {}
    for line in output.splitlines():
        *digests, name = line.split(b" ", 3)
        found[name] = tuple(digests)
    return found


def lines(output):
    """The lines as a set, without ssdeep's header: tools list files in different orders."""
    return {line: () for line in output.splitlines() if not line.startswith(b"ssdeep,")}


def ssdeep(output):
    """digest,"name" behind a header: by ssdeep itself."""
    found = {}
    for line in output.splitlines()[1:]:
        digest, _, name = line.partition(b",")
        found[name.strip(b'"')] = (digest,)
    return found


def mrsh(output):
    """name:size:…:digest by mrsh itself, with empty lines, and by pfh -f mrsh; the number of filters is counted in two ways."""
    found = {}
    for line in filter(None, output.splitlines()):
        name, size, _, last, digest = line.rsplit(b":", 4)
        found[name] = (size, last, digest)
    return found
