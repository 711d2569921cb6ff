"""The other tests in this folder can be believed: they run with the versions they are written for."""
import environment
import tap


@tap.claim
def packages_are_the_pinned_ones():
    assert list(environment.differences()) == []


@tap.claim
def torch_loads_and_forks_a_worker():
    from torch.utils.data import DataLoader

    batches = list(DataLoader(range(4), batch_size=2, num_workers=1))
    assert [b.tolist() for b in batches] == [[0, 1], [2, 3]]


tap.run()
