"""Writes a cluster again with LENGTH further letters before each name.

Usage: long_names.py FILE LENGTH. What Kubernetes itself names ("default") stays, and so do labels, whose values must
be short. The objects become one List in JSON."""

import json
import sys

import yaml

NAMES = {
    "name", "namespace", "uid", "nodeName", "nominatedNodeName", "schedulerName", "storageClassName", "volumeName",
    "claimName", "priorityClassName", "runtimeClassName", "handler", "pool", "device", "resourceClaimName",
    "resourceClaimTemplateName", "deviceClassName", "image",
}
KEPT = {"", "default", "default-scheduler"}


def longer(value, key, parent, more):
    if isinstance(value, str):
        return more + value if key in NAMES and parent != "metric" and value not in KEPT else value
    if isinstance(value, list):
        return [longer(one, None, key, more) for one in value]
    if isinstance(value, dict):
        return {name: longer(one, name, key, more) for name, one in value.items()}
    return value


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        documents = [one for one in yaml.safe_load_all(file) if one is not None]
    items = []
    for one in documents:
        items += one["items"] if "items" in one else [one]
    more = "z" * int(sys.argv[2])
    json.dump({"apiVersion": "v1", "kind": "List", "items": [longer(one, None, None, more) for one in items]},
              sys.stdout, default=str)


main()
