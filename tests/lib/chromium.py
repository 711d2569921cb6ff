"""Headless chromium, driven over its DevTools pipe with nothing but the standard library.

    with chromium.Browser(directory) as browser:
        page = browser.open("file:///x.html")
        page.value("document.title")
"""
import json
import os
import select
import shutil
import subprocess
import time

PATIENCE_S = 60


def installed():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    def __init__(self, directory):
        to_read, self.write = os.pipe()
        self.read, to_write = os.pipe()

        def place():  # the browser reads from 3 and writes to 4, which may be any of ours
            spare = os.dup(to_read), os.dup(to_write)
            os.dup2(spare[0], 3)
            os.dup2(spare[1], 4)

        self.process = subprocess.Popen(
            [installed(), "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={directory}"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.number, self.buffer, self.events = 0, b"", []

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.process.terminate()
        self.process.wait()

    def message(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(0, until - time.monotonic()))
            chunk = os.read(self.read, 1 << 20) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self.buffer += chunk
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, session=None, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if session:
            request["sessionId"] = session
        os.write(self.write, json.dumps(request).encode() + b"\0")
        until = time.monotonic() + PATIENCE_S
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def wait(self, method, session):
        until = time.monotonic() + PATIENCE_S
        while not any(e.get("method") == method and e.get("sessionId") == session for e in self.events):
            self.events.append(self.message(until))

    def open(self, url, width=1280, height=900, scripts=True, **media):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Page(self, session, url, width, height, scripts, media)


class Page:
    def __init__(self, browser, session, url, width, height, scripts, media):
        self.browser, self.session = browser, session
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        if media:
            self.media(**media)
        started = time.monotonic()
        self.call("Page.navigate", url=url)
        browser.wait("Page.loadEventFired", session)
        self.load_s = time.monotonic() - started

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def media(self, kind="", **features):
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": k.replace("_", "-"), "value": v} for k, v in features.items()])

    def value(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def seen(self, method):
        return [e["params"] for e in self.browser.events
                if e.get("method") == method and e.get("sessionId") == self.session]

    def complaints(self):
        """What a person would see in the console as a warning or an error."""
        self.value("new Promise((done) => requestAnimationFrame(() => done(1)))")
        return (self.seen("Runtime.exceptionThrown") +
                [e for e in self.seen("Runtime.consoleAPICalled") if e["type"] in ("error", "warning", "assert")] +
                [e["entry"] for e in self.seen("Log.entryAdded")])

    def cpu_s(self):
        """What the page's main thread has computed so far: unlike the time by the clock, nobody else's load is in it."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        return {m["name"]: m["value"] for m in self.call("Performance.getMetrics")["metrics"]}["TaskDuration"]

    def requests(self):
        return [e["request"]["url"] for e in self.seen("Network.requestWillBeSent")]

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def key(self, key, modifiers=0):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)
