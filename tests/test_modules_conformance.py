"""Every module of the registry passes the conformance tests; a new one is tested by being there."""

from __future__ import annotations

from pathlib import Path

import pytest

from chatsearch.module import DataSource, Module
from tests.conformance import SOURCES, TRANSFORMING, Conformance
from tests.sources import services_with


@pytest.mark.parametrize("module", TRANSFORMING, ids=lambda module: module.id)
class TestModules(Conformance):
    """Modules that transform a result set."""


@pytest.mark.parametrize("module", SOURCES, ids=lambda module: module.id)
class TestSources:
    """Data sources, as far as that can be told without what they search."""

    test_it_says_who_it_is = Conformance.test_it_says_who_it_is
    test_its_declaration_is_the_module_object_of_the_design = Conformance.test_its_declaration_is_the_module_object_of_the_design
    test_every_parameter_has_a_type_a_default_and_a_description = (
        Conformance.test_every_parameter_has_a_type_a_default_and_a_description
    )
    test_its_parameters_survive_being_texts = Conformance.test_its_parameters_survive_being_texts
    configured = Conformance.configured
    parameters = Conformance.parameters

    def test_it_has_a_label_and_gives_the_columns_every_result_has(self, module: type[Module], tmp_path: Path) -> None:
        source = self.configured(module)  # type: ignore[misc]
        assert isinstance(source, DataSource)
        assert source.label()
        assert source.moves_rows
        assert {"id", "title", "url", source.output_column, "_source_index_", "_original_ranking_"} <= set(source.writes())
        services = services_with(tmp_path)
        assert isinstance(source.open_columns(services), bool)
        assert all(isinstance(column, str) for column in source.more_columns(services))
