"""Bugs at rare values on Hypothesis; prints the number of seeds that find each.

Arguments: seeds, most runs of 50 commands.
"""

import sys

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

SEEDS, RUNS = map(int, sys.argv[1:])


def stored(bug, value):
    if bug == "value" and value == 2718:
        return -1
    if bug == "multiple" and value > 0 and value % 4096 == 0:
        return -1
    return value


def machine(bug, limit):
    class Machine(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.model = {}
            self.subject = {}

        @rule(key=st.integers(0, 15), value=st.integers(0, limit))
        def put(self, key, value):
            self.model[key] = value
            self.subject[key] = stored(bug, value)

        @rule(key=st.integers(0, 15))
        def get(self, key):
            assert self.subject.get(key) == self.model.get(key)

    return Machine


for bug, limit in [("value", 3599), ("multiple", 1000000)]:
    found = 0
    for number in range(1, SEEDS + 1):
        test = seed(number)(machine(bug, limit))
        try:
            run_state_machine_as_test(
                test,
                settings=settings(
                    max_examples=RUNS,
                    stateful_step_count=50,
                    database=None,
                    deadline=None,
                    phases=[Phase.generate],
                    suppress_health_check=list(HealthCheck),
                ),
            )
        except AssertionError:
            found += 1
        except Exception as error:  # several failures are reported as a group
            found += 1
            print(error, file=sys.stderr)
    print(f"{bug}|{found}", flush=True)
