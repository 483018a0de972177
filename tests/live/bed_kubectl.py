"""The parts of kubectl that `berth dump` needs, for machines without kubectl. The bed's folder is
$BED.

Usage: bed_kubectl.py api-resources --verbs list --output name
       bed_kubectl.py get --all-namespaces --output json KIND,...
"""
import json
import os
import sys

from bed_client import Server

server = Server(os.environ["BED"])
resources = server.resources()
if sys.argv[1] == "api-resources":
    for name, (_, resource) in resources.items():
        if "list" in resource["verbs"]:
            print(name)
    sys.exit()
items = []
for name in sys.argv[-1].split(","):
    path, resource = resources[name]
    answer = server.get(path + "/" + resource["name"])
    for item in answer["items"]:
        item["metadata"].pop("managedFields", None)
        items.append({"apiVersion": answer["apiVersion"], "kind": resource["kind"], **item})
json.dump({"apiVersion": "v1", "items": items, "kind": "List"}, sys.stdout, indent=4,
          sort_keys=True)
