"""`loopmem top` beside a real Lightning run: what its users came for, on the screen within a second."""
import os
import re
import subprocess
import sys
import textwrap
import time

import tap
from screen import Screen

BUILD, TMP = (os.environ[name] for name in ("LOOPMEM_BUILD", "TEST_TMP"))
TOP = f"{BUILD}/loopmem"
TRAINING = textwrap.dedent('''
    import time, warnings, logging
    import lightning, torch
    warnings.filterwarnings("ignore")
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

    class Cached(torch.utils.data.Dataset):
        """Each worker keeps what it has read, as a decoded image set does."""
        def __init__(self, items): self.items, self.kept = items, {}
        def __len__(self): return self.items
        def __getitem__(self, i):
            time.sleep(0.01)
            self.kept[i] = torch.ones(1 << 17)  # 512 KiB
            return torch.ones(4)

    class Model(lightning.LightningModule):
        def __init__(self): super().__init__(); self.layer = torch.nn.Linear(4, 1)
        def training_step(self, batch, _): return self.layer(batch).mean()
        def validation_step(self, batch, _): self.layer(batch)
        def configure_optimizers(self): return torch.optim.SGD(self.parameters(), 0.1)

    def loader(items): return torch.utils.data.DataLoader(Cached(items), batch_size=8, num_workers=2)

    trainer = lightning.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False,
                                enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(Model(), loader(160), loader(1200))
''')


@tap.claim
def the_train_pool_turns_to_held_idle_within_a_second_of_validation():
    script, session = f"{TMP}/train.py", f"{TMP}/lightning.loopmem"
    with open(script, "w", encoding="ascii") as file:
        file.write(TRAINING)
    run = subprocess.Popen([TOP, "run", "-q", "-o", session, sys.executable, script], cwd=TMP)
    try:
        end = time.monotonic() + 60
        while subprocess.run([TOP, "top", "-1", session], capture_output=True, check=False).returncode:
            assert time.monotonic() < end, "no session"
            time.sleep(0.1)
        with Screen(f"{TOP} top {session}", 80, 24, ["XDG_CONFIG_HOME=/nonexistent", "NO_COLOR=1"]) as screen:
            screen.wait_for(r"[ >]validate #\d+ e0 +delivering", 90)
            shown = screen.wait_for(r"[ >]train #\d+ e0 +exhausted +! +2 +\d+\.\d +\d+\.\d ", 1)
            held = float(re.search(r"train #\d+ e0 +exhausted +! +2 +[\d.]+ +([\d.]+) ", shown)[1])
            assert held > 80, shown  # 160 items of 512 KiB
            screen.wait_for(r" Idle +\d+ MiB held by 2 workers of train #\d+")
    finally:
        run.terminate()
        run.wait()


tap.run()
