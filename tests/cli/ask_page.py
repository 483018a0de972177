"""Requests a served page over HTTPS, without verifying the certificate, or over HTTP.

Usage: ask_page.py METHOD URL [BODY]; prints the status and the body. $TOKEN: the token to send.
"""
import os
import ssl
import sys
import urllib.error
import urllib.request

context = ssl.create_default_context()
context.check_hostname = False
context.verify_mode = ssl.CERT_NONE
body = sys.argv[3].encode() if len(sys.argv) > 3 else None
headers = {"Authorization": "Bearer " + os.environ["TOKEN"]} if "TOKEN" in os.environ else {}
request = urllib.request.Request(sys.argv[2], body, headers, method=sys.argv[1])
try:
    with urllib.request.urlopen(request, timeout=60, context=context) as answer:
        print(answer.status, answer.read().decode())
except urllib.error.HTTPError as answer:
    print(answer.code, answer.read().decode())
except (OSError, urllib.error.URLError) as error:
    sys.exit(str(error))
