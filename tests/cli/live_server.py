"""An API server that serves the objects of a JSON list, for test_live_read.sh.

Usage: live_server.py CLUSTER.json LOG [OPTION...]; prints its port.
  page=N         at most N objects a page
  forbid=NAMES   resources whose list is forbidden: pods,nodes
  without=GROUP  an API group that it lacks
  expire         the first continued page of pods is answered with 410
  busy           the first lists are answered with 429, 503 and 504
  nodiscovery    /apis is forbidden
  tls=FILE       HTTPS, with this certificate and key
  token=TOKEN    other bearers get 401
  lease=HOLDER   has a Lease for an hour; "": there is none, and the first client that posts one gets it
  lost=SECONDS   that lease cannot be renewed, bindings get 429, and those that come later than
                 SECONDS after the lease are LATE in the log
  late=SECONDS   bindings are answered that much later
  keep           bindings, deletions and status patches of pods change the objects, and watches tell; each is
                 another line of the log: ANSWERED, code, method and path
  next=N         with keep: some time after a binding, a copy of the pod arrives, N in all
Without keep, watches stay open without events, and writes are answered with 201.
Each request is a line of LOG: method and path.
"""
import json
import sys
import threading
import time
import urllib.parse

import quiet_server

# resource, kind, group/version, is namespaced
RESOURCES = [
    ("namespaces", "Namespace", "v1", False),
    ("nodes", "Node", "v1", False),
    ("pods", "Pod", "v1", True),
    ("services", "Service", "v1", True),
    ("limitranges", "LimitRange", "v1", True),
    ("resourcequotas", "ResourceQuota", "v1", True),
    ("persistentvolumes", "PersistentVolume", "v1", False),
    ("persistentvolumeclaims", "PersistentVolumeClaim", "v1", True),
    ("replicationcontrollers", "ReplicationController", "v1", True),
    ("podgroups", "PodGroup", "scheduling.k8s.io/v1beta1", True),
    ("compositepodgroups", "CompositePodGroup", "scheduling.k8s.io/v1alpha3", True),
    ("priorityclasses", "PriorityClass", "scheduling.k8s.io/v1", False),
    ("runtimeclasses", "RuntimeClass", "node.k8s.io/v1", False),
    ("storageclasses", "StorageClass", "storage.k8s.io/v1", False),
    ("csinodes", "CSINode", "storage.k8s.io/v1", False),
    ("csidrivers", "CSIDriver", "storage.k8s.io/v1", False),
    ("csistoragecapacities", "CSIStorageCapacity", "storage.k8s.io/v1", True),
    ("volumeattachments", "VolumeAttachment", "storage.k8s.io/v1", False),
    ("deviceclasses", "DeviceClass", "resource.k8s.io/v1", False),
    ("resourceslices", "ResourceSlice", "resource.k8s.io/v1", False),
    ("resourceclaims", "ResourceClaim", "resource.k8s.io/v1", True),
    ("resourceclaimtemplates", "ResourceClaimTemplate", "resource.k8s.io/v1", True),
    ("devicetaintrules", "DeviceTaintRule", "resource.k8s.io/v1beta2", False),
    ("replicasets", "ReplicaSet", "apps/v1", True),
    ("statefulsets", "StatefulSet", "apps/v1", True),
    ("deployments", "Deployment", "apps/v1", True),
    ("daemonsets", "DaemonSet", "apps/v1", True),
    ("jobs", "Job", "batch/v1", True),
    ("cronjobs", "CronJob", "batch/v1", True),
    ("horizontalpodautoscalers", "HorizontalPodAutoscaler", "autoscaling/v2", True),
    ("poddisruptionbudgets", "PodDisruptionBudget", "policy/v1", True),
]
options = dict((word.split("=", 1) + [""])[:2] for word in sys.argv[3:])
forbidden = options.get("forbid", "").split(",")
once = {name for name in ("expire", "busy") if name in options}
busy = [429, 503, 504]
taken = []  # times at which the lease was taken
events = []  # watch events of pods, with `keep`
bound = []  # pods, with `keep`
news = threading.Condition()
objects = {}
with open(sys.argv[1], encoding="utf-8") as file:
    for item in json.load(file)["items"]:
        objects.setdefault(item.pop("kind"), []).append(item)
        item.pop("apiVersion")


