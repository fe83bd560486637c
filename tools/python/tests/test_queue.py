"""Messages that arrive one by one."""

import hashlib
import hmac
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pfh


@settings(max_examples=30, deadline=None)
@given(st.lists(st.binary(max_size=700), max_size=60), st.floats(0, 0.002), st.integers(1, 3), st.integers(0, 5000))
def test_each_message_has_its_own_digest(messages, wait, threads, memory):
    queue = pfh.Queue("sha256", wait=wait, threads=threads, memory=memory)
    tickets = [queue.push(message) for message in messages]
    del queue
    assert [ticket.digest() for ticket in tickets] == [hashlib.sha256(message).digest() for message in messages]
    assert all(ticket.is_ready() and len(ticket.digest()) == 32 for ticket in tickets)


def test_connections_with_keys_of_their_own():
    queue = pfh.Queue("hmac-sha256", key=b"the queue's")
    keys = [bytes([number]) * (number + 1) for number in range(100)]
    begun = [pfh.new("hmac-sha256", key=key) for key in keys]
    tickets = [queue.push(b"record", after=begun) for begun in begun]
    assert [ticket.digest() for ticket in tickets] == [hmac.digest(key, b"record", "sha256") for key in keys]
    assert queue.push(b"record").digest() == hmac.digest(b"the queue's", b"record", "sha256")
    assert queue.name == "hmac-sha256" and begun[0].digest() == hmac.digest(keys[0], b"", "sha256")


def test_threads_share_a_queue():
    queue, found = pfh.Queue("md5", wait=0), {}

    def client(first):
        for number in range(first, first + 200):
            found[number] = queue.push(str(number).encode()).digest()

    clients = [threading.Thread(target=client, args=(first,)) for first in range(0, 1600, 200)]
    for one in clients:
        one.start()
    for one in clients:
        one.join()
    assert found == {number: hashlib.md5(str(number).encode()).digest() for number in range(1600)}


def test_what_is_refused():
    for wrong in (
        lambda: pfh.Queue("hmac-sha256"),
        lambda: pfh.Queue("sha257"),
        lambda: pfh.Queue("sha256", key=b"k"),
        lambda: pfh.Queue("sha256", wait=-1),
        lambda: pfh.Queue("sha256", wait=float("nan")),
        lambda: pfh.Queue("sha256", threads=0),
        lambda: pfh.Queue("sha256").push(b"", after=pfh.md5()),
        lambda: pfh.new("sha256", key=b"k"),
    ):
        with pytest.raises(pfh.RequestError):
            wrong()
    with pytest.raises(TypeError):
        pfh.Queue("sha256").push("text")
