"""Which sentences of an answer state nothing that a document could support: greetings, headings, questions, offers."""

from __future__ import annotations

import regex

_HEADING_WORDS = 8
_SENTENCE_END = regex.compile(r"[.!?…。！？][\p{P}\p{S}\s]*$")
_QUESTION = regex.compile(r"[?？][\p{P}\s]*$")
_LEADS_ON = regex.compile(r"[:：][\p{P}\s*]*$")
_MARKUP = regex.compile(r"^[\s>*_#\-•|`]+|[\s*_|`]+$")

# How a sentence begins that greets, offers, excuses itself, leads on to a list or says what the documents do not have.
_OPENINGS = regex.compile(
    "|".join(
        (
            r"i hope|hope (?:this|that)|let me know|feel free|please let|happy to help|glad to|sorry\b"
            r"|thank(?:s| you)|you(?:'re| are) welcome",
            r"if you (?:have|need|want|would like)|i(?:'m| am) (?:sorry|happy|glad)|(?:good|great) question",
            r"i (?:can(?:not|'t)|could not|couldn't|do not|don't|did not|didn't|was unable to|am unable to) (?:find|answer"
            r"|know|say|tell|see)",
            r"here (?:is|are|'s) |here's |below (?:is|are) |in short[.:]|in summary[.:]",
            r"(?:unfortunately,? )?(?:the|these|those|none of the) (?:\w+ )?(?:documents?|sources?|texts?|passages?"
            r"|results?|excerpts?) "
            r"(?:do|does|did) not (?:say|mention|contain|state|specify|provide|give|answer|tell|include)",
            r"ich hoffe|lassen sie mich|lass mich|gerne? helfe|falls sie|wenn sie (?:weitere|noch|mehr)"
            r"|es tut mir leid|tut mir leid",
            r"leider (?:kann|konnte|finde) ich|vielen dank|danke\b|hier (?:ist|sind|finden) |nachfolgend|im folgenden",
            r"(?:leider )?(?:die|den) (?:\w+ )?(?:dokumenten?|quellen|texten?) (?:nennen|enthalten|sagen|erwähnen|geben"
            r"|lässt|ist) "
            r"(?:das |dies |dazu |darüber |es )?(?:nicht|kein)",
            r"espero que|si (?:necesita|necesitas|tiene|tienes|desea|quieres)|no dudes? en|lo siento"
            r"|gracias\b|a continuación",
            r"aquí (?:está|están|tienes|tiene)|los documentos no (?:dicen|mencionan|contienen|indican)",
            r"j'espère|n'hésitez pas|si vous (?:avez|souhaitez)|désolé|merci\b|voici\b",
            r"les documents ne (?:disent|mentionnent|contiennent|précisent)",
            r"spero che|se hai|mi dispiace|grazie\b|ecco\b|i documenti non (?:dicono|menzionano|contengono)",
            r"надеюсь|если (?:у вас|вам)|к сожалению, я|извините|спасибо|вот\b|в документах не|документы не",
            r"希望|如果您|如果你|抱歉|对不起|谢谢|以下是|下面是|文[档件]中?[没未]",
        )
    ),
    regex.IGNORECASE,
)
_ALONE = regex.compile(
    r"(?:sure|certainly|of course|yes|no|okay|ok|hello|hi|absolutely|natürlich|gerne?|sicher|ja|nein|hallo|klar"
    r"|selbstverständlich|claro|por supuesto|sí|hola|bien sûr"
    r"|oui|non|bonjour|certo|sì|ciao|конечно|да|нет|здравствуйте|привет|好的|当然|是的|不是|你好)"
    r"[\s\p{P}]*",
    regex.IGNORECASE,
)
_NUMBER = regex.compile(r"\p{Nd}")


def needs_source(sentence: str, language: str = "") -> bool:
    """Whether a sentence states something that a document should support; when in doubt it does.

    False for questions, for what only leads on to a list ("Here is what they say:"), thanks, offers and excuses, for a line that
    says what the documents do not have, and for headings: few words without an end and without a number.
    """
    bare = _MARKUP.sub("", sentence).replace("’", "'")
    if not any(map(str.isalnum, bare)) or _QUESTION.search(bare) or _ALONE.fullmatch(bare):
        return False
    if _OPENINGS.match(bare):
        return _NUMBER.search(bare) is not None and not _LEADS_ON.search(bare)
    if _LEADS_ON.search(bare) and _NUMBER.search(bare) is None and len(bare.split()) <= 2 * _HEADING_WORDS:
        return False
    return not _is_heading(sentence, bare, language)


def _is_heading(sentence: str, bare: str, language: str) -> bool:
    """Marked as one, or a few words without an end, a number or a small word that only sentences have."""
    if _SENTENCE_END.search(bare) or language in {"zh", "ja", "th"}:
        return False
    if regex.match(r"\s*#{1,6}\s", sentence):
        return True
    said = bare.split()
    return len(said) <= 3 and _NUMBER.search(bare) is None
