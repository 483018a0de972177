"""Opens a page in chromium and tests it with JavaScript expressions, over the debugger's pipe.

Usage: browse.py CHROMIUM PROFILE URL < EXPRESSIONS
Each line is evaluated until it is true, for a minute at most; a line that begins with "do " is evaluated once.
Prints the first line that stays false, with the value of its left side, and exits with 1 then.
Messages of the console count as failures.
"""
import json
import os
import subprocess
import sys
import time

in_read, in_write = os.pipe()
out_read, out_write = os.pipe()
# The browser reads at descriptor 3 and writes at 4.
os.dup2(in_read, 103)
os.dup2(out_write, 104)


def place():
    os.dup2(103, 3)
    os.dup2(104, 4)


process = subprocess.Popen(
    [sys.argv[1], "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
     "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
     "--user-data-dir=" + sys.argv[2]],
    preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
for descriptor in (in_read, out_write, 103, 104):
    os.close(descriptor)
reader = os.fdopen(out_read, "rb", buffering=0)
pending = b""
serial = 0
console = []


def receive():
    global pending
    while b"\0" not in pending:
        piece = reader.read(65536)
        if not piece:
            sys.exit("the browser has ended")
        pending += piece
    message, _, pending = pending.partition(b"\0")
    return json.loads(message)


def send(method, params=None, session=None):
    """Sends a command and waits for its result."""
    global serial
    serial += 1
    command = {"id": serial, "method": method, "params": params or {}}
    if session:
        command["sessionId"] = session
    os.write(in_write, json.dumps(command).encode() + b"\0")
    while True:
        message = receive()
        refused = message.get("params", {}).get("entry", {}).get("source") == "network"  # an answer other than 200
        if message.get("method") in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded") and not refused:
            console.append(json.dumps(message["params"])[:500])
        if message.get("id") == serial:
            if "error" in message:
                sys.exit(f"{method}: {message['error']}")
            return message["result"]


def evaluate(session, expression):
    result = send("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True}, session)
    if "exceptionDetails" in result:
        return None
    return result["result"].get("value")


def main():
    target = send("Target.createTarget", {"url": "about:blank"})["targetId"]
    session = send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
    send("Runtime.enable", session=session)
    send("Log.enable", session=session)
    send("Page.enable", session=session)
    send("Page.navigate", {"url": sys.argv[3]}, session)
    for line in sys.stdin.read().splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("do "):
            evaluate(session, line[3:])
            continue
        until = time.monotonic() + 60
        while not evaluate(session, line):
            if time.monotonic() > until:
                text = evaluate(session, "document.body.innerText.slice(0, 1500)")
                print(f"not true: {line}\nthe page: {text}")
                return 1
            time.sleep(0.1)
    if console:
        print("the console: " + "\n".join(console))
        return 1
    return 0


try:
    code = main()
finally:
    process.kill()
    process.wait()
sys.exit(code)
