#!/usr/bin/env python3
"""report -f html: the static page, and in headless chromium what a person does with it."""
import atexit
import base64
import csv
import io
import json
import os
import re
import sqlite3
import subprocess

import chromium
import hostile
import tap

BUILD, SRC, TMP = os.environ["LOOPMEM_BUILD"], os.environ["SRC"], os.environ["TEST_TMP"]
SESSION, PAGE = os.path.join(TMP, "ref.loopmem"), os.path.join(TMP, "ref.html")
ON_THE_LEFT, NO_KEY, SHIFT = 1, 0, 8


def loopmem(*arguments):
    return subprocess.run([f"{BUILD}/loopmem", *arguments], check=True, capture_output=True, text=True).stdout


def make(session, page, *arguments):
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", *arguments, session], check=True)
    loopmem("report", "-o", page, session)


make(SESSION, PAGE, "--sites")
with open(PAGE, encoding="utf-8") as f:
    text = f.read()
report = json.loads(loopmem("report", "-f", "json", SESSION))
rounds = {float(r["t_s"]): r for r in csv.DictReader(io.StringIO(
    loopmem("export", "-f", "csv", "--table=timeline", SESSION)))}
HAS_CHART = "dygraphs   none" not in loopmem("--version")

# ---- the file ----


@tap.claim
def the_static_picture_of_the_reference_run():
    picture = re.search(r'<div class="picture".*?\n</div>\n', text, re.S)[0]
    assert picture == open(f"{SRC}/tests/golden/picture-reference.html", encoding="utf-8").read()


@tap.claim
def the_file_refers_to_no_other():
    markup = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.search(r'(src|srcset|action|poster)=', markup)
    assert set(re.findall(r'href="([^"#]*)', markup)) <= {"", "data:,"}
    assert set(re.findall(r'url\(([^)]*)\)', text)) <= {"#hatch", "#dots"}
    assert "@import" not in text and "sourceMappingURL" not in text


@tap.claim
def the_bar_draws_each_part_that_its_words_name():
    far = f"{TMP}/far.loopmem"
    subprocess.run(["cp", SESSION, far], check=True)
    with sqlite3.connect(far) as db:
        db.execute("UPDATE system SET limit_bytes = limit_bytes * 100")
    for session in (SESSION, far):
        page = loopmem("report", "-f", "html", session)
        drawn = re.findall(r'<span class="([a-z]+)', re.search(r'<div class="bar".*?</div>', page, re.S)[0])
        named = re.findall(r'swatch ([a-z]+)', re.search(r'</div>\n<ul class="legend">.*?</ul>', page, re.S)[0])
        assert drawn == named == ["needed", "held", "free"], (drawn, named)


@tap.claim
def the_data_are_the_json_report_and_the_series():
    data = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])
    series = data.pop("series")
    assert data == report
    for row, t in enumerate(series["t_s"]):
        assert sum(c["bytes"][row] for c in series["columns"]) == int(rounds[t]["pss_bytes"]), t
        idle = sum(c["bytes"][row] for c in series["columns"] if c["kind"] == "idle")
        assert idle == int(rounds[t]["idle_bytes"]), t
    assert report["totals"]["peak_at_s"] in series["t_s"]


@tap.claim
def a_run_of_an_hour_with_64_processes_is_small():
    make(f"{TMP}/large.loopmem", f"{TMP}/large.html", "--processes", "64", "--hours", "1")
    assert os.path.getsize(f"{TMP}/large.html") <= 5 << 20


@tap.claim
def a_phase_that_the_program_named_stands_on_the_timeline():
    session, page = f"{TMP}/named.loopmem", f"{TMP}/named.html"
    subprocess.run([f"{BUILD}/tests/fixtures/reference_session", session], check=True)
    with sqlite3.connect(session) as db:
        owner, = db.execute("SELECT owner FROM pool LIMIT 1").fetchone()
        for second, kind, name in ((100, "phase-begin", "warm <up>"), (160, "phase-end", None)):
            db.execute("INSERT INTO event(t_ns, kind, process, value, value2, text) VALUES (?, ?, ?, 1, 0, ?)",
                       (second * 10**9, kind, owner, name))
    loopmem("report", "-o", page, session)
    with open(page, encoding="utf-8") as f:
        marks = re.findall(r'<span class="phase" style="left:([\d.]+)%;width:([\d.]+)%">warm &lt;up&gt;</span>', f.read())
    share = 100 / report["duration_s"]
    assert len(marks) == 1 and abs(float(marks[0][0]) - 100 * share) < .1 and abs(float(marks[0][1]) - 60 * share) < .1, marks


