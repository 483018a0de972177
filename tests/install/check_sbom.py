"""Checks that a bill of materials (SPDX 2.3) describes the packages beside it and everything that
they depend on.

Usage: check_sbom.py FOLDER
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
(file,) = folder.glob("*.spdx.json")
document = json.loads(file.read_text(encoding="utf-8"))
packages = {one["SPDXID"]: one for one in document["packages"]}
names = {one["name"]: one for one in document["packages"]}


def require(condition, what):
    if not condition:
        sys.exit(f"{file.name}: {what}")


require(document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0", "not of SPDX 2.3")
require(document["SPDXID"] == "SPDXRef-DOCUMENT" and file.name == document["name"] + ".spdx.json", "its name")
require(document["documentNamespace"].startswith("https://") and "#" not in document["documentNamespace"], "namespace")
require(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", document["creationInfo"]["created"]), "its time")
require(document["creationInfo"]["creators"], "no creator")
require(len(packages) == len(document["packages"]), "an identifier twice")
for identifier, package in packages.items():
    require(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", identifier), f"identifier {identifier}")
    require(package["name"] and package["versionInfo"] and package["downloadLocation"], f"{identifier} says too little")
for relation in document["relationships"]:
    for end in (relation["spdxElementId"], relation["relatedSpdxElement"]):
        require(end in packages or end == "SPDXRef-DOCUMENT", f"{end} is related, and not there")
links = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"]) for r in document["relationships"]}
debs = sorted(folder.glob("*.deb"))
require(len(debs) == 3, f"{len(debs)} packages")
for deb in debs:
    name = deb.name.split("_")[0]
    require(names[name]["packageFileName"] == deb.name, f"the file of {name}")
    digest = hashlib.sha256(deb.read_bytes()).hexdigest()
    require(names[name]["checksums"] == [{"algorithm": "SHA256", "checksumValue": digest}], f"the checksum of {name}")
    require(("SPDXRef-DOCUMENT", "DESCRIBES", names[name]["SPDXID"]) in links, f"{name} is not described")
    depends = subprocess.run(["dpkg-deb", "--field", deb, "Depends"], check=True, capture_output=True, text=True).stdout
    for group in filter(None, re.split(r",\s*", depends.strip())):
        alternatives = [re.sub(r"[\s(:].*", "", one.strip()) for one in group.split("|")]
        require(any((names[name]["SPDXID"], "DEPENDS_ON", names[one]["SPDXID"]) in links
                    for one in alternatives if one in names), f"{name} depends on {group}")
sums = (folder / "SHA256SUMS").read_text(encoding="utf-8").split()[1::2]
require(sorted(sums) == sorted("./" + one.name for one in [*debs, file]), "SHA256SUMS lists other files")
print(f"{file.name}: {len(packages)} packages")
