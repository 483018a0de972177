"""Fills a bed's API server with a small cluster of all kinds of objects that affect placements.

Usage: varied_cluster.py FOLDER-OF-THE-BED VERSION; VERSION of the kubelets, such as v1.36.2.
No controller runs there: this script makes what controllers would make (pods, ReplicaSets,
statuses).
"""
import sys

from bed_client import Server

server = Server(sys.argv[1])
resources = server.resources()
MERGE = "application/merge-patch+json"
HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
GPU = "gpu.example.com"


def add(resource, name, body, namespace=None, status=None, **metadata):
    """Creates an object of this resource, as plural.group, and its status. None if the server
    lacks it."""
    if resource not in resources:
        return None
    version, about = resources[resource]
    path = version + (f"/namespaces/{namespace}/" if namespace else "/") + about["name"]
    made = server.send("POST", path, {"metadata": {"name": name, **metadata}, **body})
    if status is not None:
        made = server.send("PATCH", f"{path}/{name}/status", {"status": status}, MERGE)
    return made


def owned_by(version, kind, owner):
    return [{"apiVersion": version, "kind": kind, "name": owner["metadata"]["name"],
             "uid": owner["metadata"]["uid"], "controller": True, "blockOwnerDeletion": True}]


def spec(cpu="500m", memory="256Mi", image="web:1", **more):
    requests = {"requests": {"cpu": cpu, "memory": memory}} if cpu else {}
    return {"containers": [{"name": "c", "image": image, "resources": requests}], **more}


def labelled(labels, pod_spec):
    return {"metadata": {"labels": labels}, "spec": pod_spec}


def pod(name, pod_spec, namespace="shop", node=None, **metadata):
    status = None
    if node is not None:
        pod_spec = {**pod_spec, "nodeName": node}
        status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    add("pods", name, {"spec": pod_spec}, namespace, status, **metadata)


def add_nodes():
    """Creates six nodes in three zones: one tainted, one cordoned, one whose kubelet is gone."""
    for number in range(1, 7):
        name = f"n{number}"
        room = {"cpu": "4", "memory": "8Gi", "pods": "20", "ephemeral-storage": "50Gi"}
        if number == 4:
            room["example.com/card"] = "2"
        ready = "Unknown" if number == 6 else "True"
        add("nodes", name, {}, status={
            "capacity": room, "allocatable": room,
            "conditions": [{"type": "Ready", "status": ready, "reason": "Bed"}],
            "images": [{"names": ["web:1"], "sizeBytes": 300000000}] if number == 1 else None,
            "nodeInfo": {key: "" for key in (
                "architecture", "bootID", "containerRuntimeVersion", "kernelVersion",
                "kubeProxyVersion", "machineID", "operatingSystem", "osImage", "systemUUID")}
            | {"kubeletVersion": sys.argv[2]}},
            labels={HOST: name, ZONE: "abc"[number % 3], "kubernetes.io/os": "linux",
                    "disk": "ssd" if number % 2 else "hdd"})
        taints = {4: [{"key": "card", "value": "yes", "effect": "NoSchedule"}],
                  6: [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]}
        # Admission taints a new node as not ready.
        server.send("PATCH", f"/api/v1/nodes/{name}", {"spec": {
            "taints": taints.get(number), "unschedulable": True if number == 5 else None}}, MERGE)


def add_rules():
    for name in ("shop", "batch"):
        add("namespaces", name, {}, labels={"team": name})
    add("priorityclasses.scheduling.k8s.io", "high", {"value": 1000})
    add("priorityclasses.scheduling.k8s.io", "patient",
        {"value": 10, "preemptionPolicy": "Never"})
    add("runtimeclasses.node.k8s.io", "sandbox", {
        "handler": "sandbox", "overhead": {"podFixed": {"cpu": "250m", "memory": "64Mi"}},
        "scheduling": {"nodeSelector": {"disk": "ssd"}}})
    add("limitranges", "limits", {"spec": {"limits": [
        {"type": "Container", "defaultRequest": {"cpu": "100m", "memory": "64Mi"}}]}}, "batch")
    hard = {"pods": "12", "requests.cpu": "12"}
    add("resourcequotas", "quota", {"spec": {"hard": hard}}, "shop",
        {"hard": hard, "used": {"pods": "0", "requests.cpu": "0"}})