# ---- in a browser ----

browser = None
if chromium.installed():
    browser = chromium.Browser(f"{TMP}/browser")
    atexit.register(browser.__exit__)


def in_browser(function):
    def wrapped():
        if not browser:
            raise tap.Skip("chromium is not installed")
        function()
    wrapped.__name__ = function.__name__
    return tap.claim(wrapped)


def with_chart(function):
    def wrapped():
        if not HAS_CHART:
            raise tap.Skip("built without dygraphs")
        function()
    wrapped.__name__ = function.__name__
    return in_browser(wrapped)


def open_page(path=PAGE, **how):
    return browser.open(f"file://{path}", **how)


def clean(page, path=PAGE):
    assert page.complaints() == [], page.complaints()
    assert {url for url in page.requests() if not url.startswith("data:")} == {f"file://{path}"}, page.requests()


def at_moment(page, seconds):
    """The pixel of a moment in the chart."""
    page.value("document.getElementById('live').scrollIntoView({block: 'center'})")
    return page.value(f"""(() => {{ const b = document.getElementById('live').getBoundingClientRect();
        return [b.left + loopmem.chart.toDomXCoord({seconds}), b.top + 150]; }})()""")


def panel(page):
    return page.value("""({t: +document.querySelector('#panel h3').dataset.t,
        all: +document.querySelector('#panel h3').dataset.bytes, shown: document.querySelector('#panel h3').textContent,
        parts: [...document.querySelectorAll('#panel li')].map((e) => [e.querySelector('span').textContent, +e.dataset.bytes]),
        text: document.getElementById('panel').textContent})""")


@in_browser
def it_opens_without_complaint_and_asks_for_nothing():
    clean(open_page())


@with_chart
def hovering_shows_the_values_of_the_session():
    page = open_page()
    for seconds in (100.2, 350.7, 753.9, 900.3, 1100.1):
        page.mouse("mouseMoved", *at_moment(page, seconds))
        page.value("new Promise((done) => requestAnimationFrame(() => done(1)))")
        shown = panel(page)
        assert abs(shown["t"] - seconds) < 4, (seconds, shown)
        of_session = rounds[shown["t"]]
        assert shown["all"] == int(of_session["pss_bytes"]) == sum(b for _, b in shown["parts"])
        assert dict(shown["parts"])["owner and others"] == int(of_session["owner_bytes"])
        held = sum(b for name, b in shown["parts"] if "held idle" in name)
        assert held == int(of_session["idle_bytes"]), shown
    clean(page)


@with_chart
def the_panel_names_pools_and_states():
    page = open_page()
    page.value("document.getElementById('live').focus()")
    page.key("p")
    shown = panel(page)
    assert shown["t"] == report["totals"]["peak_at_s"] and shown["shown"] == "26.4 GiB"
    names = [name for name, _ in shown["parts"]]
    assert "train #4 e1held idle for 1:03" in names and "train #6 e2starting for 1.9 s" in names
    assert "94% of the limit" in shown["text"]
    assert page.value("[loopmem.percent(94.6, 100), loopmem.percent(99.9, 100), loopmem.percent(.1, 100)].join()") == "95%,99%,<1%"
    assert page.value("[.02, 9.96, 28.6, 63.9].map(loopmem.duration).join()") == "<0.1 s,9.9 s,28 s,1:03"


@with_chart
def keys_walk_through_time():
    page = open_page()
    page.value("document.getElementById('live').focus()")
    times = page.value("loopmem.series.t_s")
    page.key("p")
    peak = times.index(report["totals"]["peak_at_s"])
    for key, modifiers, row in (("ArrowRight", 0, peak + 1), ("ArrowLeft", 0, peak), ("ArrowRight", SHIFT, peak + 10),
                                ("Home", 0, 0), ("End", 0, len(times) - 1)):
        page.key(key, modifiers)
        assert page.value("loopmem.row") == row, key
    page.key("i")
    assert abs(panel(page)["t"] - report["totals"]["idle_retained_max_at_s"]) < 1e-6
    page.key("p")
    page.key("]")
    assert page.value("loopmem.phaseAt(loopmem.series.t_s[loopmem.row]).name") == "train e2"
    page.key("[")
    assert page.value("loopmem.phaseAt(loopmem.series.t_s[loopmem.row]).name") == "validate e1"
    assert "kept" in page.value("document.getElementById('announce').textContent")
    clean(page)


