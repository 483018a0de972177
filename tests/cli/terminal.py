#!/usr/bin/env python3
"""Runs a command on a terminal with COLUMNS columns, and prints what the terminal received.

Usage: terminal.py COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    os.environ.setdefault("TERM", "xterm")
    os.execvp(command[0], command)
while True:
    try:
        piece = os.read(master, 65536)
    except OSError:
        break
    if not piece:
        break
    sys.stdout.buffer.write(piece)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