def served():
    return [r for r in RESOURCES if r[2].split("/")[0] != options.get("without")]


def path_of(version):
    return "/apis/" + version if "/" in version else "/api/" + version


def groups():
    versions = {}
    for _, _, version, _ in served():
        if "/" in version:
            group = versions.setdefault(version.split("/")[0], [])
            if version not in group:
                group.append(version)
    result = []
    for name, all_of_it in versions.items():
        listed = [{"groupVersion": v, "version": v.split("/")[1]} for v in all_of_it]
        result.append({"name": name, "versions": listed, "preferredVersion": listed[0]})
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": result}


def resources_of(version):
    return {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": version,
            "resources": [{"name": r[0], "singularName": "", "namespaced": r[3], "kind": r[1],
                           "verbs": ["get", "list", "watch"]} for r in served() if r[2] == version]}


def status(code, message):
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code,
                  "message": message}


def listed(resource, query):
    name, kind, version, _ = resource
    if "busy" in once:
        if len(busy) == 1:
            once.discard("busy")
        return status(busy.pop(0), "busy")
    if name in forbidden:
        return status(403, f'{name} is forbidden: User "jane" cannot list resource "{name}"')
    at = int(query.get("continue", ["/0"])[0].split("/")[1])
    if at > 0 and name == "pods" and "expire" in once:
        once.discard("expire")
        return status(410, "the continue token is too old")
    items = objects.get(kind, [])
    limit = min(int(query.get("limit", ["0"])[0]) or len(items), int(options.get("page", 500)))
    metadata = {"resourceVersion": str(7 + len(events))}
    if at + limit < len(items):
        metadata["continue"] = f"a+b&/{at + limit}"
    return 200, {"kind": kind + "List", "apiVersion": version, "metadata": metadata,
                 "items": items[at:at + limit]}


def answer(path):
    parts = urllib.parse.urlsplit(path)
    query = urllib.parse.parse_qs(parts.query)
    if parts.path == "/version":
        return 200, {"major": "1", "minor": "36", "gitVersion": "v1.36.2"}
    if parts.path == "/api":
        return 200, {"kind": "APIVersions", "versions": ["v1"]}
    if parts.path == "/apis":
        return status(403, "no") if "nodiscovery" in options else (200, groups())
    if "/leases" in parts.path and not options.get("lease"):
        return status(404, "there is no lease")
    if "/leases" in parts.path:
        return 200, {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
                     "metadata": {"name": "berth", "resourceVersion": "7"},
                     "spec": {"holderIdentity": options["lease"], "leaseDurationSeconds": 3600}}
    for resource in served():
        if parts.path == path_of(resource[2]):
            return 200, resources_of(resource[2])
        if parts.path == path_of(resource[2]) + "/" + resource[0]:
            return listed(resource, query)
    return status(404, "the server could not find the requested resource")


def without_renewal(method, path, code, value):
    now = time.monotonic()
    if method == "POST" and path.endswith("/leases"):
        taken.append(now)
    elif "/leases" in path and taken:
        return status(500, "no renewal")
    elif path.endswith("/binding"):
        if now > taken[0] + float(options["lost"]):
            with open(sys.argv[2], "a", encoding="utf-8") as log:
                print("LATE", method, path, file=log)
        return status(429, "busy")
    return code, value


