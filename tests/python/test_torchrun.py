"""Two ranks under torchrun on one machine: one session, ranks told apart, memory counted once."""
import subprocess
import sys

import shimmed
import reported
import tap
import torch

PROGRAM = """
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
class Numbers(Dataset):
    def __len__(self): return 8
    def __getitem__(self, index): return torch.tensor([float(index)])
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(1, 1))
train_loader = DataLoader(Numbers(), batch_size=2, num_workers=1)
for epoch in range(2):
    for batch in train_loader:
        model(batch).mean().backward()
dist.destroy_process_group()
"""


@tap.claim
def ranks_have_rows_of_their_own_and_the_total_counts_each_process_once():
    report, rows = reported.run(
        "torchrun", sys.executable, "-m", "torch.distributed.run", "--standalone",
        "--nproc-per-node", "2", shimmed.script(PROGRAM, "ddp.py"))
    ranks = {owner["pid"]: owner["rank"] for owner in report["owners"]}
    assert sorted(ranks.values()) == [0, 1], ranks
    pools = sorted((ranks[p["owner_pid"]], p["stage"], p["epoch"], p["batches"], len(p["workers"]))
                   for p in report["pools"])
    assert pools == [(rank, "train", epoch, 4, 1) for rank in (0, 1) for epoch in (0, 1)], pools
    assert {(pool["framework"], pool["framework_version"]) for pool in report["pools"]} == {
        ("torch", torch.__version__)}, report["pools"]
    assert all(pool["rank"] == ranks[pool["owner_pid"]] for pool in report["pools"])
    session = shimmed.os.environ["TEST_TMP"] + "/torchrun.loopmem"
    for view in (("report", "--full"), ("report", "-f", "markdown"), ("report", "-f", "html"),
                 ("top", "-1", "--screen=pools", "--width=120", "--height=40")):
        text = subprocess.run([reported.LOOPMEM, *view, session], check=True,
                              stdout=subprocess.PIPE, text=True).stdout
        assert all(text.count(f", rank {rank}") >= 2 for rank in (0, 1)), (view, text)
    # no more than all processes at their own largest, no less than the largest of them
    most = [p["pss_bytes_max"] for p in [*report["owners"], *report["other_processes"],
                                         *(w for pool in report["pools"] for w in pool["workers"])]]
    assert max(most) <= report["totals"]["peak_pss_bytes"] <= sum(most)
    assert report["totals"]["peak_pss_bytes"] < report["totals"]["peak_rss_sum_bytes"]
    links = rows("SELECT process FROM pool_worker")
    assert len(links) == len(set(links)) == 4


tap.run()
