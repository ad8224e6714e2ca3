"""Scenarios as callers state them: a file, a text or a dictionary."""

from __future__ import annotations

import os
from typing import Any, Mapping, Union

from . import _clustersim
from ._errors import ArgumentError
from ._workload import Workload

#: A path, a text in TOML, or a dictionary.
ScenarioLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]

#: A file or None; a text, its name in messages, and the folder where its paths begin.
Source = tuple[Union[str, None], str, str, str]

#: Title of a scenario that has none.
_UNTITLED = "untitled"


def source_of(scenario: ScenarioLike) -> Source:
    """The scenario as the simulator takes it.

    A text of several lines, or with an equals sign, is TOML; another one is the name of a file.
    """
    if isinstance(scenario, Mapping):
        text = _clustersim.toml({"title": _UNTITLED, **scenario})
        return None, text, "scenario", os.getcwd()
    if isinstance(scenario, str):
        _has_utf8(scenario)
    if isinstance(scenario, str) and ("\n" in scenario or "=" in scenario) and not os.path.exists(scenario):
        return None, scenario, "scenario", os.getcwd()
    if isinstance(scenario, (str, os.PathLike)):
        path = os.fspath(scenario)
        if isinstance(path, str) and path:
            _has_utf8(path)
            return path, "", "", ""
    kind = type(scenario).__name__
    raise ArgumentError(f"a scenario is a path, a text in TOML or a dictionary, and not {kind}")


def _has_utf8(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ArgumentError("a text has half of a character, which UTF-8 cannot say") from None


def whole(name: str, value: int | None) -> int | None:
    """The argument of this name, if it is a whole number from 0 or None."""
    if value is None or isinstance(value, int) and 0 <= value < 2**32:
        return value
    raise ArgumentError(f"`{name}` is a whole number from 0, and not {value!r}")


def keys_of(
    set: Mapping[str, Any] | None, seed: int | None, workload: Workload | None
) -> dict[str, Any]:
    """The keys that are set, those of a workload first: a seed of its own wins over one among them."""
    if set is not None and not isinstance(set, Mapping):
        raise ArgumentError(f"`set` is a dictionary of keys and values, and not {type(set).__name__}")
    if workload is not None and not isinstance(workload, Workload):
        raise ArgumentError(f"`workload` is a Workload, and not {type(workload).__name__}")
    keys = {**(workload.keys() if workload else {}), **(set or {})}
    if seed is not None:
        keys["seed"] = seed
    return keys