def add_volumes():
    add("csidrivers.storage.k8s.io", "disk.example.com",
        {"spec": {"attachRequired": True, "storageCapacity": True}})
    add("csinodes.storage.k8s.io", "n1", {"spec": {"drivers": [
        {"name": "disk.example.com", "nodeID": "n1", "allocatable": {"count": 1},
         "topologyKeys": [ZONE]}]}})
    add("storageclasses.storage.k8s.io", "late", {
        "provisioner": "disk.example.com", "volumeBindingMode": "WaitForFirstConsumer"},
        annotations={"storageclass.kubernetes.io/is-default-class": "true"})
    add("csistoragecapacities.storage.k8s.io", "a", {
        "storageClassName": "late", "capacity": "5Gi",
        "nodeTopology": {"matchLabels": {ZONE: "a"}}}, "batch")
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    made = add("persistentvolumeclaims", "data-db-0", {"spec": {**claim, "volumeName": "pv-0"}},
               "shop", {"phase": "Bound", "accessModes": ["ReadWriteOnce"],
                        "capacity": {"storage": "1Gi"}},
               annotations={"pv.kubernetes.io/bind-completed": "yes"})
    add("persistentvolumes", "pv-0", {"spec": {
        "storageClassName": "late", "accessModes": ["ReadWriteOnce"],
        "capacity": {"storage": "1Gi"}, "csi": {"driver": "disk.example.com", "volumeHandle": "h"},
        "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "shop",
                     "name": "data-db-0", "uid": made["metadata"]["uid"]},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
            {"key": ZONE, "operator": "In", "values": ["b"]}]}]}}}}, status={"phase": "Bound"})
    add("persistentvolumeclaims", "data-db-1", {"spec": claim}, "shop")
    add("volumeattachments.storage.k8s.io", "h-n1", {"spec": {
        "attacher": "disk.example.com", "nodeName": "n1",
        "source": {"persistentVolumeName": "pv-0"}}}, status={"attached": True})


