"""The cases `countedCases` of Scenario+HardCases.swift on Hypothesis.

For each, prints the name, the number of seeds that find it, for how many of them the example has the
fewest commands, and the number of commands after the run that showed the bug, of all seeds together.

Arguments: seeds, most runs of 50 commands to find a bug, most commands to shrink it.
"""

import sys
from collections import Counter

from hypothesis import HealthCheck, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyStrategyDefinition
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

SEEDS, RUNS, SHRINK_CALLS = map(int, sys.argv[1:])

KEY, VALUE, DIGIT = st.integers(0, 15), st.integers(0, 99), st.integers(0, 9)


class BudgetIsSpent(BaseException):
    """Hypothesis takes any `Exception` for the bug."""


def armed(world, name, value):
    if name == "tick":
        world["total"] = (world["total"] + 1) % 5
    if name == "arm" and value >= 50:
        world["is armed"] = 1
    return world["total"] == 3 and world["is armed"] == 1


def odd(world, name, digit):
    if name != "turn":
        world[name] += 1
    return name == "turn" and digit == 7 and world["left"] % 2 == 1 and world["right"] % 2 == 1


def steps(world, name, _):
    world["total"] += 1 if name == "step" else -1
    return world["total"] >= 16


def writes(world, name, key):
    if name != "write":
        return False
    world[key] += 1
    return world[key] == 3


def depth(world, name, _):
    world["total"] = max(world["total"] + (1 if name == "open" else -1), 0)
    if world["total"] == 4:
        world["was deep"] = 1
    return world["total"] == 0 and world["was deep"] == 1


def floors(world, name, _):
    if name == "up":
        world["total"] = min(world["total"] + 1, 5)
    if name == "down":
        world["total"] = max(world["total"] - 1, 0)
    if world["total"] == 5:
        world["was up"] = 1
    return name == "ring" and world["total"] == 0 and world["was up"] == 1


# Name, commands with the strategies of their arguments, the subject, the fewest commands.
CASES = [
    ("armed at three of five", {"tick": None, "arm": VALUE}, armed, 4),
    ("odd and odd", {"left": None, "right": None, "turn": DIGIT}, odd, 3),
    ("sixteen steps", {"step": None, "back": None}, steps, 16),
    ("every third write of a key", {"write": KEY, "other": KEY}, writes, 3),
    ("depth four and back", {"open": None, "close": None}, depth, 8),
    ("ten floors", {"up": None, "down": None, "ring": KEY}, floors, 11),
]


def shrunk(rules, is_hit, number):
    """The length of the example that a seed ends at, or None, and the commands to shrink it."""
    best = None
    calls = 0

    class Machine(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.world = Counter()
            self.length = 0

        def act(self, name, argument):
            nonlocal best, calls
            if best is not None:
                if calls == SHRINK_CALLS:
                    raise BudgetIsSpent
                calls += 1
            self.length += 1
            if is_hit(self.world, name, argument):
                best = min(best or self.length, self.length)
                raise AssertionError

    def command(name):
        def act(self, argument=None):
            self.act(name, argument)

        return act

    for name, strategy in rules.items():
        arguments = {} if strategy is None else {"argument": strategy}
        setattr(Machine, "do_" + name, rule(**arguments)(command(name)))

    options = settings(
        max_examples=RUNS, stateful_step_count=50, database=None, deadline=None,
        report_multiple_bugs=False, verbosity=Verbosity.quiet, print_blob=False,
        suppress_health_check=list(HealthCheck))
    try:
        run_state_machine_as_test(seed(number)(Machine), settings=options)
    except (AssertionError, BudgetIsSpent):
        pass
    except FlakyStrategyDefinition:
        # A run that it knows the beginning of has ended early.
        if calls < SHRINK_CALLS:
            raise
    return best, calls


for name, rules, is_hit, fewest in CASES:
    results = [shrunk(rules, is_hit, number) for number in range(1, SEEDS + 1)]
    found = [length for length, _ in results if length is not None]
    minimal = found.count(fewest)
    print(f"{name}|{len(found)}|{minimal}|{sum(calls for _, calls in results)}", flush=True)
