"""The switches that advice names are there in the frameworks that it names them for."""
import importlib
import inspect
import os
import sys
import warnings

import advice_table
import tap

CLASSES = {"Trainer": ("lightning.pytorch", "lightning"), "DataLoader": ("torch.utils.data", "torch"),
           "TrainingArguments": ("transformers", "transformers")}


def arguments(name):
    module = importlib.import_module(CLASSES[name][0])
    return inspect.signature(getattr(module, name).__init__).parameters


@tap.claim
def every_switch_exists():
    warnings.simplefilter("ignore")
    named = {switch for row in advice_table.rows() for switch in advice_table.switches(row.text)}
    assert {name for name, _ in named} == set(CLASSES), named
    missing = [(name, argument) for name, argument in named if argument not in arguments(name)]
    assert not missing, missing


@tap.claim
def a_switch_is_named_to_whom_it_belongs():
    for row in advice_table.rows():
        for name, _ in advice_table.switches(row.text):
            owner = CLASSES[name][1]
            # loaders of Lightning's programs are torch's
            assert all(owner in (framework, "torch" if framework == "lightning" else framework)
                       for framework in row.frameworks) and row.frameworks, row


@tap.claim
def what_is_named_beside_the_switches_is_there():
    import lightning.pytorch
    import transformers
    sys.path.insert(0, f"{os.environ['SRC']}/python")
    from loopmem.lightning import ReleaseIdleWorkers
    assert issubclass(ReleaseIdleWorkers, lightning.pytorch.Callback)
    assert callable(lightning.pytorch.LightningModule.log)
    assert "epoch" in {one.value for one in transformers.trainer_utils.IntervalStrategy}


tap.run()
