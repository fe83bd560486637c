"""The set-up of all tests."""

import signal

import hypothesis

# A shell that starts this in the background has its children ignore SIGINT, and an interpreter then never raises KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No test asserts a time.
hypothesis.settings.register_profile("any time", deadline=None)
hypothesis.settings.load_profile("any time")
