"""Every key of `loopmem top`, pressed on a terminal; every entry of the key table is pressed here."""
import os
import re
import subprocess

import tap
from screen import Screen

BUILD, TMP, SRC = (os.environ[name] for name in ("LOOPMEM_BUILD", "TEST_TMP", "SRC"))
SESSION = os.path.join(TMP, "run-0412.loopmem")
LIVE = os.path.join(TMP, "live.loopmem")
subprocess.run([f"{BUILD}/tests/fixtures/reference_session", SESSION], check=True)
SITES = os.path.join(TMP, "sites.loopmem")
subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--until", "718", LIVE], check=True)
subprocess.run([f"{BUILD}/tests/fixtures/reference_session", "--sites", SITES], check=True)

pressed = set()


def top(session=SESSION, options="", width=80, height=24):
    env = [f"XDG_CONFIG_HOME={TMP}/config", "NO_COLOR=1"]
    screen = Screen(f"{BUILD}/loopmem top {options} {session}", width, height, env)
    screen.wait_for(r"REPLAY|LIVE")
    return screen


def press(screen, *steps):
    """Steps are pairs: a key as tmux names it, and what the screen has to show then."""
    for key, expected in steps:
        pressed.add(key)
        screen.keys(key)
        screen.wait_for(expected)


@tap.claim
def numbers_and_tab_change_the_screen():
    with top() as screen:
        press(screen, ("2", r"\[2 Pools\]"), ("3", r"\[3 Processes\]"), ("4", r"\[4 Sites\]"), ("5", r"\[5 Findings"),
              ("6", r"\[6 Events\]"), ("1", r"\[1 Overview\]"), ("Tab", r"\[2 Pools\]"), ("BTab", r"\[1 Overview\]"),
              ("BTab", r"\[6 Events\]"))


@tap.claim
def time_keys_move_the_cursor():
    with top() as screen:
        press(screen, ("0", r"REPLAY 0:00 "), ("$", r"REPLAY 18:50 "), ("p", r"REPLAY 12:33 .*\n.*\n.*\n(.*\n)*.*▲ 12:33 peak"),
              ("i", r"REPLAY 17:41 "), ("p", r"REPLAY 12:33 "), ("t", r"REPLAY 12:34 "), ("T", r"REPLAY 12:33 "),
              ("]", r"REPLAY 12:37 .*train e2"), ("[", r"REPLAY 11:34 "), ("0", r"REPLAY 0:00 "))
        # a column of the chart is 15.1 s
        press(screen, ("l", r"REPLAY 0:(1[5-9]|2\d|30) "), ("h", r"REPLAY 0:(0\d|1[0-5]) "), ("0", "REPLAY 0:00 "),
              ("L", r"REPLAY 2:(2|3|4)\d "), ("H", r"REPLAY 0:(0|1)\d "), ("0", "REPLAY 0:00 "),
              ("Right", r"REPLAY 0:(1[5-9]|2\d|30) "), ("Left", r"REPLAY 0:(0\d|1[0-5]) "))


@tap.claim
def b_goes_to_a_time_and_says_what_it_cannot_read():
    with top() as screen:
        press(screen, ("b", r"Go to"))
        screen.text("6:24")
        screen.keys("Enter")
        screen.wait_for(r"REPLAY 6:24 ")
        screen.keys("b")
        screen.text("val1")
        screen.keys("Enter")
        screen.wait_for(r"REPLAY 11:34 ")
        screen.keys("b")
        screen.text("nowhere")
        screen.keys("BSpace", "Enter")
        screen.wait_for(r'no moment "nowher"')
        screen.keys("b")
        screen.text("59:59")
        screen.keys("Enter")
        screen.wait_for(r'no moment "59:59" up to \d+:\d\d')
        screen.keys("b", "Escape")
        screen.wait_gone(r"Go to")


@tap.claim
def zoom_narrows_the_window_and_all_brings_it_back():
    with top() as screen:
        screen.wait_for(r"\n    0:00 ")
        press(screen, ("+", r"\n    (?!0:00)"), ("+", r"\n    .*12:00"), ("-", r"\n    .*1\d:00"), ("=", r"\n    0:00 "))


@tap.claim
def space_plays_and_stops_and_braces_change_the_speed():
    with top() as screen:
        screen.keys("0")
        press(screen, ("{", r"in real time, no slower"), ("}", r"2 times"), ("}", r"4 times"), ("}", r"8 times"), ("{", r"4 times"), ("}", "8 times"),
              ("}", "16 times"), ("}", "32 times"), ("}", "64 times real time(?!,)"), ("}", "64 times real time, no faster"))
        press(screen, ("Space", r"PLAY 64x"))
        screen.wait_for(r"PLAY 64x ([1-9]|1\d):")
        screen.keys("Space")
        screen.wait_for(r"REPLAY ")


