"""An API server without objects, for test_run_versions.sh and test_run_serve.sh. Usage: version_server.py MINOR FILE;
prints its port. It serves resource.k8s.io while FILE exists. It reviews tokens: `ops` may do everything, `reader` may
read /metrics, and no other token is valid."""
import json
import os
import sys
import time
import urllib.parse

import quiet_server


class Answer(quiet_server.Quiet):
    def reply(self, status, value):
        self.answer(status, json.dumps(value).encode())

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if url.path == "/version":
            self.reply(200, {"major": "1", "minor": sys.argv[1]})
        elif url.path.startswith("/apis/resource.k8s.io/") and not os.path.exists(sys.argv[2]):
            self.reply(404, {"kind": "Status", "code": 404})
        elif "watch=1" in url.query:
            self.send_response(200)
            self.end_headers()
            time.sleep(600)
        else:
            self.reply(200, {"metadata": {"resourceVersion": "7"}, "items": []})

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length", "0"))))
        if self.path == "/apis/authentication.k8s.io/v1/tokenreviews":
            token = sent["spec"]["token"]
            known = token in ("ops", "reader")
            self.reply(201, {"status": {"authenticated": known, "user": {"username": token, "groups": ["all"]}}})
        elif self.path == "/apis/authorization.k8s.io/v1/subjectaccessreviews":
            asked = sent["spec"]["nonResourceAttributes"]
            may = sent["spec"]["user"] == "ops" or (sent["spec"]["user"], asked) == (
                "reader", {"path": "/metrics", "verb": "get"})
            self.reply(201, {"status": {"allowed": may, "reason": "" if may else "no rule"}})
        else:
            self.reply(404, {"kind": "Status", "code": 404})


quiet_server.serve(Answer)
