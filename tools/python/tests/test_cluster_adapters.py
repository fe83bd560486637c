"""Each engine does what the jobs of pfh.cluster ask of one."""

import operator
import os
import time

import pytest

pytest.importorskip("distributed", reason="Dask is not installed: `tools/python/check -k cluster_adapters` installs it")

import clusters  # noqa: E402

from pfh.cluster import ClusterLost, WorkerLost, connect  # noqa: E402


@pytest.fixture(scope="module", params=["local:2", "dask", "ray"])
def address(request, tmp_path_factory):
    if request.param == "ray":
        ray = pytest.importorskip("ray", reason="Ray is not installed: `target/python-venv/bin/pip install -r tools/python/tests/requirements-ray.txt`, then `tools/python/check -k adapters`")
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield "ray"
        ray.shutdown()
    elif request.param == "dask":
        cluster = clusters.Cluster(tmp_path_factory.mktemp("dask"), failures=0)
        cluster.worker()
        cluster.worker()
        cluster.ready(2)
        yield cluster.client()
        cluster.close()
    else:
        yield request.param


@pytest.fixture
def adapter(address):
    made = connect(address)
    end = time.monotonic() + 60
    while made.slots < 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    yield made
    made.close()


def test_each_task_is_handed_out_once(adapter):
    tasks = {adapter.submit(operator.mul, number, number): number for number in range(20)}
    seen = {}
    for done in adapter.as_completed():
        assert done.task not in seen and done.error is None and done.worker
        seen[done.task] = done.value
        if len(tasks) < 30:
            # Tasks submitted meanwhile come as well.
            tasks[adapter.submit(operator.mul, len(tasks), len(tasks))] = len(tasks)
    assert seen == {task: number**2 for task, number in tasks.items()}
    assert list(adapter.as_completed()) == []


def test_an_exception_is_what_came_of_a_task(adapter):
    wrong, right = adapter.submit(operator.truediv, 1, 0), adapter.submit(operator.truediv, 1, 1)
    seen = {done.task: done for done in adapter.as_completed()}
    assert isinstance(seen[wrong].error, ZeroDivisionError) and seen[right].value == 1
    assert seen[wrong].worker in seen[wrong].error.__notes__[0]


def test_scattered_bytes_arrive(adapter):
    data = os.urandom(1 << 20)
    sent = adapter.scatter(data)
    for _ in range(4):
        adapter.submit(bytes.__eq__, sent, data)
    assert [done.value for done in adapter.as_completed()] == [True] * 4


def test_a_worker_that_dies_loses_its_task_and_no_other(adapter):
    dying = adapter.submit(os._exit, 1)
    (done,) = adapter.as_completed()
    assert done.task == dying and isinstance(done.error, WorkerLost)
    for _ in range(6):
        adapter.submit(operator.add, 1, 1)
    assert [done.value for done in adapter.as_completed()] == [2] * 6


def test_avoided_workers_are_a_hint(adapter):
    adapter.submit(operator.add, 1, 1)
    (first,) = adapter.as_completed()
    for _ in range(4):
        adapter.submit(operator.add, 1, 1, avoid={first.worker})
    assert [done.value for done in adapter.as_completed()] == [2] * 4


def test_leaving_does_not_wait_for_tasks(address):
    adapter = connect(address)
    for _ in range(4):
        adapter.submit(time.sleep, 300)
    began = time.monotonic()
    adapter.close()
    # The limit is against waiting for the tasks alone.
    assert time.monotonic() - began < 100


def test_addresses_that_make_no_sense():
    for address in ("nowhere", "local:0", "local:x"):
        with pytest.raises(ValueError):
            connect(address)


def test_a_scheduler_that_goes_away(tmp_path):
    cluster = clusters.Cluster(tmp_path)
    cluster.worker()
    try:
        adapter = connect(cluster.client())
        adapter.submit(time.sleep, 300)
        cluster.processes[0].kill()
        with pytest.raises(ClusterLost):
            list(adapter.as_completed())
        adapter.close()
    finally:
        cluster.close()