@tap.claim
def a_live_session_is_followed_paused_and_followed_again():
    with top(LIVE) as screen:
        screen.wait_for(r"LIVE 11:58|LOST")
        press(screen, ("h", r"PAUSED 11:\d\d \(\+0:"), ("F", r"LIVE 11:58|LOST"), ("Space", r"PAUSED|LOST"))


@tap.claim
def row_keys_move_the_selection():
    with top() as screen:
        press(screen, ("2", r">sanity #1"), ("j", r">train #2"), ("k", r">sanity #1"), ("Down", r">train #2"),
              ("Up", r">sanity #1"), ("G", r">validate #7"), ("g", r">sanity #1"), ("End", r">validate #7"),
              ("Home", r">sanity #1"), ("PageDown", r">validate #7"), ("PageUp", r">sanity #1"), ("C-f", r">validate #7"),
              ("C-b", r">sanity #1"), ("C-d", r">(train|validate) #[45]"), ("C-u", r">sanity #1"))


@tap.claim
def enter_goes_in_and_escape_out():
    with top() as screen:
        press(screen, ("Enter", r"\[2 Pools\](.*\n)*>train #4(.*\n)*.*WORKER +PID"), ("Enter", r"\[3 Processes\](.*\n)*> .*train #4"),
              ("Escape", r"\[2 Pools\]"), ("Escape", r"\[2 Pools\](.*\n)* #7"), ("BSpace", r"\[1 Overview\]"))


@tap.claim
def tables_are_sorted_turned_and_brought_back():
    with top() as screen:
        screen.keys("2")
        press(screen, (">", r"POOLv(.*\n)*>?.?sanity"), ("<", r"in its own order"), ("F6", "sorted by POOL"), (">", "sorted by STATE"),
              (">", "sorted by WORKERS"), (">", r"MEMORYv *IDLE.*\n.train #6"), ("I", r"MEMORY\^ *IDLE.*\n.sanity"))


@tap.claim
def search_finds_again_and_back():
    with top() as screen:
        screen.keys("2")
        press(screen, ("/", r"Search:"))
        screen.text("validate")
        screen.keys("Enter")
        screen.wait_for(r">validate #3")
        press(screen, ("n", r">validate #5"), ("n", r">validate #7"), ("N", r">validate #5"), ("F3", r"Search:"))
        screen.text("nowhere")
        screen.keys("Enter")
        screen.wait_for(r'"nowhere" is not here')


@tap.claim
def a_filter_hides_rows_says_so_and_escape_clears_it():
    with top() as screen:
        screen.keys("2")
        press(screen, ("\\", r"Filter:"))
        screen.text("val")
        screen.keys("Enter")
        screen.wait_for(r"filter: val, 4 hidden(.*\n)*.*POOL.*\n.validate #3.*\n.validate #5.*\n.validate #7.*\n all")
        press(screen, ("F4", r"Filter: val"))
        screen.text("xx")
        screen.wait_for(r'0 of 7 rows match "valxx"')
        screen.keys("Escape")
        screen.wait_for(r"sanity #1")


@tap.claim
def the_tree_opens_closes_and_becomes_a_list():
    with top() as screen:
        press(screen, ("F5", r"\[3 Processes\](.*\n)*.*F5List"), ("j", r"> +├─ train #4"), ("e", r"worker 7"), ("e", r"5 more"),
              ("+", r"worker 7"), ("-", r"5 more"), ("E", r"worker 7"), ("F5", r"worker 0 of train #4(.*\n)*.*F5Tree"))


@tap.claim
def marks_are_set_compared_jumped_to_swapped_and_forgotten():
    with top() as screen:
        press(screen, ("d", r"no mark is set"), ("'", r"no mark is set"))
        screen.keys("b")
        screen.text("5:20")
        screen.keys("Enter")
        press(screen, ("m", r"mark A at 5:20"), ("p", r"REPLAY 12:33"), ("F7", r"mark B at 12:33"),
              ("d", r"A 5:20  B 12:33 +B minus A(.*\n)*.*AT A +AT B +B - A(.*\n)*.*train #4 e1 .*\+10\.2"),
              ("x", r"A 12:33  B 5:20(.*\n)*.*train #4 e1 .*-10\.2"), ("F8", r"REPLAY 12:33"), ("'", r"REPLAY 5:20|REPLAY 12:33"),
              ("u", r"▲"), ("d", r"no mark is set"))


@tap.claim
def what_the_chart_shows_can_be_changed():
    with top() as screen:
        press(screen, ("v", r"chart of private"), ("v", "chart of heap"), ("v", "chart of unshared"), ("v", "chart of shm"),
              ("v", "chart of memory"), ("c", r"chart of kinds(.*\n)*"), ("c", r"0-9 workers"), ("c", r"held idle"),
              ("a", r"[⠀-⣿]"), ("a", r"28\|---"), ("a", r"28│───"), ("o", r"owner 41021"), ("o", r"all on this node"),
              ("#", r"REPLAY.*\n \[1 Overview"), ("#", r"REPLAY.*\n Here"))