def arrive(number, pod):
    """A pod like the one that was bound; kubectl and controllers create pods at any time."""
    with news:
        copy = json.loads(json.dumps(pod))
        del copy["spec"]["nodeName"]
        copy["metadata"].update(name=f"next-{number}", uid=f"next-{number}",
                                resourceVersion=str(8 + len(events)))
        objects["Pod"].append(copy)
        events.append(json.dumps({"type": "ADDED", "object": {"kind": "Pod", "apiVersion": "v1", **copy}}))
        news.notify_all()


def kept(method, path, body):
    """Carries out a write to a pod as an API server does; None for another path."""
    words = urllib.parse.urlsplit(path).path.strip("/").split("/")
    if words[:2] != ["api", "v1"] or len(words) < 6 or words[4] != "pods":
        return None
    with news:
        pods = objects["Pod"]
        pod = next((p for p in pods if (p["metadata"]["namespace"], p["metadata"]["name"]) == (words[3], words[5])), None)
        if pod is None:
            return status(404, "there is no such pod")
        if body.get("preconditions", {}).get("uid", pod["metadata"]["uid"]) != pod["metadata"]["uid"]:
            return status(409, "the uid is another")
        kind = "MODIFIED"
        if method == "POST" and words[6:] == ["binding"]:
            if "nodeName" in pod["spec"]:
                return status(409, "the pod is assigned already")
            pod["spec"]["nodeName"] = body["target"]["name"]
            bound.append(pod)
            if len(bound) <= int(options.get("next", 0)):
                threading.Timer(0.03, arrive, (len(bound), pod)).start()
        elif method == "PATCH" and words[6:] == ["status"]:
            pod["status"].update(body["status"])
        elif method == "DELETE" and not words[6:]:
            pods.remove(pod)
            kind = "DELETED"
        pod["metadata"]["resourceVersion"] = str(8 + len(events))
        events.append(json.dumps({"type": kind, "object": {"kind": "Pod", "apiVersion": "v1", **pod}}))
        news.notify_all()
        return (200 if method == "DELETE" else 201), pod


class Server(quiet_server.Quiet):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 20  # sends head and body together, without a delayed acknowledgement in between

    def do_GET(self):
        with open(sys.argv[2], "a", encoding="utf-8") as log:
            print(self.command, self.path, file=log)
        if "watch=" in self.path:
            self.send_response(200)
            self.end_headers()
            self.wfile.flush()
            self.watched()
            self.close_connection = True
            return
        sent = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        code, value = answer(self.path)
        if "lost" in options:
            code, value = without_renewal(self.command, self.path, code, value)
        answered = kept(self.command, self.path, json.loads(sent)) if "keep" in options and sent else None
        if answered is not None:
            code, value = answered
            with open(sys.argv[2], "a", encoding="utf-8") as log:
                print("ANSWERED", code, self.command, self.path, file=log)
        elif self.command != "GET" and code != 429 and code != 500:
            code, value = 201, json.loads(sent)
            value.setdefault("metadata", {})["resourceVersion"] = "7"
        if "late" in options and self.path.endswith("/binding"):
            time.sleep(float(options["late"]))
        bearer = self.headers.get("Authorization", "")
        if "token" in options and bearer != "Bearer " + options["token"]:
            code, value = status(401, "Unauthorized")
        body = json.dumps(value, separators=(",", ":")).encode()
        headers = [("Content-Type", "application/json")]
        self.answer(code, body, headers + [("Retry-After", "1")] if code == 429 else headers)

    def watched(self):
        parts = urllib.parse.urlsplit(self.path)
        if "keep" not in options or not parts.path.endswith("/pods"):
            time.sleep(60)
            return
        told = int(urllib.parse.parse_qs(parts.query)["resourceVersion"][0]) - 7
        while True:
            with news:
                news.wait_for(lambda: len(events) > told)
                lines = events[told:]
            told += len(lines)
            try:
                self.wfile.write("".join(line + "\n" for line in lines).encode())
                self.wfile.flush()
            except OSError:
                return  # the client is gone

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET


quiet_server.serve(Server, options.get("tls"))
