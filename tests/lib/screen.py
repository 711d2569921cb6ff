"""A program on a terminal of its own (tmux): send keys, read the screen, change its size.

    with Screen("loopmem top FILE", width=80, height=24) as screen:
        screen.wait_for("REPLAY")
        screen.keys("2", "Enter")
"""
import os
import re
import shutil
import subprocess
import tempfile
import time

import tap


class Screen:
    def __init__(self, command, width=80, height=24, env=(), status_file=None):
        if not shutil.which("tmux"):
            raise tap.Skip("tmux is not installed")
        self.socket = tempfile.mktemp(prefix="tmux", dir=os.environ["TEST_TMP"])
        self.status = status_file or os.path.join(os.environ["TEST_TMP"], "status")
        if os.path.exists(self.status):
            os.remove(self.status)
        settings = " ".join(["LC_ALL=C.UTF-8", *env])
        # a shell with job control, so that ^Z and fg work as for a person
        self._tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width), "-y", str(height), "bash --norc -i")
        self._tmux("set-option", "-g", "status", "off")
        self._tmux("resize-window", "-x", str(width), "-y", str(height))
        time.sleep(0.2)
        self._tmux("send-keys", "-l", f"PS1='shell> '; clear; cd {os.environ['TEST_TMP']}; env {settings} {command}; echo \"status $?\" | tee {self.status}")
        self._tmux("send-keys", "Enter")

    def _tmux(self, *arguments):
        done = subprocess.run(["tmux", "-S", self.socket, *arguments], capture_output=True, text=True, check=False)
        if done.returncode:
            raise AssertionError(f"tmux {arguments[0]}: {done.stderr}")
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)

    def keys(self, *names):
        if names:
            self._tmux("send-keys", *[";" if name == ";" else name for name in names])

    def text(self, raw):
        """Types `raw` as it is."""
        self._tmux("send-keys", "-l", raw)

    def hex(self, data):
        """Sends bytes, as a terminal would."""
        self._tmux("send-keys", "-H", *[f"{byte:02x}" for byte in data])

    def resize(self, width, height):
        self._tmux("resize-window", "-x", str(width), "-y", str(height))

    def show(self, styles=False):
        return self._tmux("capture-pane", "-p", *(["-e"] if styles else []))

    def pane(self, what):
        return self._tmux("display-message", "-p", "#{%s}" % what).strip()

    def wait_for(self, pattern, seconds=20):
        """The screen once `pattern` is on it; fails with the screen when it does not come."""
        end = time.monotonic() + seconds
        while True:
            screen = self.show()
            if re.search(pattern, screen):
                return screen
            if time.monotonic() > end:
                raise AssertionError(f"no {pattern!r} within {seconds} s on:\n{screen}")
            time.sleep(0.03)

    def wait_gone(self, pattern, seconds=20):
        end = time.monotonic() + seconds
        while re.search(pattern, self.show()):
            if time.monotonic() > end:
                raise AssertionError(f"{pattern!r} is still on:\n{self.show()}")
            time.sleep(0.03)

    def exit_status(self, seconds=20):
        """The status, once the line that the shell writes of it is whole."""
        end = time.monotonic() + seconds
        while True:
            if os.path.exists(self.status):
                with open(self.status, encoding="ascii") as file:
                    line = file.read()
                if line.endswith("\n"):
                    return int(line.split()[1])
            if time.monotonic() > end:
                raise AssertionError(f"still running:\n{self.show()}")
            time.sleep(0.03)