@tap.claim
def the_switch_of_a_screen_is_its_own():
    with top() as screen:
        press(screen, ("f", r"no meaning"), ("5", r"Findings"), ("f", r"errors and warnings only"), ("f", r"all findings"),
              ("6", r"\[6 Events\]"), ("f", r"events: start"), ("v", r"\d\d:\d\d:\d\d"))


@tap.claim
def findings_lead_to_their_moments():
    with top() as screen:
        press(screen, ("5", r">E idle-pool-retained"), ("Enter", r"worst at (\d+:\d\d)"), ("[", r"REPLAY"), ("]", r"REPLAY"))


@tap.claim
def enter_gives_the_screen_to_the_stack_of_a_site():
    with top(SITES) as screen:
        press(screen, ("p", r"REPLAY 12:33"), ("4", r"validate #5 e1 "), ("f", r"native frames on"), ("Enter", r"Esc list"))
        screen.wait_gone(r"validate #5 e1 ")
        assert re.search(r"called by.*fetch.*\n.*_worker_loop.*\n.*run", screen.show()), screen.show()
        press(screen, ("j", r"train.py:212 build_model +\d+% of all sites"), ("Escape", r"validate #5 e1 "))


@tap.claim
def a_copy_is_shown_and_sent_to_the_clipboard():
    with top() as screen:
        screen.keys("5")
        press(screen, ("y", r"copied: loopmem run --release-idle-workers -- python train.py"))


@tap.claim
def a_view_is_saved_as_text():
    with top() as screen:
        press(screen, ("F9", r"saved as loopmem-1233-overview.txt"))
        with open(f"{TMP}/loopmem-1233-overview.txt", encoding="utf-8") as file:
            assert "Without held idle" in file.read()
        screen.keys("F9")
        screen.wait_for(r"cannot write loopmem-1233-overview.txt: File exists")


@tap.claim
def set_up_is_kept_in_a_file():
    with top() as screen:
        press(screen, ("F2", r"set-up(.*\n)*>.*Glyphs.*\[auto\]"), ("Enter", r"\[blocks\]"), ("j", r">.*Colours"), ("k", r">.*Glyphs"),
              ("F2", r"kept in .*top.conf"))
        with open(f"{TMP}/config/loopmem/top.conf", encoding="ascii") as file:
            assert "glyphs blocks" in file.read()


@tap.claim
def help_opens_and_closes_with_the_same_keys():
    with top() as screen:
        press(screen, ("?", r"loopmem top: keys"), ("?", r"\[1 Overview\]"), ("F1", r"loopmem top: keys"), ("Escape", r"\[1 Overview\]"))


@tap.claim
def an_unknown_key_says_so_and_nothing_more():
    with top() as screen:
        before = screen.show()
        screen.keys("w")
        screen.wait_for(r"no such key: w   \? help")
        screen.wait_gone(r"no such key", 4)
        assert screen.show() == before


@tap.claim
def control_l_draws_all_anew():
    with top() as screen:
        press(screen, ("C-l", r"\[1 Overview\]"))


@tap.claim
def every_way_to_quit_ends_with_0():
    for key in ("q", "F10", "C-c"):
        with top() as screen:
            pressed.add(key)
            screen.keys(key)
            assert screen.exit_status() == 0


@tap.claim
def control_z_goes_to_the_shell_and_fg_comes_back():
    with top() as screen:
        press(screen, ("C-z", r"Stopped(.*\n)*shell>"))
        assert screen.pane("alternate_on") == "0"
        screen.text("fg\n")
        screen.wait_for(r"\[1 Overview\]")
        assert screen.pane("alternate_on") == "1"
        screen.keys("2")
        screen.wait_for(r"\[2 Pools\]")


TMUX_NAMES = {"CODE_LEFT": "Left", "CODE_RIGHT": "Right", "CODE_UP": "Up", "CODE_DOWN": "Down", "CODE_HOME": "Home",
              "CODE_END": "End", "CODE_PAGE_UP": "PageUp", "CODE_PAGE_DOWN": "PageDown", "CODE_ENTER": "Enter",
              "CODE_ESCAPE": "Escape", "CODE_BACKSPACE": "BSpace", "CODE_TAB": "Tab", "CODE_BACK_TAB": "BTab", "' '": "Space"}


def tmux_name(code):
    function = re.fullmatch(r"CODE_F\((\d+)\)", code)
    control = re.fullmatch(r"CODE_CONTROL\('(.)'\)", code)
    if function:
        return "F" + function[1]
    if control:
        return "C-" + control[1].lower()
    return TMUX_NAMES.get(code) or code[1:-1].replace("\\\\", "\\").replace("\\'", "'")


@tap.claim
def every_key_of_the_table_was_pressed():
    with open(f"{SRC}/tui/keys.def", encoding="utf-8") as file:
        table = re.findall(r"^(?:KEY|ALSO)\((.*), \w+\)$", file.read(), re.M)
    assert len(table) > 60
    missing = {tmux_name(code) for code in table} - pressed
    assert not missing, sorted(missing)


tap.run()
