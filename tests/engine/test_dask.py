import engine_blocks
import pytest

from betterthan.engine.blocks import Job
from betterthan.engine.run import run

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.usefixtures("environment_restored")


def expected_bytes(n_blocks):
    """The fingerprint of a plain loop."""
    return engine_blocks.fingerprint(engine_blocks.draw(7, block) for block in range(n_blocks))


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same_bytes(tmp_path):
    """Over processes on this machine, one of which is killed on the way."""
    job = Job(name="test", function=engine_blocks.kills_its_process_once, payload=str(tmp_path), n_blocks=12)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address=":0",
            silence_logs="CRITICAL",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        results = run(job, executor=client.get_executor())
    assert engine_blocks.fingerprint(results) == expected_bytes(12)
    assert (tmp_path / "killed").exists()
