"""Greetings, thanks and questions about the engine itself get a short answer; anything with content in it is no small talk."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

_LONGEST = 60

_SAID: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "en": {
        "greeting": "(?:hi|hello|hey|hiya)(?: there| all)?|good (?:morning|afternoon|evening|day)|how are you(?: doing| today)?",
        "thanks": (
            "(?:ok(?:ay)? |great |many )?(?:thanks|thank you|thx|cheers)(?: a lot| very much| so much)?|(?:very "
            "|that['’]?s |that is )?(?:great|perfect|nice|good|helpful)|(?:ok|okay|cool|well done)"
        ),
        "farewell": "(?:good)?bye(?: bye)?|see you(?: later)?|good night",
        "who": (
            "who (?:are|r) (?:you|u)|what are you|are you (?:a |an )?(?:bot|robot|human|ai|person|machine)"
            "|what(?:['’]?s| is) your name|who (?:made|built) you"
        ),
        "ability": (
            "what can (?:you do|i ask(?: you)?)|what can you help (?:me )?with|(?:can you )?help(?: me)?(?: please)?"
            "|how does this work|how do you work|what do you do"
        ),
    },
    "de": {
        "greeting": (
            "(?:hallo|servus|moin|grüß gott|grüezi|hi)(?: zusammen)?|guten (?:morgen|tag|abend)|wie geht(?: es"
            "|['’]?s)(?: dir| ihnen)?"
        ),
        "thanks": (
            "(?:ok |super |vielen |besten |herzlichen )?dank(?:e)?(?: dir| ihnen| schön| sehr| vielmals)?|dankeschön"
            "|super|toll|prima|perfekt|sehr gut"
        ),
        "farewell": "tschüss|tschüs|auf wiedersehen|bis (?:bald|dann|später)|ciao|gute nacht",
        "who": (
            "wer (?:bist du|sind sie)(?: eigentlich| denn)?|was bist du|bist du (?:ein |eine )?(?:bot|roboter|mensch"
            "|ki|maschine)|wie heißt du"
        ),
        "ability": (
            "was (?:kannst du|können sie)(?: alles)?(?: tun| machen)?|was kann ich (?:dich |hier )?fragen|(?:kannst"
            " du mir )?helfen|hilfe|wie funktioniert (?:das|es|das hier)|was machst du"
        ),
    },
    "fr": {
        "greeting": "bonjour|bonsoir|salut|coucou|(?:comment )?ça va|comment (?:vas-tu|allez-vous)",
        "thanks": "(?:ok |super |un grand )?merci(?: beaucoup| bien| à toi| à vous)?|parfait|très bien|super|génial",
        "farewell": "au revoir|à (?:bientôt|plus(?: tard)?|demain)|bonne (?:nuit|soirée|journée)",
        "who": (
            "(?:qui|que) (?:es-tu|êtes-vous)|tu es qui|es-tu (?:un |une )?(?:robot|humain|ia|machine|bot)|comment"
            " t['’]appelles-tu"
        ),
        "ability": (
            "que (?:peux-tu|sais-tu|pouvez-vous) faire|qu['’]est-ce que tu (?:peux|sais) faire|que puis-je (?:te "
            "|vous )?demander|aide(?:-moi)?|comment ça marche"
        ),
    },
    "es": {
        "greeting": "hola(?: a todos)?|buen(?:os|as) (?:días|tardes|noches)|buenas|qué tal|cómo estás?",
        "thanks": "(?:ok |vale |muchas |mil )?gracias(?: por todo)?|perfecto|genial|muy bien|vale",
        "farewell": "adi[oó]s|hasta (?:luego|pronto|mañana)|chao",
        "who": "qui[eé]n eres(?: tú)?|qué eres|eres (?:un |una )?(?:robot|humano|ia|máquina|bot)|cómo te llamas",
        "ability": "qué (?:puedes|sabes) hacer|qué (?:te )?puedo preguntar(?:te)?|ayuda(?:me)?|ayúdame|cómo funciona(?: esto)?",
    },
})  # fmt: skip
_MINE: Mapping[str, Mapping[str, str]] = MappingProxyType({
    "en": {
        "greeting": "Hello. Ask me something about the documents found.",
        "thanks": "You are welcome.",
        "farewell": "Goodbye.",
        "who": "I am a search engine to talk to: I answer only from the documents found, and say where it stands.",
        "ability": (
            "I answer questions from the documents found, with footnotes. I can count, sort and compare them, and"
            " keep to one of them (“document 2”). For another topic, search anew."
        ),
    },
    "de": {
        "greeting": "Hallo. Frag mich etwas zu den gefundenen Dokumenten.",
        "thanks": "Gern geschehen.",
        "farewell": "Auf Wiedersehen.",
        "who": (
            "Ich bin eine Suchmaschine, mit der man reden kann: Ich antworte nur aus den gefundenen Dokumenten und"
            " sage, wo es steht."
        ),
        "ability": (
            "Ich beantworte Fragen aus den gefundenen Dokumenten, mit Fußnoten. Ich kann sie zählen, sortieren und"
            " vergleichen und bei einem bleiben („Dokument 2“). Für ein anderes Thema such neu."
        ),
    },
    "fr": {
        "greeting": "Bonjour. Posez-moi une question sur les documents trouvés.",
        "thanks": "Je vous en prie.",
        "farewell": "Au revoir.",
        "who": (
            "Je suis un moteur de recherche à qui l’on parle : je réponds seulement d’après les documents trouvés et"
            " je dis où c’est écrit."
        ),
        "ability": (
            "Je réponds aux questions d’après les documents trouvés, avec des notes. Je peux les compter, les trier,"
            " les comparer et m’en tenir à l’un d’eux (« document 2 »). Pour un autre sujet, lancez une nouvelle"
            " recherche."
        ),
    },
    "es": {
        "greeting": "Hola. Pregúntame algo sobre los documentos encontrados.",
        "thanks": "De nada.",
        "farewell": "Adiós.",
        "who": (
            "Soy un buscador con el que se puede hablar: respondo solo a partir de los documentos encontrados y digo"
            " dónde está escrito."
        ),
        "ability": (
            "Respondo preguntas a partir de los documentos encontrados, con notas. Puedo contarlos, ordenarlos,"
            " compararlos y limitarme a uno («documento 2»). Para otro tema, haz una nueva búsqueda."
        ),
    },
})  # fmt: skip


def small_talk(text: str, language: str) -> str:
    """The answer to small talk, in the language it is in (`language` first); empty when there is anything else in `text`."""
    said = re.sub(r"[\s,.!?¡¿;:…\-]+$|^[\s¡¿]+", "", " ".join(text.split())).lower()
    said = re.sub(r"[,.!]\s", " ", said)
    if not said or len(said) > _LONGEST:
        return ""
    for tried in dict.fromkeys([language, *_SAID] if language in _SAID else _SAID):
        kind = next((kind for kind, form in _SAID[tried].items() if _is_all(said, form)), "")
        if kind:
            return _MINE[tried][kind]
    return ""


def _is_all(said: str, form: str) -> bool:
    """Whether it is that, or a greeting and that: "hello, who are you"."""
    return re.fullmatch(rf"(?:(?:hi|hello|hey|hallo|bonjour|salut|hola)\s+)?(?:{form})", said) is not None
