"""Amounts of Kubernetes as text."""

from __future__ import annotations

import decimal
from typing import Union

from . import _errors
from ._native import ffi, lib
from ._view import Text


# Independent of the caller's decimal context.
_EXACT = decimal.Context(prec=60, rounding=decimal.ROUND_UP)


def parse_quantity(text: str) -> decimal.Decimal:
    """The exact number of units in a text such as "1500m", "1.5Gi" or "1e3"; ParseError,
    RangeError."""
    given = Text(text)
    out = ffi.new("berth_quantity *")
    _errors.check(lib.berth_quantity_parse(given.value, out, _errors.slot()))
    if not out.nanos:
        return decimal.Decimal(out.units)
    return _EXACT.scaleb(decimal.Decimal(out.units * 10**9 + out.nanos), -9).normalize(_EXACT)


def format_quantity(amount: Union[int, decimal.Decimal], *, binary: bool = False) -> str:
    """The canonical text of an amount of units, such as "1500m"; with `binary`, Ki, Mi, ...
    where Kubernetes would use them. Amounts are rounded up to nanos, as in Kubernetes."""
    whole = _EXACT.to_integral_value(_EXACT.scaleb(decimal.Decimal(amount), 9))
    sign = -1 if whole < 0 else 1
    units, nanos = divmod(abs(int(whole)), 10**9)
    if units >= 2**63:
        raise _errors.RangeError(f"{amount} is out of range")
    value = ffi.new("berth_quantity *", (sign * units, sign * nanos))
    out = ffi.new("char[64]")
    lib.berth_quantity_format(value[0], binary, out, len(out))
    return _errors.string(out)
