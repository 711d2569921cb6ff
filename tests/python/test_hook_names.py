"""Stage, epoch and label of loaders in plain loops: what names on the stack tell, and no more."""
import recorder
import tap

shim = recorder.start()

import torch
from torch.utils.data import DataLoader

names = shim.load("names")


def told(function, *args):
    """(stage, label, epoch) of each pool that a function starts."""
    shim.calls.clear()
    function(*args)
    assert shim.drops == [], shim.drops
    return [(s["stage"], s["label"], s["epoch"]) for s in shim.begun().values()]


def loader():
    return DataLoader(range(2))


def consume(anything):
    for _ in anything:
        pass


@tap.claim
def whole_words_tell_a_stage():
    for stage, known in {
            shim.TRAIN: "train_loader trainloader TrainLoader trainDL dl_train pretrain_dl train",
            shim.VALIDATE: "val_dl valloader validationDataLoader dev_set eval_loader dl_valid",
            shim.TEST: "test_loader testloader test_iter loaders['test']",
            shim.PREDICT: "predict_loader inference_dataloader",
            shim.SANITY: "sanity_loader",
            None: "loader dl data validator trainer latest training_val contest trainval_loader "
                  "train_eval_loader value_loader intervals device evaluator testament",
    }.items():
        for name in known.split():
            assert names.stage(name) == stage, (name, names.stage(name))


@tap.claim
def variables_of_callers_name_the_loader_that_was_passed_on():
    def main():
        train_loader, loader_b = loader(), loader()
        consume(train_loader)
        consume(loader_b)

    assert told(main) == [("train", "train_loader", 0), ("other", "loader_b", 0)]


@tap.claim
def fields_and_containers_name_it_too():
    class Trainer:
        def __init__(self):
            self.val_dl = loader()

        def run(self):
            consume(self.val_dl)

    def phases():
        loaders = {"train": loader(), "test": loader()}
        for phase in ("train", "test"):
            consume(loaders[phase])

    def several():
        val_loaders = [loader(), loader()]
        for one in val_loaders:
            consume(one)

    assert told(Trainer().run) == [("validate", "val_dl", 0)]
    assert told(phases) == [("train", "loaders['train']", 0), ("test", "loaders['test']", -1)]
    assert told(several) == [("validate", "val_loaders[0]", 0), ("validate", "val_loaders[1]", 0)]


@tap.claim
def objects_around_a_loader_are_looked_for_by_their_name():
    class Prefetcher:
        def __init__(self, loader):
            self.loader = loader

        def __iter__(self):
            yield from self.loader

    def main():
        eval_source = Prefetcher(loader())
        consume(eval_source)

    assert told(main) == [("validate", "eval_source", 0)]


@tap.claim
def closures_and_module_level_count_as_variables():
    train_loader = loader()

    def work():
        return [x for x in train_loader]

    assert told(work) == [("train", "train_loader", 0)]
    scope = {"DataLoader": DataLoader}
    assert told(exec, "test_data = DataLoader(range(2))\nfor x in test_data: pass", scope) == [
        ("test", "test_data", -1)]


@tap.claim
def one_loader_under_two_stages_is_neither():
    def main():
        train_loader = val_loader = loader()
        consume(val_loader)

    ((stage, label, _),) = told(main)
    assert stage == "other" and label in ("train_loader", "val_loader")


@tap.claim
def a_name_without_a_stage_is_still_the_label():
    def main():
        hard_negatives = loader()
        consume(hard_negatives)

    assert told(main) == [("other", "hard_negatives", 0)]


@tap.claim
def a_label_of_the_user_comes_first():
    def main(label):
        train_loader = loader()
        train_loader._loopmem_label = label
        consume(train_loader)

    assert told(main, "hard negatives")[0][:2] == ("train", "hard negatives")
    assert told(main, "test")[0][:2] == ("test", "test")
    assert all(spec["flags"] == shim.NAMED for spec in shim.begun().values())


