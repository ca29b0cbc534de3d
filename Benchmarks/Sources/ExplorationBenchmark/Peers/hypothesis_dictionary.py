"""The dictionary workload on Hypothesis; prints steps per second of processor time."""

import time

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

KEYS = st.integers(0, 15)
VALUES = st.integers(0, 99)
steps = 0


class Store:
    def __init__(self):
        self.entries = {}

    def put(self, key, value):
        self.entries[key] = value

    def get(self, key):
        return self.entries.get(key)

    def delete(self, key):
        return self.entries.pop(key, None) is not None


class Machine(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.model = {}
        self.subject = Store()

    @rule(key=KEYS, value=VALUES)
    def put(self, key, value):
        global steps
        steps += 1
        self.model[key] = value
        self.subject.put(key, value)

    @rule(key=KEYS)
    def get(self, key):
        global steps
        steps += 1
        assert self.subject.get(key) == self.model.get(key)

    @rule(key=KEYS)
    def delete(self, key):
        global steps
        steps += 1
        assert self.subject.delete(key) == (self.model.pop(key, None) is not None)


start = time.process_time()
run_state_machine_as_test(
    Machine,
    settings=settings(
        max_examples=600,
        stateful_step_count=50,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    ),
)
print(steps / (time.process_time() - start))
