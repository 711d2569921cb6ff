#!/usr/bin/env python3
"""A real Prometheus scrapes the OpenMetrics file from a local server; what it stored is what the JSON report says."""
import http.server
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

BUILD, TMP = os.environ["LOOPMEM_BUILD"], os.environ["TEST_TMP"]
SESSION = os.path.join(TMP, "run.loopmem")
PATIENCE_S = 60

if not shutil.which("prometheus"):
    print("prometheus is not installed")
    sys.exit(77)

import tap  # noqa: E402


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def loopmem(*arguments):
    return subprocess.run([f"{BUILD}/loopmem", *arguments], check=True, capture_output=True).stdout


subprocess.run([f"{BUILD}/tests/fixtures/reference_session", SESSION], check=True)
METRICS = loopmem("export", "-f", "openmetrics", SESSION)
report = json.loads(loopmem("report", "-f", "json", SESSION))


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
        self.send_header("Content-Length", str(len(METRICS)))
        self.end_headers()
        self.wfile.write(METRICS)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
threading.Thread(target=server.serve_forever, daemon=True).start()
config, port = os.path.join(TMP, "prometheus.yml"), free_port()
with open(config, "w", encoding="utf-8") as f:
    json.dump({"global": {"scrape_interval": "1s"},
               "scrape_configs": [{"job_name": "training", "static_configs": [
                   {"targets": [f"127.0.0.1:{server.server_port}"]}]}]}, f)  # JSON is YAML
prometheus = subprocess.Popen(
    ["prometheus", f"--config.file={config}", f"--storage.tsdb.path={TMP}/tsdb", f"--web.listen-address=127.0.0.1:{port}"],
    stdout=subprocess.DEVNULL, stderr=open(f"{TMP}/prometheus.log", "wb"))


def ask(path, **query):
    url = f"http://127.0.0.1:{port}/api/v1/{path}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(url, timeout=10) as answer:
        return json.load(answer)["data"]


def wait_for_target():
    until = time.monotonic() + PATIENCE_S
    target = {}
    while time.monotonic() < until and target.get("health") not in ("up", "down"):
        time.sleep(0.2)
        assert prometheus.poll() is None, open(f"{TMP}/prometheus.log", encoding="utf-8").read()
        try:
            target = (ask("targets")["activeTargets"] or [{}])[0]
        except OSError:
            pass  # it is starting
    return target


def query(expression):
    until = time.monotonic() + PATIENCE_S
    result = []
    while time.monotonic() < until and not result:
        result = ask("query", query=expression)["result"]
        time.sleep(0.2)
    return {frozenset(r["metric"].items()): float(r["value"][1]) for r in result}


target = wait_for_target()


@tap.claim
def prometheus_takes_the_page():
    assert target["health"] == "up", target


@tap.claim
def it_stores_every_sample():
    samples = [line for line in METRICS.decode().splitlines() if not line.startswith("#")]
    stored = query('scrape_samples_scraped{job="training"}')
    assert list(stored.values()) == [len(samples)]


@tap.claim
def the_peak_is_the_peak():
    assert list(query("loopmem_job_peak_pss_bytes").values()) == [report["totals"]["peak_pss_bytes"]]


@tap.claim
def pools_are_told_by_stage():
    stages = query("max by (stage) (loopmem_pool_idle_retained_max_bytes)")
    for (_, stage), in stages:
        assert stages[frozenset({("stage", stage)})] == max(
            p["idle_retained_bytes_max"] for p in report["pools"] if p["stage"] == stage)
    assert len(stages) == 3


@tap.claim
def units_are_known_to_it():
    about = ask("metadata", metric="loopmem_job_idle_retained_byte_seconds")
    assert about["loopmem_job_idle_retained_byte_seconds"][0]["type"] == "gauge"
    assert about["loopmem_job_idle_retained_byte_seconds"][0]["unit"] == "byte_seconds"


try:
    tap.run()
finally:
    prometheus.terminate()
    prometheus.wait()
    server.shutdown()
