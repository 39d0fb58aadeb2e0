"""Which questions lean on an earlier turn, in seven languages: few complete ones are taken for incomplete."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatsearch.incomplete import may_be_incomplete
from chatsearch.turns import Turn

TESLA = (Turn("Where did Tesla live?", "Nikola Tesla", "Tesla lived in the New Yorker Hotel in 1943 [1]."),)

INCOMPLETE = {
    "en": "and in May?|why?|And where did he live?|the second one?|What about its population?|and the other one?|who else?"
    "|When was that?"
    "|Was that expensive?|In that year?|Edison?|what happened then?|how many?|Was it expensive?|and by whom?|same for Germany"
    "|more details please",
    "de": "und im Mai?|warum?|Und wo hat er gelebt?|der zweite?|Was ist mit Edison?|Wer noch?|Wann war das?|Wie viele?"
    "|Und seine Frau?",
    "fr": "et en mai ?|pourquoi ?|Et où a-t-il vécu ?|le deuxième ?|Et Edison ?|Qui d'autre ?|C'était quand ?|Cette année-là ?",
    "es": "¿y en mayo?|¿por qué?|¿Y dónde vivió?|¿el segundo?|¿Y Edison?|¿Quién más?|¿Cuándo fue eso?|¿Cuál es su población?",
    "it": "e a maggio?|perché?|E dove viveva lui?|il secondo?|E Edison?|Chi altro?|Qual è la sua popolazione?",
    "ru": "а в мае?|почему?|А где он жил?|второй?|А Эдисон?|Кто ещё?|Когда это было?|Каково его население?",
    "zh": "五月呢？|为什么？|他住在哪里？|第二个呢？|那里的人口是多少？|它有多高？",
}
COMPLETE = {
    "en": "Where did Tesla live?|And where did Edison live?|What did Edison say when he died?|What is the river that crosses "
    "Paris called?|Is it true that the tower fell?|How many people are there in Paris?"
    "|Which university has its origins in a school?",
    "de": "Wo lebte Tesla?|Und wo lebte Edison?|Was sagte Edison, als er starb?"
    "|Was ist mit Normalkräften in der Physik verbunden?",
    "fr": "Où vivait Tesla ?|Et où vivait Edison ?|Qu’est-ce que la photosynthèse ?|Combien d’habitants a la ville de Paris ?",
    "es": "¿Dónde vivió Tesla?|¿Y dónde vivió Edison?|¿Qué es la fotosíntesis?|¿Cuántos habitantes tiene París?",
    "it": "Dove viveva Tesla?|E dove viveva Edison?|Che cosa è la fotosintesi?",
    "ru": "Где жил Тесла?|А где жил Эдисон?|Что такое фотосинтез?",
    "zh": "特斯拉住在哪里？|加那利群岛在哪个大陆沿岸？|谁是第一个在大西洋上发送无线电波的人？",
}


def each(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, question) for language, questions in table.items() for question in questions.split("|")]


@pytest.mark.parametrize(("language", "question"), each(INCOMPLETE))
def test_what_leans_on_an_earlier_turn_is_incomplete(language: str, question: str) -> None:
    assert may_be_incomplete(question, TESLA, language)
    assert not may_be_incomplete(question, (), language)


@pytest.mark.parametrize(("language", "question"), each(COMPLETE))
def test_what_has_a_subject_of_its_own_is_complete(language: str, question: str) -> None:
    assert not may_be_incomplete(question, TESLA, language)


@pytest.mark.parametrize(("language", "most"), [("en", 24), ("de", 20), ("es", 24), ("ru", 40), ("zh", 32)])
def test_of_1190_questions_asked_of_nobody_hardly_one_is_taken_for_incomplete(shared: Path, language: str, most: int) -> None:
    lines = (shared / f"xquad-{language}" / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert sum(may_be_incomplete(json.loads(line)["text"], TESLA, language) for line in lines) <= most


@given(st.text(max_size=60), st.sampled_from(["en", "de", "fr", "es", "it", "ru", "zh", "xx", ""]))
def test_any_text_may_be_asked(question: str, language: str) -> None:
    may_be_incomplete(question, TESLA, language)