@with_chart
def zooming_moves_the_chart_and_the_pools():
    page = open_page()
    window, gantt = "loopmem.chart.xAxisRange()", "+getComputedStyle(document.querySelector('.gantt')).getPropertyValue('--to')"
    assert page.value(window) == [0, report["duration_s"]]
    page.value("document.getElementById('live').focus()")
    page.key("p")
    page.key("+")
    start, end = page.value(window)
    assert abs((end - start) - report["duration_s"] / 2) < 1 and start < report["totals"]["peak_at_s"] < end
    assert page.value(gantt) == end
    page.key("=")
    assert page.value(window) == [0, report["duration_s"]] and page.value(gantt) == report["duration_s"]
    page.value("document.querySelector('button.show').click()")
    start, end = page.value(window)
    assert start < report["findings"][0]["moments_s"][0] < end and end - start < report["duration_s"] / 2


@with_chart
def hiding_held_idle_leaves_the_curve_without_at_the_same_scale():
    page = open_page()
    scale = page.value("loopmem.chart.yAxisRange()")
    page.value("document.getElementById('hide').click()")
    kinds = page.value("loopmem.series.columns.map((c) => c.kind)")
    assert page.value("loopmem.chart.visibility()") == [kind != "idle" for kind in kinds]
    assert page.value("loopmem.chart.yAxisRange()") == scale
    page.value("document.querySelector('.legend input[data-kind=owner]').click()")
    assert page.value("loopmem.chart.visibility()") == [kind not in ("idle", "owner") for kind in kinds]
    page.value("document.getElementById('hide').click()")
    assert page.value("loopmem.chart.visibility()") == [kind != "owner" for kind in kinds]
    clean(page)


@with_chart
def batches_in_flight_and_waiting_share_the_window():
    page = open_page()
    in_flight = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])["series"]["batch_bytes"]
    assert page.value("loopmem.flight.getValue(200, 1)") == in_flight[200] > 0
    page.value("loopmem.show(200, true)")
    assert page.value("+document.querySelector('#panel .batches').dataset.bytes") == in_flight[200]
    assert page.value("loopmem.flight.getSelection()") == 200
    page.value("loopmem.zoom(300, 400)")
    assert page.value("loopmem.flight.xAxisRange()") == [300, 400]
    clean(page)


@with_chart
def a_kept_moment_fills_the_tree_of_processes():
    page = open_page()
    page.click(*at_moment(page, 340))
    t = panel(page)["t"]
    tree = page.value("[...document.querySelectorAll('#tree tr')].map((e) => [e.querySelector('th').textContent, "
                      "+e.querySelector('[data-bytes]').dataset.bytes, e.children[2].textContent])")
    alive = [w for p in report["pools"] for w in p["workers"] if w["start_s"] <= t < w["end_s"]]
    workers = [row for row in tree if " worker " in row[0]]
    assert len(workers) == len(alive) == 16, (t, len(workers), len(alive))
    assert {row[2] for row in workers if row[0].startswith("train #2")} == {"idle"}
    # the job's shared objects that no process maps are not in any process
    assert abs(sum(row[1] for row in tree) / int(rounds[t]["pss_bytes"]) - 1) < 0.05
    assert page.value("document.getElementById('when').textContent").startswith("At 5:")
    clean(page)


CALLS = "[...document.querySelectorAll('.call')].filter((e) => e.getBoundingClientRect().width > 0)"


@in_browser
def calls_are_drawn_by_their_memory_and_listed_as_text():
    page = open_page(scripts=False)
    page.call("Emulation.setScriptExecutionDisabled", value=False)
    drawn = page.value(CALLS + ".map((e) => [e.textContent, +e.dataset.bytes, e.getBoundingClientRect().width, e.title])")
    whole = next(call for call in drawn if call[0] == "all call sites")
    for name, held, width, title in drawn:
        assert abs(width / whole[2] - held / whole[1]) < 0.002, (name, held, width)
        assert re.search(r"[\d.]+ [GMK]iB, [\d.]+% of all", title), title
    pools = [(name, held) for name, held, _, _ in drawn if name in ("train #4 e1", "owner 41021", "validate #5 e1")]
    assert len(pools) == 3 and sum(held for _, held in pools) == whole[1]
    listed = page.value("[...document.querySelectorAll('.sites tbody tr')].map((e) => e.textContent)")
    assert any("dataset.py:141 CocoTrain.__getitem__" in row and "4.9" in row and "fetch.py:51" in row for row in listed), listed


