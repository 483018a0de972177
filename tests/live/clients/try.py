"""Tries the generated client for Python on a running berth serve."""
import sys

from berth_client import Client
from berth_client.api.default import capacity, drain, explain, fits, grow, grow_for, report
from berth_client.models import CapacityJsonBody, Error, FitsJsonBody, GrowForJsonBody

web = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
    "spec": {"replicas": 4, "selector": {"matchLabels": {"app": "web"}}, "template": {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}}}}
client = Client(base_url=sys.argv[1])


def check(right, what):
    if not right:
        sys.exit("Python: " + what)


said = fits.sync(client=client, namespace="shop", body=FitsJsonBody.from_dict(web))
check(said.fits and said.placed == 4 and said.pods[0].namespace == "shop" and said.pods[0].node, f"fits: {said}")
said = capacity.sync(client=client, max_=7, body=CapacityJsonBody.from_dict(web))
check(said.podspecs[0].fit == 7 and said.podspecs[0].limited, f"capacity: {said}")
said = explain.sync(client=client, pod="pod-0")
check(said["answer"]["verdict"] in ("placed", "unschedulable"), f"explain: {said}")
said = explain.sync(client=client, pod="nobody")
check(isinstance(said, Error) and said.error.reason == "NotFound", f"a refusal: {said}")
check("summary" in drain.sync(client=client, all_=True).to_dict(), "drain")
shape = ["m=cpu=64,memory=256Gi,price=1"]
said = grow.sync(client=client, shape=shape).to_dict()
more = grow_for.sync(client=client, shape=shape, body=GrowForJsonBody.from_dict(web)).to_dict()
check(more["summary"]["pending"] == said["summary"]["pending"] + 4, f"growth for more pods: {said}, {more}")
check(report.sync(client=client)["kind"] == "cluster", "report")
