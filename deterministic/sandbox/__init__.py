"""Sandbox for untrusted code.

No network, no other files; bounded time, memory, disk, processes and output.

`running` starts a launcher, a separate Python process, and reads its report. `launcher` is its main program; the modules that it uses
import only the standard library, so that it starts in milliseconds.
"""
