"""The administrator of a bed (tests/live/bed) as a client of its API server, for scripts."""
import json
import pathlib
import ssl
import urllib.error
import urllib.request


class Server:
    """An API server; the folder is that of the bed."""

    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.address = (folder / "server").read_text(encoding="utf-8").strip()
        self.context = ssl.create_default_context(cafile=folder / "ca.crt")
        self.context.load_verify_locations(folder / "next.crt")
        self.context.load_cert_chain(folder / "admin.crt", folder / "admin.key")

    def send(self, method, path, body=None, kind="application/json"):
        """One request; returns the object of the answer."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data=data, method=method, headers={
            "Content-Type": kind, "Accept": "application/json"})
        try:
            with urllib.request.urlopen(request, context=self.context, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refusal:
            raise SystemExit(f"{method} {path}: {refusal.code} {refusal.read().decode()}") from None

    def get(self, path):
        return self.send("GET", path)

    def resources(self):
        """The resources of the server, as {plural.group: (path of the group's version, resource)},
        in the preferred version of each group."""
        versions = ["/api/v1"]
        for group in self.get("/apis")["groups"]:
            best = group["preferredVersion"]["groupVersion"]
            names = [version["groupVersion"] for version in group["versions"]]
            versions += ["/apis/" + name for name in sorted(names, key=lambda name: name != best)]
        found = {}
        for path in versions:
            group = path.split("/")[2] if path.startswith("/apis/") else ""
            for resource in self.get(path)["resources"]:
                if "/" not in resource["name"]:
                    name = resource["name"] + ("." + group if group else "")
                    found.setdefault(name, (path, resource))
        return found
