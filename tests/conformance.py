"""What every module must do, whatever it does: one class, run over all modules of the registry."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import pytest

from chatsearch.contracts import kept_promises, missing_columns
from chatsearch.events import Event
from chatsearch.llm.model import Meter, Piece, Quotation, Refusal
from chatsearch.module import Category, DataSource, Module
from chatsearch.prompts import Prompt
from chatsearch.results import ResultSet, Role
from chatsearch.services import Services
from chatsearch.settings import load_settings
from chatsearch.step import StepRun
from chatsearch.work import Progress
from tests.scripted import ScriptedModel, ScriptedServices
from tests.sources import OwnRegistry, document, result_set

TEXTS = {
    "english": "Nikola Tesla died in 1943. He lived in the New Yorker Hotel.",
    "german": "Die Übernahme der Brücke dauerte länger. Straßen wurden geöffnet.",
    "russian": "Никола Тесла умер в 1943 году. Он жил в Нью-Йорке.",
    "chinese": "尼古拉·特斯拉于1943年去世。他住在纽约。",
    "arabic": "توفي نيكولا تسلا عام 1943. كان يعيش في نيويورك.",
    "greek": "Ο Νίκολα Τέσλα πέθανε το 1943. Ζούσε στη Νέα Υόρκη.",
    "astral": "🎨𝔘𝔫𝔦 👩‍🎨. e\u0301 \u200f[1] &amp;amp; <b>",
}
LONG = "Tesla built a tower near the river in 1901 and sold it again. " * 1613  # 100 kB
KINDS: Mapping[str, Sequence[dict[str, object]]] = {
    "empty": [],
    "one": [document("a", TEXTS["english"])],
    "missing": [{**document("a"), "full-text": text} for text in (None, float("nan"), "", " \n", TEXTS["english"])],
    "only missing": [{**document("a"), "full-text": None}, {**document("b"), "full-text": ""}],
    "duplicates": [document("a", TEXTS["english"])] * 3,
    "languages": [document(name, text) for name, text in TEXTS.items()],
    "long": [document("a", LONG), document("b", TEXTS["german"])],
    "numbers": [{**document("a"), "full-text": 1943}, {**document("b"), "full-text": 2.5}],
}


class Quoter(ScriptedModel):
    """Quotes the first words of the first document, as any language model may."""

    async def stream(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> Any:
        await asyncio.sleep(0)
        if not prompt.documents:
            yield Refusal("no documents")
            return
        first = prompt.documents[0]
        yield Piece(first.text[:20], Quotation(first.n, 0, min(20, len(first.text))))

    async def judge(self, prompt: Prompt, progress: Progress | None = None, meter: Meter | None = None) -> list[float]:
        return [1 / (place + 1) for place, _ in enumerate(prompt.documents)]


class Conformance:
    """A module that passes these may stand in any pipeline."""

    @pytest.fixture
    def services(self, tmp_path: Path) -> Services:
        return ScriptedServices(load_settings(data_dir=tmp_path), scripted=Quoter())

    # --- what it says of itself

    def test_it_says_who_it_is(self, module: type[Module]) -> None:
        assert module.id.isidentifier()
        assert module.id == module.id.lower()
        assert module.name.strip()
        assert isinstance(module.category, Category)
        assert inspect.getdoc(module) != inspect.getdoc(Module)
        assert module.description()[-1] in ".?!"

    def test_its_declaration_is_the_module_object_of_the_design(self, module: type[Module]) -> None:
        declared = module.declaration()
        assert list(declared) == [
            "id",
            "name",
            "category",
            "description",
            "reads",
            "writes",
            "parameters",
            "available",
            "install",
        ]
        assert json.loads(json.dumps(declared, allow_nan=False)) == declared
        assert bool(declared["install"]) is not declared["available"]

    def test_every_parameter_has_a_type_a_default_and_a_description(self, module: type[Module]) -> None:
        parameters = module.declaration()["parameters"]
        assert isinstance(parameters, list)
        for one in parameters:
            assert list(one) == ["name", "type", "default", "choices", "description", "required"]
            assert one["description"].endswith("."), f"{one['name']}: a description is a sentence"
            assert one["type"] in ("column", "choice", "boolean", "integer", "number", "text")
            assert one["required"] or one["name"] in module.model_fields
            assert not one["choices"] or one["default"] in one["choices"]

    def test_its_parameters_survive_being_texts(self, module: type[Module]) -> None:
        configured = self.configured(module)
        as_texts = {name: str(value) for name, value in configured.model_dump(mode="json").items() if value is not None}
        assert module.model_validate(as_texts) == configured
        empty = {name: "" for name, info in module.model_fields.items() if not info.is_required()}
        assert module.model_validate({**self.parameters(module), **empty}) == configured

    # --- what it does

    @pytest.mark.parametrize("kind", KINDS)
    async def test_it_keeps_what_it_may_not_change(self, module: type[Module], services: Services, kind: str) -> None:
        before = self.results(module, kind)
        frame, untouched = before.documents, before.documents.copy(deep=True)
        after = await self.transformed(module, before, services)
        kept_promises(self.configured(module), before, after)
        pd.testing.assert_frame_equal(frame, untouched)
        assert isinstance(after.documents.index, pd.RangeIndex)
        assert after.documents.columns.is_unique
        assert after.asked == before.asked
        json.dumps(after.to_json(), allow_nan=False)

    @pytest.mark.parametrize("kind", KINDS)
    async def test_it_writes_the_columns_it_declares_and_gives_its_roles(
        self, module: type[Module], services: Services, kind: str
    ) -> None:
        before = self.results(module, kind)
        after = await self.transformed(module, before, services)
        declared = [column.replace("_N_", f"_{before.reranking_count() + 1}_") for column in self.configured(module).writes()]
        assert set(declared) <= set(after.documents.columns)
        assert {role for roles in after.roles.values() for role in roles} <= set(get_args(Role))
        assert set(after.roles) <= set(after.documents.columns)
        visible = [column for column in declared if "_score_" not in column]
        assert all(
            after.roles.get(column)
            for column in visible
            if column not in ("id", "title", "url", "_source_index_", "_original_ranking_")
        )

    @pytest.mark.parametrize("kind", KINDS)
    async def test_ranks_it_gives_are_1_to_n(self, module: type[Module], services: Services, kind: str) -> None:
        after = await self.transformed(module, self.results(module, kind), services)
        if after.reranking_count():
            assert sorted(after.documents[after.ranking_column()]) == list(range(1, len(after) + 1))

    @pytest.mark.parametrize("kind", ["languages", "missing"])
    async def test_it_moves_no_row_that_is_numbered_unless_it_says_so(
        self, module: type[Module], services: Services, kind: str
    ) -> None:
        before, _ = self.results(module, kind).numbered()
        after = await self.transformed(module, before, services)
        if not (module.moves_rows or module.removes_rows):
            assert list(after.documents["id"]) == list(before.documents["id"])
            assert after.numbers == before.numbers
            assert after.ranks() == before.ranks()

    async def test_it_does_the_same_twice(self, module: type[Module], services: Services) -> None:
        first, second = [await self.transformed(module, self.results(module, "languages"), services) for _ in range(2)]
        assert first.documents_json() == second.documents_json()
        assert [one.text for one in first.summaries] == [one.text for one in second.summaries]

    async def test_a_missing_column_is_named_before_it_runs(self, module: type[Module]) -> None:
        configured = self.configured(module)
        for column in configured.reads():
            others = [name for name in self.results(module, "one").documents.columns if name != column]
            assert f"“{column}”" in missing_columns(configured, others)

    async def test_cancelling_stops_it(self, module: type[Module], services: Services) -> None:
        rows = [document(f"d{n}", f"{TEXTS['english']} {n}") for n in range(200)]
        task = asyncio.create_task(self.transformed(module, result_set(rows, "Where did Tesla live?"), services))
        await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=60)
        assert done
        assert task.cancelled() or task.exception() is None

    async def test_its_events_name_their_step(self, module: type[Module], services: Services) -> None:
        events: list[Event] = []
        await self.transformed(module, self.results(module, "languages"), services, events)
        assert all(getattr(event, "module", module.id) == module.id for event in events)
        assert all(getattr(event, "done", 0) <= getattr(event, "total", 0) for event in events)

    # --- helpers

    def parameters(self, module: type[Module]) -> dict[str, object]:
        """Values of the required parameters; a module that has some adds them to `REQUIRED`."""
        needed = [name for name, info in module.model_fields.items() if info.is_required()]
        return {name: REQUIRED[module.id][name] for name in needed}

    def configured(self, module: type[Module]) -> Module:
        return module.model_validate(self.parameters(module))

    def results(self, module: type[Module], kind: str) -> ResultSet:
        rows = [{**row, "id": f"{row['id']}{n}"} for n, row in enumerate(KINDS[kind])]
        made = result_set(rows, "Where did Tesla live?")
        return replace(made, roles={"full-text": ("text",), "_original_ranking_": ("rank",)})

    async def transformed(
        self, module: type[Module], results: ResultSet, services: Services, events: list[Event] | None = None
    ) -> ResultSet:
        keep = events if events is not None else []
        return await self.configured(module).transform(results, StepRun(services, 2, module.id, keep.append))


REQUIRED: dict[str, dict[str, object]] = {}
"""Parameters without a default, by module, with a value that works without a network."""

ALL = OwnRegistry().modules
TRANSFORMING = [one for one in ALL.values() if not issubclass(one, DataSource)]
SOURCES = [one for one in ALL.values() if issubclass(one, DataSource)]

__all__ = ["ALL", "KINDS", "REQUIRED", "SOURCES", "TEXTS", "TRANSFORMING", "Conformance"]
