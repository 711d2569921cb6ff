"""The sampling rate adapts: what stays is found closely, what comes and goes coarsely and without a bias.

Deviations that are allowed are 5 standard errors or more (docs/sampling.md), wrong once in a million runs."""
import segments
import sites
import tap

FINEST, COARSEST = 64 << 10, 8 << 20


def sampled(*arguments, **environment):
    """The sites of a run, and the exact bytes that it allocated."""
    directory = segments.new_directory()
    run = segments.run([segments.target("churn"), *arguments], directory=directory, **environment)
    assert run.returncode == 0, run.stderr
    found, = sites.read(directory)
    return found, run.segments[0].alloc_bytes


def total(found, figure):
    return sum(getattr(site, figure) for site in (*found.sites, found.other))


@tap.claim
def what_stays_is_found_closely():
    found, exact = sampled("60", "0")
    assert found.mean_bytes == FINEST
    assert abs(total(found, "live_bytes") / exact - 1) < 0.2, (total(found, "live_bytes"), exact)
    assert found.samples > exact / FINEST / 3, found.samples


@tap.claim
def what_comes_and_goes_is_sampled_coarsely_and_without_a_bias():
    found, exact = sampled("0", "16000")
    assert found.mean_bytes < found.coarsest_bytes <= COARSEST
    assert found.samples < exact / FINEST / 3, found.samples
    # at the coarsest mean the standard error is 2.3 %
    assert abs(total(found, "alloc_bytes") / exact - 1) < 0.12, (total(found, "alloc_bytes"), exact)
    assert total(found, "live_bytes") < exact / 100, total(found, "live_bytes")


@tap.claim
def a_rate_that_is_asked_for_stays():
    found, exact = sampled("0", "1000", LOOPMEM_SAMPLE_BYTES=str(256 << 10))
    assert found.mean_bytes == found.coarsest_bytes == 256 << 10
    assert 0.8 < found.samples / (exact / (256 << 10)) < 1.2, found.samples


tap.run()
