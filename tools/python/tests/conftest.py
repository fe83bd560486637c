"""What all tests need."""

import signal

# A shell that starts this in the background has its children ignore SIGINT, and an interpreter then never raises KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
