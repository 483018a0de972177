"""Prints a port of loopback that nobody uses, below those that the kernel gives to connections.

A port that the kernel chose may be given to another test's connection while the server that should listen is started.
"""
import random
import socket

while True:
    port = random.randrange(10000, 32000)
    with socket.socket() as candidate:
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            candidate.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break
