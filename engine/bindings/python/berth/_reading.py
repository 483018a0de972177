"""Reads Kubernetes text and dicts, and passes the objects to a sink."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

from . import _arrays, _errors
from ._arrays import IntArray
from ._enums import NoteKind
from ._native import ffi, lib
from ._types import Loaded, Note

#: An object as kubectl prints it, as a dict; a List of objects; or several of these.
Objects = Union[Mapping[str, Any], Iterable[Mapping[str, Any]]]
PathName = Union[str, "os.PathLike[str]"]


class Source:
    """An input: files, a text, or objects."""

    def __init__(
        self,
        files: Sequence[PathName] = (),
        text: Union[str, bytes, None] = None,
        name: str = "text",
    ) -> None:
        self.files = [os.fsencode(path) for path in files]
        self.text = text.encode() if isinstance(text, str) else text
        self.name = name.encode()

    @classmethod
    def of_objects(cls, objects: Objects) -> Source:
        items = [objects] if isinstance(objects, Mapping) else list(objects)
        whole = items[0] if len(items) == 1 else {"kind": "List", "items": items}
        return cls(text=json.dumps(whole, separators=(",", ":")), name="objects")


class Options(NamedTuple):
    """How to read."""

    defaults: bool
    templates: bool
    namespace: Optional[str] = None


def read(sink: Any, source: Source, call: Any, how: Options) -> Loaded:
    """Read a source completely into a sink, and free the sink. `call` can be cancelled."""
    try:
        fill(sink, source, call, how)
        return loaded(sink)
    finally:
        lib.berth_py_sink_free(sink)


def loaded(sink: Any) -> Loaded:
    """The objects that have arrived in a sink."""
    return Loaded(
        int(sink.objects),
        narrowed(ffi.addressof(sink, "nodes")),
        _arrays.copied("uint64_t", sink.pods.items, sink.pods.count),
        tuple(notes(sink)),
    )


def fill(sink: Any, source: Source, call: Any, how: Options) -> None:
    """Read a source completely into a sink."""
    error = _errors.slot()
    options = ffi.new("berth_read_options *")
    lib.berth_read_options_init_sized(options, ffi.sizeof("berth_read_options"))
    options.apply_defaults = how.defaults
    options.templates = how.templates
    # The reader borrows the name: keep it until the reader is destroyed.
    name = ffi.NULL if how.namespace is None else ffi.new("char[]", how.namespace.encode())
    options.namespace_name = name
    lib.berth_py_hear_notes(sink, options)
    lib.berth_py_hear_cancel(call, options)
    reader_out = ffi.new("berth_reader **")
    _errors.check(lib.berth_reader_create(options, reader_out, error))
    reader = reader_out[0]

    def check(status: int) -> None:
        what = f"after {sink.objects} objects"
        _errors.check_done(status, int(sink.objects), what, lambda: loaded(sink))

    try:
        for path in source.files:
            check(lib.berth_py_read_file(reader, path, sink, error))
        if source.text is not None:
            text = ffi.from_buffer("char[]", source.text)
            check(lib.berth_py_read_text(reader, text, len(text), source.name, sink, error))
        check(lib.berth_py_read_finish(reader, sink, error))
    finally:
        lib.berth_reader_destroy(reader)


def notes(sink: Any) -> Iterator[Note]:
    """The notes in a sink."""
    data = bytes(ffi.buffer(sink.notes.data, sink.notes.bytes)) if sink.note_count else b""
    texts = [text.decode(errors="replace") for text in data.split(b"\0")]
    size = len(dataclasses.fields(Note))
    for i in range(int(sink.note_count)):
        what, source, line, column, *rest = texts[i * size : (i + 1) * size]
        yield Note(NoteKind(int(what)), source, int(line), int(column), *rest)


def narrowed(ids: Any) -> IntArray:
    """The ids of the list as ids of nodes, which have half the size."""
    out, data = _arrays.empty("uint32_t", ids.count)
    lib.berth_py_narrow(ids, data)
    return out
