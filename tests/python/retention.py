"""A Lightning training of 3 epochs whose workers each fill a cache of Python objects: a train loader
and two validation loaders of 2 workers each. Prints each loss, beside it hashes of the batch it is of and of the state of
the random numbers, so that a difference tells where it began, and at the end one of the weights.

    retention.py [--callback] [--cache=MB]
"""
import argparse
import hashlib
import logging
import time
import warnings

import lightning
import torch
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
for name in ("lightning.pytorch", "lightning.fabric"):
    logging.getLogger(name).setLevel(logging.ERROR)


def short_hash(tensor):
    return hashlib.sha256(tensor.numpy().tobytes()).hexdigest()[:12]


class Cached(Dataset):
    """Items that live in a cache which the worker fills at its first item."""

    def __init__(self, count, megabytes):
        self.items, self.megabytes, self.cache = list(range(count)), megabytes, None

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        if self.cache is None:
            self.cache = [bytes(992) for _ in range(self.megabytes << 10)]  # 1 KiB each
        time.sleep(0.01)
        return torch.rand(16) + len(self.cache[index]), torch.tensor([float(index % 3)])


class Model(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.Dropout(0.3),
                                       torch.nn.Linear(8, 1))

    def loss(self, stage, batch):
        loss = torch.nn.functional.mse_loss(self.net(batch[0]), batch[1])
        print(stage, float(loss).hex(), "batch", short_hash(batch[0]), "random", short_hash(torch.get_rng_state()))
        return loss

    def training_step(self, batch, _):
        return self.loss("train", batch)

    def validation_step(self, batch, _, dataloader_idx=0):
        self.loss("validate", batch)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), 0.01)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callback", action="store_true")
    parser.add_argument("--cache", type=int, default=60)
    options = parser.parse_args()
    callbacks = []
    if options.callback:
        from loopmem.lightning import ReleaseIdleWorkers
        callbacks.append(ReleaseIdleWorkers())
    torch.set_num_threads(1)
    print("vector instructions", torch.backends.cpu.get_cpu_capability())
    lightning.seed_everything(7, workers=True, verbose=False)
    model = Model()
    trainer = lightning.Trainer(
        max_epochs=3, logger=False, accelerator="cpu", enable_progress_bar=False,
        enable_model_summary=False, enable_checkpointing=False, callbacks=callbacks)
    trainer.fit(model,
                DataLoader(Cached(64, options.cache), batch_size=4, num_workers=2, shuffle=True),
                [DataLoader(Cached(32, options.cache), batch_size=4, num_workers=2)
                 for _ in range(2)])
    state = b"".join(value.numpy().tobytes() for value in model.state_dict().values())
    print("weights", hashlib.sha256(state).hexdigest())


if __name__ == "__main__":
    main()
