"""The cases of ValueCase.swift on Hypothesis.

For each, prints the name, the number of seeds that find it, for how many of them the example is a
smallest one, and the number of calls after the first that showed the bug, of all seeds together.

Arguments: seeds, most calls to find a bug, most calls to shrink it.
"""

import sys
from random import Random

from hypothesis import HealthCheck, find, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

SEEDS, CALLS, SHRINK_CALLS = map(int, sys.argv[1:])


class BudgetIsSpent(BaseException):
    """Hypothesis takes any `Exception` for the bug."""


def wrapped_sum(values):
    return (sum(values) + 2**15) % 2**16 - 2**15


@st.composite
def deletions(draw):
    elements = draw(st.lists(st.integers(-100, 100), min_size=1, max_size=30))
    return elements, elements[draw(st.integers(0, len(elements) - 1))]


@st.composite
def ranges(draw):
    upper = draw(st.integers(0, 1000))
    return draw(st.integers(0, upper)), upper


@st.composite
def columns(draw):
    keys = draw(st.lists(st.integers(0, 99), min_size=1, max_size=20))
    return keys, [draw(st.integers(0, 999)) for _ in keys]


def evaluate(expression):
    if isinstance(expression, int):
        return expression
    kind, left, right = expression
    left, right = evaluate(left), evaluate(right)
    if left is None or right is None or (kind == "/" and right == 0):
        return None
    return left + right if kind == "+" else int(left / right)


def divides_by_zero(expression):
    if isinstance(expression, int):
        return False
    kind, left, right = expression
    if kind == "/" and not isinstance(right, int) and evaluate(right) == 0:
        return True
    return divides_by_zero(left) or divides_by_zero(right)


expressions = st.integers(-10, 10)
for _ in range(2):
    expressions = st.one_of(
        st.integers(-10, 10),
        st.tuples(st.just("+"), expressions, expressions),
        st.tuples(st.just("/"), expressions, expressions),
    )


def couples(places):
    return all(place < len(places) for place in places) and any(
        place != number and places[place] == number for number, place in enumerate(places)
    )


def flat(lists):
    return [element for part in lists for element in part]


shorts = st.lists(st.integers(-32768, 32767), max_size=10)
wide = st.integers(-1000, 1000)
pairs = st.tuples(st.integers(0, 1000), st.integers(0, 1000))

# Name, strategy, whether a value shows the bug, whether it is a smallest one.
CASES = [
    ("length list", st.lists(st.integers(0, 1000), min_size=1, max_size=101),
     lambda v: max(v) >= 900, lambda v: v == [900]),
    ("reverse", st.lists(wide, max_size=30),
     lambda v: v != v[::-1], lambda v: v == [0, 1]),
    ("distinct", st.lists(wide, max_size=30),
     lambda v: len(set(v)) >= 3, lambda v: sorted(v) in ([-1, 0, 1], [0, 1, 2])),
    ("large sum", st.lists(st.integers(0, 200), max_size=60),
     lambda v: sum(v) >= 1000, lambda v: v == [200] * 5),
    ("duplicates", st.lists(st.integers(0, 10000), max_size=40),
     lambda v: any(x > 20 and v.count(x) > 1 for x in v), lambda v: v == [21, 21]),
    ("order", st.lists(st.integers(0, 100), max_size=20),
     lambda v: any(a > b + 10 for a, b in zip(v, v[1:])), lambda v: v == [11, 0]),
    ("coupling", st.lists(st.integers(0, 10), max_size=10),
     couples, lambda v: v == [1, 0]),
    ("deletion", deletions(),
     lambda v: v[0].count(v[1]) > 1, lambda v: v == ([0, 0], 0)),
    ("large union", st.lists(st.lists(wide, max_size=20), max_size=20),
     lambda v: len(set(flat(v))) >= 5,
     lambda v: len(flat(v)) == 5 and sorted(flat(v)) in ([-2, -1, 0, 1, 2], [0, 1, 2, 3, 4])),
    ("nested lists", st.lists(st.lists(st.integers(0, 9), max_size=20), max_size=20),
     lambda v: len(flat(v)) > 10, lambda v: v == [[0] * 11]),
    ("bound 5", st.tuples(shorts, shorts, shorts, shorts, shorts),
     lambda v: all(wrapped_sum(x) < 256 for x in v) and wrapped_sum(flat(v)) >= 5 * 256,
     lambda v: sorted(flat(v)) == [-32768, -1]),
    ("difference of 0", pairs,
     lambda v: v[0] >= 10 and v[0] == v[1], lambda v: v == (10, 10)),
    ("small difference", pairs,
     lambda v: v[0] >= 10 and 1 <= abs(v[0] - v[1]) <= 4, lambda v: v == (10, 6)),
    ("difference of 1", pairs,
     lambda v: v[0] >= 10 and abs(v[0] - v[1]) == 1, lambda v: v == (10, 9)),
    ("zig-zag", st.tuples(st.integers(0, 1000), st.integers(0, 1001)),
     lambda v: abs(v[0] - v[1]) == 1, lambda v: v == (0, 1)),
    ("range", ranges(),
     lambda v: v[0] >= 7 and v[1] - v[0] >= 5, lambda v: v == (7, 12)),
    ("key and value", columns(),
     lambda v: any(k >= 5 and x == 10 * k for k, x in zip(*v)), lambda v: v == ([5], [50])),
    ("two kinds", st.one_of(
        st.tuples(st.just(0), st.integers(0, 1000)),
        st.tuples(st.integers(0, 99), st.integers(0, 9), st.integers(0, 1000))),
     lambda v: v[-1] >= 700 and (len(v) == 2 or v[0] > 50), lambda v: v == (0, 700)),
    ("calculator", expressions,
     divides_by_zero, lambda v: v == ("/", 0, ("+", 0, 0))),
]


def shrunk(strategy, is_hit, number):
    """The example that a seed ends at, or None, and the number of calls that shrinking took."""
    best = None
    calls = 0

    def shows(value):
        nonlocal best, calls
        if best is not None:
            if calls == SHRINK_CALLS:
                raise BudgetIsSpent
            calls += 1
        if not is_hit(value):
            return False
        # Hypothesis tries only what is simpler than the best so far.
        best = (value,)
        return True

    options = settings(
        max_examples=CALLS, database=None, deadline=None, report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck))
    try:
        best = (find(strategy, shows, random=Random(number), settings=options),)
    except (NoSuchExample, BudgetIsSpent):
        pass
    return best, calls


for name, strategy, is_hit, is_minimal in CASES:
    results = [shrunk(strategy, is_hit, number) for number in range(1, SEEDS + 1)]
    found = [example[0] for example, _ in results if example is not None]
    minimal = sum(is_minimal(value) for value in found)
    print(f"{name}|{len(found)}|{minimal}|{sum(calls for _, calls in results)}", flush=True)
