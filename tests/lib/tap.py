"""Tests in Python: one TAP line per claim.

    import tap

    @tap.claim
    def a_pool_ends_with_its_iterator():
        assert ...

    tap.run()
"""
import sys
import traceback

_claims = []


class Skip(Exception):
    """Raise it in a claim that cannot be tried here; the text says why."""


def claim(function):
    _claims.append(function)
    return function


def run():
    failed = 0
    print(f"1..{len(_claims)}")
    for number, function in enumerate(_claims, 1):
        name = f"{number} - {function.__name__.replace('_', ' ')}"
        try:
            function()
        except Skip as why:
            print(f"ok {name} # SKIP {why}")
        except Exception:
            failed += 1
            print(f"not ok {name}")
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
        else:
            print(f"ok {name}")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)