def add_workloads():
    labels, hashed = {"app": "web"}, {"app": "web", "pod-template-hash": "5d4f7c9b8"}
    web = labelled(labels, spec())
    add("services", "web", {"spec": {"selector": labels, "ports": [{"port": 80}]}}, "shop")
    made = add("deployments.apps", "web", {"spec": {
        "replicas": 4, "selector": {"matchLabels": labels}, "template": web}}, "shop",
        {"replicas": 4, "readyReplicas": 2, "observedGeneration": 1})
    made = add("replicasets.apps", "web-5d4f7c9b8", {"spec": {
        "replicas": 4, "selector": {"matchLabels": hashed},
        "template": labelled(hashed, spec())}}, "shop", {"replicas": 4}, labels=hashed,
        ownerReferences=owned_by("apps/v1", "Deployment", made))
    for number, node in enumerate(("n1", "n2", None, None)):
        pod(f"web-5d4f7c9b8-{number}abcd", spec(), node=node, labels=hashed,
            ownerReferences=owned_by("apps/v1", "ReplicaSet", made))
    add("poddisruptionbudgets.policy", "web", {"spec": {
        "minAvailable": 2, "selector": {"matchLabels": labels}}}, "shop",
        {"disruptionsAllowed": 0, "currentHealthy": 2, "desiredHealthy": 2, "expectedPods": 4,
         "observedGeneration": 1})

    db = labelled({"app": "db"}, spec("1", "1Gi", "db:1"))
    made = add("statefulsets.apps", "db", {"spec": {
        "replicas": 2, "serviceName": "db", "selector": {"matchLabels": {"app": "db"}},
        "template": db, "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}}}}]}}, "shop", {"replicas": 2})
    for number, node in enumerate(("n1", None)):
        pod(f"db-{number}", spec("1", "1Gi", "db:1", volumes=[
            {"name": "data", "persistentVolumeClaim": {"claimName": f"data-db-{number}"}}]),
            node=node, ownerReferences=owned_by("apps/v1", "StatefulSet", made),
            labels={"app": "db", "apps.kubernetes.io/pod-index": str(number)})

    tolerant = {"tolerations": [{"operator": "Exists"}]}
    made = add("daemonsets.apps", "agent", {"spec": {
        "selector": {"matchLabels": {"app": "agent"}},
        "template": labelled({"app": "agent"}, spec("100m", "64Mi", **tolerant))}}, "batch",
        {"currentNumberScheduled": 5, "desiredNumberScheduled": 6, "numberMisscheduled": 0,
         "numberReady": 5})
    for number in range(1, 6):
        pod(f"agent-{number}", spec("100m", "64Mi", **tolerant), "batch", f"n{number}",
            labels={"app": "agent"}, ownerReferences=owned_by("apps/v1", "DaemonSet", made))

    once = spec("250m", "64Mi", restartPolicy="Never", runtimeClassName="sandbox")
    made = add("jobs.batch", "nightly", {"spec": {
        "completions": 2, "parallelism": 2, "template": {"spec": once}}}, "batch")
    for number, node in enumerate(("n3", None)):
        pod(f"nightly-{number}", once, "batch", node,
            ownerReferences=owned_by("batch/v1", "Job", made))
    add("cronjobs.batch", "nightly", {"spec": {"schedule": "0 3 * * *", "jobTemplate": {
        "spec": {"template": {"spec": once}}}}}, "batch")
    add("replicationcontrollers", "old", {"spec": {
        "replicas": 0, "selector": {"app": "old"}, "template": labelled({"app": "old"}, spec())}},
        "batch")


def add_pending():
    own = {"labelSelector": {"matchLabels": {"app": "pair"}}, "topologyKey": HOST}
    for number in range(2):
        pod(f"pair-{number}", spec(
            affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [own]}},
            topologySpreadConstraints=[{**own, "topologyKey": ZONE, "maxSkew": 1,
                                        "whenUnsatisfiable": "DoNotSchedule"}]),
            "batch", labels={"app": "pair"})
    pod("card", {**spec(tolerations=[{"key": "card", "operator": "Exists"}]), "containers": [{
        "name": "c", "image": "card", "resources": {"limits": {"example.com/card": "1"}}}]},
        "batch")
    pod("huge", spec("900"), "batch", annotations={"note": 'quotes "}], and braces \u00e9\u2028'})
    pod("urgent", spec("3500m", priorityClassName="high"), "batch")
    pod("patient", spec("3500m", priorityClassName="patient"), "batch")
    pod("small", spec(None, None), "batch")
    pod("gated", spec(schedulingGates=[{"name": "example.com/wait"}]), "batch")
    pod("other", spec(schedulerName="other"), "batch")
    done = spec()
    pod("done", done, "batch", "n2")
    server.send("PATCH", "/api/v1/namespaces/batch/pods/done/status",
                {"status": {"phase": "Succeeded"}}, MERGE)


def add_devices():
    """Devices, in the form of the version that the server prefers."""
    if "resourceclaims.resource.k8s.io" not in resources:
        return
    first = resources["resourceclaims.resource.k8s.io"][0].endswith("v1beta1")
    wanted = {"deviceClassName": GPU, "allocationMode": "ExactCount", "count": 1}
    request = {"name": "gpu", **(wanted if first else {"exactly": wanted})}
    about = {"attributes": {"model": {"string": "a"}}, "capacity": {"memory": {"value": "16Gi"}}}
    claim = {"devices": {"requests": [request]}}
    add("deviceclasses.resource.k8s.io", GPU, {"spec": {"selectors": [
        {"cel": {"expression": f'device.driver == "{GPU}"'}}]}})
    add("resourceslices.resource.k8s.io", "n3-gpu", {"spec": {
        "driver": GPU, "nodeName": "n3",
        "pool": {"name": "n3", "generation": 1, "resourceSliceCount": 1},
        "devices": [{"name": f"gpu-{number}", **({"basic": about} if first else about)}
                    for number in range(2)]}})
    add("resourceclaims.resource.k8s.io", "held", {"spec": claim}, "batch", {"allocation": {
        "devices": {"results": [{"request": "gpu", "driver": GPU, "pool": "n3",
                                 "device": "gpu-0"}]},
        "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
            {"key": "metadata.name", "operator": "In", "values": ["n3"]}]}]}}})
    add("resourceclaims.resource.k8s.io", "wanted", {"spec": claim}, "batch")
    add("resourceclaims.resource.k8s.io", "more", {"spec": claim}, "batch")
    add("resourceclaimtemplates.resource.k8s.io", "each", {"spec": {"spec": claim}}, "batch")
    add("devicetaintrules.resource.k8s.io", "broken", {"spec": {
        "deviceSelector": {"driver": GPU, "pool": "n3", "device": "gpu-1"},
        "taint": {"key": "worn", "effect": "NoSchedule"}}})
    for name, node in (("held", "n3"), ("wanted", None), ("more", None)):
        uses = spec(resourceClaims=[{"name": "gpu", "resourceClaimName": name}])
        uses["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]
        pod("train-" + name, uses, "batch", node)


add_nodes()
add_rules()
add_volumes()
add_workloads()
add_devices()
add_pending()