@tap.claim
def the_epoch_is_the_variable_or_the_count():
    def with_variable():
        train_loader = loader()
        for epoch in range(3, 5):
            consume(train_loader)

    def without():
        train_loader = loader()
        for _ in range(2):
            consume(train_loader)

    def of_object():
        class Runner:
            current_epoch = None

            def run(self):
                for self.epoch in range(2):
                    consume(self.train_loader)

        runner = Runner()
        runner.train_loader = loader()
        runner.run()

    def no_number():
        train_loader = loader()
        for epoch in ("a", True):
            consume(train_loader)

    assert [epoch for _, _, epoch in told(with_variable)] == [3, 4]
    assert [epoch for _, _, epoch in told(without)] == [0, 1]
    assert [epoch for _, _, epoch in told(of_object)] == [0, 1]
    assert [epoch for _, _, epoch in told(no_number)] == [0, 1]


@tap.claim
def an_evaluation_after_the_epochs_has_none():
    def main():
        test_loader = loader()
        for epoch in range(2):
            pass
        consume(test_loader)

    assert told(main) == [("test", "test_loader", -1)]


@tap.claim
def the_origin_is_the_users_line():
    def main():
        train_loader = loader()
        consume(train_loader)

    shim.calls.clear()
    main()
    (spec,) = shim.begun().values()
    line = consume.__code__.co_firstlineno + 1
    assert spec["origin"] == f"test_hook_names.py:{line}", spec["origin"]


@tap.claim
def names_that_are_too_long_or_not_text_are_cut():
    pools = shim.load("pools")
    assert pools.text("é" * 40, 64) == "é".encode() * 31
    assert pools.text("a\udc80\0b", 64) == b"a\\udc80?b"


@tap.claim
def frameworks_are_known_by_their_functions_and_classes():
    frameworks = shim.load("frameworks")
    told_by = frameworks.told
    assert told_by("transformers.trainer", "_inner_training_loop", {"epoch": 3}, None) == (
        shim.TRAIN, 3, "transformers")
    assert told_by("transformers.trainer", "evaluate", {}, None) == (
        shim.VALIDATE, None, "transformers")
    assert told_by("__main__", "evaluate", {}, None) == (None, None, None)
    assert told_by("keras.src.backend.torch.trainer", "fit", {"epoch": 1}, None) == (
        shim.TRAIN, 1, "keras")
    assert told_by("ultralytics.models.yolo.detect.train", "get_dataloader", {"mode": "val"},
                   None) == (shim.VALIDATE, None, "ultralytics")
    loop = type("ValLoop", (), {"__module__": "mmengine.runner.loops"})
    mine = type("Mine", (loop,), {"__module__": "__main__"})
    assert told_by("__main__", "run", {}, mine()) == (shim.VALIDATE, None, "mmengine")
    epochs = type("EpochBasedTrainLoop", (), {"__module__": "mmengine.runner.loops"})()
    epochs._epoch = 4
    assert told_by("mmengine.runner.loops", "run_epoch", {}, epochs) == (
        shim.TRAIN, 4, "mmengine")
    assert told_by("mmengine.runner.loops", "run", {}, epochs)[1] == 3  # validates after it counted
    assert told_by("fastai.learner", "_do_epoch_train", {}, None)[0] == shim.TRAIN
    assert told_by("fastai.learner", "_do_epoch", {}, None)[0] == shim.VALIDATE
    assert told_by("fastai.learner", "_do_fit", {"epoch": 2}, None) == (None, 2, "fastai")
    assert told_by("fastai.learner", "get_preds", {}, None)[0] == shim.PREDICT
    assert told_by("ultralytics.engine.trainer", "_do_train", {"epoch": 1}, None) == (
        shim.TRAIN, None, "ultralytics")
    assert told_by("composer.trainer.trainer", "_spin_dataloaders_to_cur_epoch", {}, None)[0] == shim.OTHER
    assert told_by("composer.trainer.trainer", "_eval_loop", {}, None) == (
        shim.VALIDATE, None, "composer")


tap.run()
