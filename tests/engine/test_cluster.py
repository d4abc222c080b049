"""A real scheduler and real workers on this machine: the same bytes, whatever happens to the workers."""

import engine_blocks
import pytest

from betterthan.cli.main import main
from betterthan.engine import cluster as module
from betterthan.engine.blocks import Job
from betterthan.engine.cluster import chosen, connected, scheduler_at, working_on
from betterthan.engine.run import run
from betterthan.errors import BetterThanError

pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("environment_restored")


def expected_bytes(n_blocks):
    """The fingerprint of a plain loop."""
    return engine_blocks.fingerprint(engine_blocks.draw(7, block) for block in range(n_blocks))


def test_the_bytes_are_those_of_this_machine_although_a_worker_is_killed(machines, tmp_path):
    """Block 5 kills its worker when it runs for the first time; the other worker does it then."""
    machines.worker()
    machines.worker()
    job = Job(name="test", function=engine_blocks.kills_its_process_once, payload=str(tmp_path), n_blocks=40)
    with working_on(machines.address):
        results = run(job)
    assert engine_blocks.fingerprint(results) == expected_bytes(40)
    assert (tmp_path / "killed").exists()
    assert sorted(worker.poll() is None for worker in machines.workers) == [False, True]
    assert chosen() is None


def test_an_executor_of_dask_gets_the_payload_once(machines, tmp_path):
    """It is recognized, so that blocks carry their numbers only."""
    machines.worker()
    job = Job(
        name="test", function=engine_blocks.opened_once, payload=engine_blocks.Sent(tmp_path), n_blocks=30
    )
    with connected(machines.address) as cluster:
        results = run(job, executor=cluster.client.get_executor())
    assert engine_blocks.fingerprint(results) == expected_bytes(30)
    assert len(list(tmp_path.glob("opened-*"))) == 1


@pytest.mark.slow
def test_a_block_that_kills_every_worker_is_named(machines, tmp_path):
    """The scheduler gives a task to two workers before it gives up; others are left."""
    for _ in range(4):
        machines.worker()
    job = Job(name="test", function=engine_blocks.kills_its_process_always, payload=str(tmp_path), n_blocks=3)
    with connected(machines.address) as cluster:
        cluster.client.wait_for_workers(4)
        with pytest.raises(BetterThanError) as caught:
            cluster.run(job, [2], lambda *_: None)
    assert 'Block 2 of "test" ended every worker' in str(caught.value)


def test_the_loss_of_all_workers_is_an_error_that_says_what_was_kept(machines, tmp_path):
    """After the wait, not for ever; a new worker in time would have continued."""
    machines.worker()
    job = Job(name="test", function=engine_blocks.held_from_six_on, payload=str(tmp_path), n_blocks=8)
    kept = []

    def keep(block, _):
        kept.append(block)
        if len(kept) == 6:
            machines.kill(0)

    with connected(machines.address, wait=1.5) as cluster:
        cluster.client.wait_for_workers(1)
        with pytest.raises(BetterThanError) as caught:
            cluster.run(job, list(range(8)), keep)
    assert "lost all its workers" in str(caught.value)
    assert "1.5 s. 6 of 8 blocks were finished" in str(caught.value)


@pytest.mark.slow
def test_work_goes_on_with_a_worker_that_comes_in_time(machines, tmp_path):
    """The payload died with the first worker; it is sent again."""
    machines.worker()
    job = Job(name="test", function=engine_blocks.held_from_six_on, payload=str(tmp_path), n_blocks=8)
    results = {}

    def keep(block, result):
        results[block] = result
        if len(results) == 6:
            machines.kill(0)
            (tmp_path / "go").touch()
            machines.worker()

    with connected(machines.address, wait=60) as cluster:
        cluster.run(job, list(range(8)), keep)
    assert engine_blocks.fingerprint(results[block] for block in range(8)) == expected_bytes(8)


def test_other_versions_are_refused_before_anything_is_computed(machines, monkeypatch):
    """With both versions, and what to do."""
    machines.worker()
    monkeypatch.setattr(module, "__version__", "99")
    job = Job(name="test", function=engine_blocks.draw, payload=7, n_blocks=2)
    with connected(machines.address) as cluster, pytest.raises(BetterThanError) as caught:
        cluster.run(job, [0, 1], lambda *_: None)
    assert "instead of 99. Results could differ, so nothing was computed." in str(caught.value)


@pytest.mark.slow
def test_a_cluster_without_workers_is_given_up(machines):
    """After the wait."""
    job = Job(name="test", function=engine_blocks.draw, payload=7, n_blocks=2)
    with connected(machines.address, wait=0.5) as cluster, pytest.raises(BetterThanError) as caught:
        cluster.run(job, [0, 1], lambda *_: None)
    assert "has no workers; none came in 0.5 s" in str(caught.value)


@pytest.mark.parametrize(
    "address", ["10.0.0.5:8786", "dask://", "dask://host", "ray://host:1", "dask://h:99999"]
)
def test_what_is_no_address_is_refused(address):
    """With the two that are."""
    with pytest.raises(BetterThanError, match="dask://HOST:PORT, or dask://local"):
        scheduler_at(address)


def test_a_silent_address_is_named(monkeypatch, tmp_path, capsys):
    """Nobody listens on port 9 of this machine."""
    monkeypatch.setattr(module, "_CONNECTING", 0.5)
    path = tmp_path / "scores.csv"
    path.write_text("A,B\n" + "1,2\n3,1\n" * 30)
    with pytest.raises(SystemExit) as stopped:
        main(["rank", str(path), "--by", "median", "--no-cache", "--executor", "dask://127.0.0.1:9"])
    assert stopped.value.code == 2
    assert "No Dask scheduler answers at dask://127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.parametrize("order", [1, -1])
def test_workers_of_this_machine_are_not_counted_beside_a_cluster(order, capsys):
    """In any order of the options."""
    options = [["--workers", "2"], ["--executor", "dask://127.0.0.1:9"]][::order]
    with pytest.raises(SystemExit) as stopped:
        main(["study", "figure-one", *options[0], *options[1]])
    assert stopped.value.code == 2
    assert "--workers has no effect with --executor" in capsys.readouterr().err
