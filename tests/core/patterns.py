"""The pattern language of tests/vectors/README.md."""

from __future__ import annotations

from typing import Any


def differences(pattern: Any, value: Any, where: str = "$") -> list[str]:
    """What in `value` does not match; empty when it does. `1` is not `true`, and not `1.0`."""
    if isinstance(pattern, dict) and ("$contains" in pattern or "$lacks" in pattern):
        return _bag(pattern, value, where)
    if isinstance(pattern, dict):
        if not isinstance(value, dict):
            return [f"{where}: {value!r} is no object"]
        found = []
        for name, wanted in pattern.items():
            if wanted == "__absent__":
                if name in value:
                    found.append(f"{where}.{name}: {value[name]!r} should be absent")
            elif name not in value:
                found.append(f"{where}.{name}: absent, should match {wanted!r}")
            else:
                found += differences(wanted, value[name], f"{where}.{name}")
        return found
    if isinstance(pattern, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r} is no list"]
        if len(pattern) != len(value):
            return [f"{where}: {len(value)} elements, should be {len(pattern)}: {value!r}"]
        return [
            line
            for i, (p, v) in enumerate(zip(pattern, value, strict=True))
            for line in differences(p, v, f"{where}.{i}")
        ]
    if type(pattern) is not type(value) or pattern != value:
        return [f"{where}: {value!r}, should be {pattern!r}"]
    return []


def same(a: Any, b: Any) -> bool:
    """Equal as JSON, where `1` is not `true`; the order of fields does not matter."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(a == b)


def has_path(value: Any, path: str) -> bool:
    """Whether a dotted path (names and list indices) leads to something in `value`."""
    for part in path.split("."):
        if isinstance(value, list) and part.isdigit() and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            return False
    return True


def _bag(pattern: dict[str, Any], value: Any, where: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{where}: {value!r} is no list"]
    fits = [
        [i for i, element in enumerate(value) if not differences(wanted, element)]
        for wanted in pattern.get("$contains", [])
    ]
    found = [] if _assign(fits, set()) else [f"{where}: not all of $contains are in {value!r}"]
    for unwanted in pattern.get("$lacks", []):
        found += [
            f"{where}: {element!r} should not be there"
            for element in value
            if not differences(unwanted, element)
        ]
    return found


def _assign(fits: list[list[int]], taken: set[int]) -> bool:
    """Whether each wanted pattern can have an element of its own."""
    if not fits:
        return True
    return any(_assign(fits[1:], taken | {i}) for i in fits[0] if i not in taken)
