"""The package has all functions, enums and fields of the headers."""

import dataclasses
import enum
import glob
import os
import re
import unittest

from common import SOURCE, Case, berth, ffi, lib

# Functions that Python does not need, and why.
NOT_WRAPPED = {
    # objects are read as text or dicts, not built as C structs
    "berth_engine_add_node": "one kind of berth_engine_add",
    "berth_engine_add_pod": "one kind of berth_engine_add",
    "berth_engine_load_file": "readers of batch.c also tell what was added",
    "berth_engine_load_text": "readers of batch.c also tell what was added",
    "berth_engine_objects": "objects() reads them from a dump",
    "berth_engine_next_pod": "node_pods and pending have them at once",
    "berth_engine_node_present": "nodes has them at once",
    "berth_scheduler_config_extender": "extenders are tables of C functions",
    "berth_scheduler_config_extender_count": "extenders are tables of C functions",
    "berth_scheduler_config_file_with_extenders": "extenders are tables of C functions",
    "berth_duration_parse": "a configuration is read from its file's text",
    "berth_scan_reason_text": "ScanReason has the names",
    "berth_kind_name": "Kind has the names",
    "berth_object_sizes": "what inline functions pass",
    "berth_profile_default": "profiles come from configurations",
    "berth_profile_default_of": "profiles come from configurations",
    "berth_profile_list": "profiles come from configurations",
    "berth_point_name": "profiles come from configurations",
    "berth_status_name": "Status has the names",
    "berth_str_of": "Python has texts",
    "berth_engine_fit_count": "berth_engine_fit_count_with can be cancelled",
    "berth_engine_schedule_group": "berth_engine_schedule_pods can be cancelled",
    "berth_status_text": "exceptions have texts",
    "berth_pod_state_name": "PodState has the names",
    "berth_abort_hook_set": "for the whole process",
    "berth_snapshot_pin": "a Snapshot is one pin",
    "berth_cycle_node": "a slice has its nodes",
    "berth_cycle_node_resource": "a slice has its columns",
    "berth_cycle_slot_count": "a slice has its length",
    "berth_scheduler_add_node": "one kind of berth_scheduler_add",
    "berth_scheduler_add_pod": "one kind of berth_scheduler_add",
    "berth_scheduler_config_notes": "remarks about configurations are for the program",
    "berth_engine_pod_claims": "for who binds on a live cluster",
    "berth_engine_pod_devices": "for who binds on a live cluster",
    "berth_engine_device_fits": "why claims of devices are not served, for the program",
    "berth_engine_pod_claim_object": "for who binds on a live cluster",
    "berth_engine_pod_extended_claim": "for who binds on a live cluster",
    "berth_engine_pod_extended_requests": "for who binds on a live cluster",
    "berth_explanation_deleted_claim": "for who binds on a live cluster",
    "berth_explanation_freed_claim": "for who binds on a live cluster",
    "berth_output_file_open": "Python has files",
    "berth_output_file_stream": "Python has files",
    "berth_output_file_commit": "Python has files",
    "berth_output_file_discard": "Python has files",
    "berth_scheduler_last_trouble": "the report callback has it",
}


def declared() -> set[str]:
    """The names of the functions of the public headers."""
    names: set[str] = set()
    for path in glob.glob(os.path.join(SOURCE, "engine/include/berth/*.h")):
        with open(path, encoding="utf-8") as file:
            text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)
        names.update(
            re.findall(r"(?:BERTH_API|static inline)\b[^;{]*?\b(berth_[a-z_]+)\s*\(", text)
        )
    return names


def used() -> set[str]:
    """The names of the functions that the package calls."""
    package = os.path.join(SOURCE, "engine/bindings/python")
    text = ""
    for pattern in ("berth/*.py", "*.c"):
        for path in glob.glob(os.path.join(package, pattern)):
            with open(path, encoding="utf-8") as file:
                text += file.read()
    names = set(re.findall(r"\bberth_[a-z_]+\b", text))
    for called in re.findall(r'_(?:call|all|map|amounts)\("([a-z_]+)"', text):
        names |= {f"berth_engine_{called}", f"berth_snapshot_{called}"}
    return names


