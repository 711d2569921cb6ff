"""Stands in for torch where it is not installed: a data loader with the shape of torch's, no more."""
__version__ = "0.stub"

from torch.utils import data  # noqa: F401,E402
