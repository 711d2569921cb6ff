"""A Python that the shim does not know is left alone, and the segment says why."""
import segments
import tap


def reason_for(version):
    run = segments.Run([segments.target("poolcalls"), "keep:a:1000:1000"], preload=[segments.target("libfakepython.so")],
                       FAKE_PYTHON=version, LOOPMEM_SAMPLE_BYTES="4096")
    segment, = run.segments
    assert segment.python_state == 4, vars(segment)
    return segment.python_reason


@tap.claim
def a_free_threaded_python_is_refused():
    assert reason_for("3.13.0 experimental free-threading build (main)") == "this Python is free-threaded"


@tap.claim
def a_python_that_is_too_new_or_too_old_is_refused():
    assert reason_for("3.16.0 (main)") == "this Python is newer than 3.15"
    assert reason_for("3.7.16 (default)") == "this Python is older than 3.8"


@tap.claim
def a_python_that_lacks_a_function_is_refused_by_its_name():
    assert reason_for("3.12.1 (main)").startswith("this Python has no Py")


tap.run()
