"""Chainlit's own folder and configuration: all of it comes from us, at every start, in both ways of running.

Under `chatsearch serve` the folder is made before Chainlit is imported. `chainlit run app.py` has imported Chainlit, with the
current folder as its root, before app.py is read: then what it has loaded is replaced. tests/chat/test_root.py pins the version
of Chainlit and every name that is replaced here.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from chatsearch.chat.wording import CHAT_WORDING
from chatsearch.errors import DataDirectoryError
from chatsearch.services import Services

CHAINLIT_VERSION = "2.12.0"
PUBLIC = Path(__file__).parent / "public"
NAME = "chatsearch"
SESSION_TIMEOUT = 3600  # seconds a chat is kept after its page was closed or lost its connection

Table = dict[str, Any]


def configuration(allowed_origins: Iterable[str]) -> dict[str, Table]:
    """Chainlit's configuration: nothing is sent anywhere, nothing uploaded, no HTML from texts."""
    return {
        "project": {
            "session_timeout": SESSION_TIMEOUT,
            "user_env": [],
            "persist_user_env": False,
            "cache": False,
            "allow_origins": list(allowed_origins),
        },
        "features": {
            "unsafe_allow_html": False,
            "latex": False,
            "user_message_markdown": False,
            "auto_tag_thread": False,
            "edit_message": False,
            "allow_thread_sharing": False,
            "favorites": False,
            # a search shows its summary above its list: the page stays where the answer begins
            "assistant_message_autoscroll": False,
            "spontaneous_file_upload": {"enabled": False, "accept": [], "max_files": 0, "max_size_mb": 0},
            "audio": {"enabled": False},
            "mcp": {"enabled": False, "servers": [], "user_servers": {"enabled": False, "allowed_urls": []}},
        },
        "UI": {
            "name": NAME,
            "cot": "full",
            "custom_css": "/public/chatsearch.css",
            "default_sidebar_state": "closed",
            "confirm_new_chat": True,
            "logo_file_url": "",
            "default_avatar_file_url": "/favicon",
        },
        "meta": {"generated_by": CHAINLIT_VERSION},
    }


def prepare_root(services: Services) -> Path:
    """Make or refresh `<data_dir>/chainlit` and have Chainlit use it if it is not imported yet. Raises DataDirectoryError."""
    root = services.writable(services.settings.data_dir / "chainlit")
    try:
        _write(root / ".chainlit" / "config.toml", to_toml(configuration(services.settings.allowed_origins)).encode())
        _write(root / "chainlit.md", b"")  # not empty, it would be a button “Readme”
        _mirror(PUBLIC, root / "public")
    except OSError as error:
        raise DataDirectoryError(
            f"The folder {root} cannot be written ({error.strerror}: {error.filename}). Choose another with --data-dir."
        ) from error
    os.environ["CHAINLIT_APP_ROOT"] = str(root)
    # what Chainlit brings along must not report its use
    os.environ.setdefault("TRACELOOP_TELEMETRY", "false")
    return root


def apply_root(root: Path, services: Services) -> None:
    """Have the imported Chainlit use this folder and our configuration, whatever it has loaded. May be called again."""
    import chainlit.config as loaded
    import chainlit.server as server

    _write_translations(root, Path(loaded.TRANSLATIONS_DIR))
    tables = configuration(services.settings.allowed_origins)
    loaded.config.project = loaded.ProjectSettings(lc_cache_path=None, **tables["project"])
    loaded.config.features = loaded.FeaturesSettings(**tables["features"])
    loaded.config.ui = loaded.UISettings(**tables["UI"])
    loaded.config.root = str(root)
    files = _files_of_this_process()
    # both modules hold their own copies of these names
    for module in (loaded, server):
        _leave(Path(module.FILES_DIRECTORY), files)
        for name, value in (("APP_ROOT", str(root)), ("FILES_DIRECTORY", files), ("public_dir", str(root / "public"))):
            setattr(module, name, value)
    loaded.config_dir = str(root / ".chainlit")
    loaded.config_file = str(root / ".chainlit" / "config.toml")
    loaded.config_translation_dir = str(root / ".chainlit" / "translations")


def interface_texts(languages: Iterable[str]) -> dict[str, Any]:
    """The interface's texts in the first of these languages that has any: `de-AT` may take those of `de-DE`; else in English."""
    from chainlit.config import config, config_translation_dir

    there = sorted(file.stem for file in Path(config_translation_dir).glob("*.json"))
    for language in languages:
        wanted, parent = language.lower(), language.lower().split("-")[0]
        near = [name for name in there if name.lower().split("-")[0] == parent]
        if near:
            texts: dict[str, Any] = config.load_translation(next((name for name in near if name.lower() == wanted), near[0]))
            return texts
    return dict(config.load_translation("en-US"))


def remove_session_files() -> None:
    """Remove what Chainlit wrote for the sessions of this process; at its end, which a signal may make without `atexit`."""
    for directory in _files:
        shutil.rmtree(directory, ignore_errors=True)


def to_toml(tables: Mapping[str, Table]) -> str:
    """The configuration as TOML; its texts are ours and plain."""
    return "\n".join(_table(name, table) for name, table in tables.items())


def _table(name: str, table: Table) -> str:
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    nested = {key: value for key, value in table.items() if isinstance(value, dict)}
    # JSON's texts, numbers, booleans and lists of texts are TOML's too
    lines = [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in plain.items())]
    return "\n".join([*lines, *(_table(f"{name}.{key}", value) for key, value in nested.items()), ""])


def _write(file: Path, content: bytes) -> None:
    """Write a file so that another process that reads it sees the old or the new one whole."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=file.parent, prefix=".new-", delete=False) as new:
        new.write(content)
    Path(new.name).replace(file)


def _mirror(source: Path, target: Path) -> None:
    """Copy what is in `source`, and remove what is not there any more."""
    wanted = {file.relative_to(source) for file in source.rglob("*") if file.is_file()}
    for file in wanted:
        _write(target / file, (source / file).read_bytes())
    for file in target.rglob("*"):
        if file.is_file() and file.relative_to(target) not in wanted and not file.name.startswith(".new-"):
            file.unlink(missing_ok=True)


def _write_translations(root: Path, translations: Path) -> None:
    """Chainlit's translations with our wording."""
    for file in sorted(translations.glob("*.json")):
        texts = json.loads(file.read_text(encoding="utf-8"))
        texts["chat"]["messages"]["status"] = {"using": "", "used": ""}  # a step's name says enough
        for path, text in CHAT_WORDING.get(file.stem.split("-")[0], CHAT_WORDING["en"]).items():
            *parents, last = path.split(".")
            place = texts
            for parent in parents:
                place = place[parent]
            place[last] = text
        _write(root / ".chainlit" / "translations" / file.name, json.dumps(texts).encode())


_files: list[Path] = []


def _files_of_this_process() -> Path:
    """Where Chainlit writes files of its sessions: removed at the end, and never shared with another process."""
    if not _files:
        _files.append(Path(tempfile.mkdtemp(prefix="chatsearch-")))
        atexit.register(remove_session_files)
    return _files[0]


def _leave(made: Path, ours: Path) -> None:
    """Remove the empty folder `.files` that Chainlit made on its import."""
    if made != ours and made.name == ".files":
        with contextlib.suppress(OSError):  # not empty: it is somebody else's
            made.rmdir()