class Headers(Case):
    def test_every_function_is_there(self) -> None:
        names = declared()
        self.assertGreater(len(names), 130)
        self.assertEqual(sorted(name for name in names if not hasattr(lib, name)), [])

    def test_every_function_is_wrapped(self) -> None:
        names = declared()
        # A function that takes a struct's size is called through the inline function of its name.
        names -= {f"{name}_sized" for name in names}
        self.assertEqual(sorted(names - used() - NOT_WRAPPED.keys()), [])
        self.assertEqual(sorted(NOT_WRAPPED.keys() - names), [], "not in the headers")
        self.assertEqual(sorted(NOT_WRAPPED.keys() & used()), [], "wrapped")

    def test_enums_are_the_same(self) -> None:
        enums = {
            "berth_status": (berth.Status, "BERTH_"),
            "berth_verdict": (berth.Verdict, "BERTH_VERDICT_"),
            "berth_huge_pages": (berth.HugePages, "BERTH_HUGE_PAGES_"),
            "berth_path": (berth.Path, "BERTH_PATH_"),
            "berth_code": (berth.Code, "BERTH_CODE_"),
            "berth_kind": (berth.Kind, "BERTH_KIND_"),
            "berth_conflict_kind": (berth.ConflictKind, "BERTH_CONFLICT_"),
            "berth_answer": (berth.Answer, "BERTH_ANSWER_"),
            "berth_unbind_reason": (berth.UnbindReason, "BERTH_UNBIND_"),
            "berth_trouble": (berth.Trouble, "BERTH_TROUBLE_"),
            "berth_step_kind": (berth.StepKind, "BERTH_STEP_"),
            "berth_scan_reason": (berth.ScanReason, "BERTH_SCAN_"),
            "berth_pod_state": (berth.PodState, "BERTH_POD_STATE_"),
            "berth_normalize": (berth.Normalize, "BERTH_NORMALIZE_"),
            "berth_note_kind": (berth.NoteKind, "BERTH_NOTE_"),
        }
        for name, (ours, prefix) in enums.items():
            theirs = {
                key[len(prefix) :]: value
                for key, value in ffi.typeof(name).relements.items()
                if not key.endswith("_COUNT")
            }
            self.assertEqual({each.name: each.value for each in ours}, theirs, name)
        every = {
            each
            for each in vars(berth).values()
            if isinstance(each, type) and issubclass(each, enum.IntEnum)
        }
        self.assertEqual(every, {ours for ours, _ in enums.values()})

    def test_flags_are_the_same(self) -> None:
        prefix = "BERTH_WAKE_"
        theirs = {
            name[len(prefix) :]: getattr(lib, name) for name in dir(lib) if name.startswith(prefix)
        }
        self.assertEqual({each.name: each.value for each in berth.Wake}, theirs)

    def test_fields_are_the_same(self) -> None:
        structs = {
            "berth_counts": berth.Counts,
            "berth_memory": berth.Memory,
            "berth_scheduler_counters": berth.Counters,
        }
        for name, ours in structs.items():
            theirs = [field for field, _ in ffi.typeof(name).fields]
            self.assertEqual([field.name for field in dataclasses.fields(ours)], theirs, name)

    def test_statistics_are_the_same(self) -> None:
        theirs = [field for field, _ in ffi.typeof("berth_statistics").fields]
        ours = [field.name for field in dataclasses.fields(berth.Statistics)]
        self.assertEqual(["size", *ours], theirs)

    def test_every_status_has_a_class(self) -> None:
        classes = {each.code for each in berth.BerthError.__subclasses__()}
        self.assertEqual(classes, set(berth.Status) - {berth.Status.OK})

    def test_version(self) -> None:
        numbers = (lib.BERTH_VERSION_MAJOR, lib.BERTH_VERSION_MINOR, lib.BERTH_VERSION_PATCH)
        self.assertEqual(berth.__version__, ".".join(map(str, numbers)))
        self.assertEqual(
            berth.version_number, numbers[0] * 1000000 + numbers[1] * 1000 + numbers[2]
        )
        self.assertEqual((berth.NODE_NONE, berth.POD_NONE), (2**32 - 1, 2**64 - 1))

    def test_kubernetes_versions(self) -> None:
        versions = berth.kubernetes_versions()
        self.assertEqual(sorted(versions, reverse=True), versions)
        self.assertEqual(versions[:3], [(37, 0), (36, 3), (36, 0)])
        self.assertEqual(str(versions[1]), "1.36.3")
        for version in versions:
            berth.Engine(kubernetes=version.number, threads=1).close()

    def test_memory_limit(self) -> None:
        with self.assertRaises(berth.OutOfMemoryError):
            berth.Engine(memory_limit=1, threads=1)
        with berth.Engine(memory_limit=2**40, threads=1) as engine:
            self.assertGreater(engine.memory().limited_bytes, 0)
        with berth.Engine(threads=1) as engine:
            self.assertEqual(engine.memory().limited_bytes, 0)


if __name__ == "__main__":
    unittest.main()
