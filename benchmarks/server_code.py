"""The scripted OpenAI-compatible server of the tests, for benchmarks."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def server_code() -> ModuleType:
    """tests/openai_server.py, which is no module of an installed package."""
    path = Path(__file__).resolve().parents[1] / "tests" / "openai_server.py"
    spec = importlib.util.spec_from_file_location("openai_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
