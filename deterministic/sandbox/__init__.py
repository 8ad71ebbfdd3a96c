"""Sandbox for untrusted code.

No network, no other files; bounded time, memory, disk, processes and output.

Two sides. `running` is ours: it starts a launcher, a Python process of its own, and reads its report. Everything else here is the
launcher's (`launcher` is its main program) and imports nothing but the standard library, so that it starts in milliseconds.
"""
