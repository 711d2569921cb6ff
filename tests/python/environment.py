"""Compares this Python's packages with requirements.txt: prints what differs, fails if anything."""
import importlib.metadata
import pathlib
import sys


def pins():
    for line in (pathlib.Path(__file__).parent / "requirements.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield line.split("==")


def differences():
    for name, wanted in pins():
        try:
            found = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found = None
        if found != wanted:
            yield f"{name} {wanted}, found {found or 'none'}"


if __name__ == "__main__":
    different = list(differences())
    print("\n".join(different))
    sys.exit(1 if different else 0)