@in_browser
def a_search_marks_calls_and_tells_their_share():
    page = open_page()
    page.value("document.getElementById('find').focus()")
    for letter in "getitem":
        page.key(letter)
    hits = page.value(CALLS + ".filter((e) => e.classList.contains('hit')).map((e) => [e.textContent, +e.dataset.bytes])")
    assert sorted(name for name, _ in hits) == ["CocoTrain.__getitem__", "CocoVal.__getitem__"], hits
    whole = page.value("+document.querySelector('.call').dataset.bytes")
    said = page.value("document.getElementById('found').textContent")
    assert said.startswith(f"2 calls, {sum(b for _, b in hits) / whole * 100:.1f}%, "), said
    page.key("Escape")
    assert page.value("document.querySelectorAll('.call.hit').length") == 0
    clean(page)


@in_browser
def matches_within_matches_count_once():
    page = open_page()
    page.value("document.getElementById('find').value = 'train'; "
               "document.getElementById('find').dispatchEvent(new Event('input'))")
    pool, hits = page.value("[+document.querySelector('.call.pool.train').dataset.bytes, document.querySelectorAll('.hit').length]")
    owner = page.value("+[...document.querySelectorAll('.call')].find((e) => e.textContent === 'main').dataset.bytes")
    share = float(re.search(r", ([\d.]+)%", page.value("document.getElementById('found').textContent"))[1])
    assert hits > 3 and abs(share - 100 * (pool + owner) / page.value("+document.querySelector('.call').dataset.bytes")) < 0.1


@in_browser
def calls_are_walked_and_shown_alone_by_keys():
    page = open_page()
    focused = "document.activeElement.textContent"
    page.value("document.querySelector('.call').focus()")
    for key, name in (("ArrowDown", "train #4 e1"), ("ArrowRight", "owner 41021"), ("ArrowRight", "validate #5 e1"),
                      ("ArrowDown", "fetch +2"), ("ArrowUp", "validate #5 e1"), ("ArrowLeft", "owner 41021")):
        page.key(key)
        assert page.value(focused) == name, (key, page.value(focused))
    assert page.value("document.getElementById('call').textContent").startswith("owner 41021\n")
    page.key("Enter")
    width = "document.activeElement.getBoundingClientRect().width / document.querySelector('.icicle').clientWidth"
    assert page.value(width) > 0.99
    assert not [name for name in page.value(CALLS + ".map((e) => e.textContent)") if "#" in name], "only the owner's calls"
    rows = "+document.querySelector('.icicle').style.getPropertyValue('--rows')"
    assert page.value(rows) == 5
    page.key("Escape")
    assert page.value(width) < 0.5
    page.key("/")
    assert page.value("document.activeElement.id") == "find"
    clean(page)


@in_browser
def ranks_are_summed_at_one_instant_and_drawn_on_one_scale():
    others = [f"{TMP}/rank{i}.loopmem" for i in (1, 2)]
    for growth, path in zip(("0.5", "-0.5"), others):
        subprocess.run([f"{BUILD}/tests/fixtures/reference_session", f"--growth={growth}", path], check=True)
    path = f"{TMP}/ranks.html"
    loopmem("report", "-o", path, SESSION, *others)
    job = json.loads(loopmem("report", "-f", "json", SESSION, *others))
    page = open_page(path)
    said = page.value("document.querySelector('#ranks p').textContent")
    peak, = [node["peak_pss_bytes"] for node in job["nodes"]]
    assert said.startswith(f"{peak / (1 << 30):.1f} GiB of ") and "3 ranks on node17" in said, said
    heights = page.value("[...document.querySelectorAll('.rank svg')].map((e) => e.getBBox().height)")
    peaks = [rank["totals"]["peak_pss_bytes"] for rank in job["ranks"]]
    for height, one in zip(heights, peaks, strict=True):
        assert abs(height / max(heights) - one / max(peaks)) < 0.02, (heights, peaks)
    told = json.loads(page.value("document.getElementById('data').textContent"))
    assert told["totals"]["peak_pss_bytes"] == max(peaks) and "of rank 1," in page.value("document.getElementById('ranks').textContent")
    clean(page, path)
    assert "Ranks" not in text


