#!/usr/bin/env python3
"""Checks documents against their schemas (tools/schemas), with the parts of JSON Schema that these
use.

Usage: check_schema.py SCHEMAS-FOLDER FILE...   each file is a JSON document with a "schema" member
Every member of a document must be in the schema, and every required member in the document. Prints
what is wrong, with its place; exits with 1 then.
"""
import json
import os
import sys

TYPES = {
    "object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
    "number": (int, float),
}


def resolve(schema, root):
    if "$ref" not in schema:
        return schema
    node = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        node = node[part]
    return node


def check(value, schema, root, place):
    schema = resolve(schema, root)
    unknown = set(schema) - {"type", "properties", "required", "items", "enum", "const", "minimum",
                             "additionalProperties", "description", "title", "$schema", "$id",
                             "$defs"}
    if unknown:
        yield f"{place}: the schema has {sorted(unknown)}, which this check does not know"
    kind = schema.get("type")
    wanted = TYPES[kind] if kind else object
    if not isinstance(value, wanted) or (kind in ("integer", "number") and isinstance(value, bool)):
        yield f"{place}: {value!r} is not of type {kind}"
        return
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is none of {schema['enum']}"
    if "minimum" in schema and value < schema["minimum"]:
        yield f"{place}: {value} is below {schema['minimum']}"
    if isinstance(value, dict):
        yield from check_members(value, schema, root, place)
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from check(item, schema["items"], root, f"{place}[{i}]")


def check_members(value, schema, root, place):
    for key in schema.get("required", []):
        if key not in value:
            yield f"{place}: {key} is missing"
    for key, member in value.items():
        if key in schema.get("properties", {}):
            yield from check(member, schema["properties"][key], root, f"{place}.{key}")
        elif isinstance(schema.get("additionalProperties"), dict):
            yield from check(member, schema["additionalProperties"], root, f"{place}.{key}")
        else:
            yield f"{place}: {key} is not in the schema"


def main():
    wrong = 0
    for path in sys.argv[2:]:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        name, version = document["schema"].removeprefix("berth.").split("/")
        assert version == "v1", document["schema"]
        with open(os.path.join(sys.argv[1], name + ".json"), encoding="utf-8") as file:
            schema = json.load(file)
        for line in check(document, schema, schema, "document"):
            print(f"{path}: {line}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
