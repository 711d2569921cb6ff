"""Builds the wheel of this folder (PEP 517) with the standard library alone, so that pip needs no
network. Name, version and the rest stand in pyproject.toml, of which only `key = "value"` is read."""
import base64
import hashlib
import pathlib
import re
import zipfile

HERE = pathlib.Path(__file__).parent


def project():
    section = (HERE / "pyproject.toml").read_text().partition("[project]")[2]
    return dict(re.findall(r'^([\w-]+) = "(.*)"$', section, re.M))


def contents(about, folder):
    """(name in the wheel, its bytes), RECORD excepted."""
    for path in sorted((HERE / "loopmem").glob("*.*")):
        yield f"loopmem/{path.name}", path.read_bytes()
    yield f"{folder}/METADATA", (
        f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n"
        f"Summary: {about['description']}\nRequires-Python: {about['requires-python']}\n").encode()
    yield f"{folder}/WHEEL", b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    about = project()
    name = f"{about['name']}-{about['version']}"
    folder, record = f"{name}.dist-info", ""
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as out:
        for path, data in contents(about, folder):
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{path},sha256={digest},{len(data)}\n"
            out.writestr(path, data)
        out.writestr(f"{folder}/RECORD", f"{record}{folder}/RECORD,,\n")
    return wheel
