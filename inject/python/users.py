"""users.py: whose code a frame runs: the program's own, from which names and lines are taken, a
library's, or the standard library's."""
import sys

# Packages whose frames are never user code, for names and file:line.
LIBRARIES = frozenset("""
    loopmem torch torchvision torchaudio torchtext torchdata
    lightning lightning_fabric pytorch_lightning
    transformers accelerate datasets mmengine ultralytics fastai fastcore keras composer
    joblib loky tqdm numpy runpy importlib contextlib functools threading multiprocessing concurrent asyncio
    IPython ipykernel pytest _pytest pluggy click fire hydra
""".split())


def line(frame):
    return f"{frame.f_code.co_filename.rpartition('/')[2]}:{frame.f_lineno}"


def standard(frame):
    """Whether a frame is of the standard library or of the import system."""
    name = frame.f_code.co_filename
    folder = getattr(sys.modules.get("os"), "__file__", "").rpartition("/")[0]
    return name.startswith("<frozen") or (
        bool(folder) and name.startswith(folder + "/") and not is_installed(name))


def is_installed(file):
    """Whether a file lies where packages are installed, in most cases."""
    return "/site-packages/" in file or "/dist-packages/" in file


def is_users(frame, package):
    """Whether a frame, of a module of that package, may be of the program itself: names and lines are
    taken from it."""
    return package not in LIBRARIES and not standard(frame)