@in_browser
def without_scripts_everything_can_be_read():
    page = open_page(scripts=False)
    page.call("Emulation.setScriptExecutionDisabled", value=False)  # the page's own have not run
    assert not page.value("document.documentElement.classList.contains('scripted')")
    shown = page.value("document.body.innerText")
    for words in ("26.4 GiB", "16.4 GiB", "loopmem run --release-idle-workers", "train #4 e1", "validate e2", "unexplained"):
        assert words in shown, words
    assert "Copy" not in shown and "Theme" not in shown, "no button that does nothing"
    assert page.value("document.querySelector('.picture').getBoundingClientRect().height") > 200
    idle = "getComputedStyle(document.querySelector('.area.idle')).display"
    assert page.value(idle) != "none"
    page.value("document.getElementById('hide').click()")
    assert page.value(idle) == "none", "the switch works by style alone"


@in_browser
def without_the_chart_library_the_picture_stays():
    bare = f"{TMP}/bare.html"
    with open(bare, "w", encoding="utf-8") as f:
        f.write(re.sub(r"<script>/\*! @license.*?</script>", "", text, count=1, flags=re.S))
    page = open_page(bare)
    assert page.value("getComputedStyle(document.querySelector('.picture')).display") == "block"
    assert page.value("document.getElementById('live').hidden && document.getElementById('panel').hidden")
    clean(page, bare)


@in_browser
def no_width_makes_the_page_scroll_sideways():
    for width in (320, 390, 640, 900, 1100, 1600):
        page = open_page(width=width)
        assert page.value("document.scrollingElement.scrollWidth") <= width, width
        assert page.value("(g => g.scrollWidth <= g.clientWidth)(document.querySelector('.gantt'))"), f"lives are cut at {width}"


@in_browser
def dark_is_dark_and_the_button_chooses():
    ground = "getComputedStyle(document.body).backgroundColor"
    page = open_page(prefers_color_scheme="dark")
    assert page.value(ground) == "rgb(20, 24, 29)"
    page.value("document.getElementById('theme').click()")
    assert page.value(ground) == "rgb(255, 255, 255)", "light wins over the system's"
    page.value("document.getElementById('theme').click()")
    page.media(prefers_color_scheme="light")
    assert page.value(ground) == "rgb(20, 24, 29)"
    clean(page)


@in_browser
def it_prints_the_picture_and_no_buttons():
    page = open_page()
    page.media("print")
    shown = page.value("[...document.querySelectorAll('button, nav, #live, .toggle')].filter((e) => e.getClientRects().length)"
                       ".map((e) => e.outerHTML.slice(0, 80))")
    assert shown == [], shown
    assert page.value("document.querySelector('.picture svg').getBoundingClientRect().height") > 200
    pdf = base64.b64decode(page.call("Page.printToPDF", printBackground=True)["data"])
    assert pdf.startswith(b"%PDF-") and 2 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 7


@in_browser
def what_can_be_pressed_has_a_name():
    page = open_page()
    assert page.value("document.querySelectorAll('h1').length") == 1
    nameless = page.value("[...document.querySelectorAll('button, input')].filter((e) => "
                          "e.getClientRects().length && !(e.textContent || e.getAttribute('aria-label') || (e.labels && e.labels[0].textContent))).length")
    assert nameless == 0
    picture = "document.getElementById(document.getElementById('live').getAttribute('aria-describedby')).textContent"
    assert "rises to 26.4 GiB at 12:33" in page.value(picture)
    assert page.value("document.querySelectorAll('details.table tbody tr').length") in range(30, 61)


@in_browser
def names_of_the_program_stay_text():
    session, path = hostile.session(f"{TMP}/hostile.loopmem"), f"{TMP}/hostile.html"
    loopmem("report", "-o", path, session)
    page = open_page(path)
    assert "<img src=x onerror=alert(1)>" in page.value("document.body.innerText")
    clean(page, path)
    counts = "[document.images.length, document.scripts.length]"
    assert page.value(counts) == open_page().value(counts)


@in_browser
def a_large_page_opens_soon():
    page = open_page(f"{TMP}/large.html")
    cpu_s = page.cpu_s()
    assert cpu_s < 1.5, f"{cpu_s} s of the processor, 0.3 s when this was written"
    assert page.load_s < 20, f"{page.load_s} s, the goal is 2 s on a quiet machine"
    clean(page, f"{TMP}/large.html")


tap.run()
