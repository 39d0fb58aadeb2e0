"""The forms in which people ask about the results themselves, by language: whole sentences, so that no other is taken for one.

`{docs}` is a word for documents, `{kind}` for what they can be counted by, `{value}`, `{column}` and `{key}` are looked up in the
set, `{best}` is a superlative, `{way}` a direction, `{statistic}` a mean or an end, `{n}` and `{m}` are numbers of documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

FORMS: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType({
    "en": {
        "count": [
            (
                "how many (?:{docs}|of them)(?: (?:are there|are here|are shown|are they|were found|(?:do|did|have)"
                " (?:we|you|i) (?:have|find|found|get|got)))?(?: (?:in total|in all|altogether))?"
            ),
            "(?:what is the )?(?:total )?number of {docs}",
        ],
        "count value": [
            (
                "how many (?:of (?:them|these|those|the {docs}) |(?:{docs}|ones) (?:that |which )?)?(?:are|is|were"
                "|come)(?: written| published)? ?(?:in|from|by)? (?:the )?{value}(?: {docs}| ones)?"
            ),
            "how many (?:{docs}|of (?:them|these|those))(?: are there)? (?:in|from|by|of) {value}(?: are there)?",
            "how many {value} (?:{docs}|ones)(?: are there)?",
        ],
        "count by": [
            "how many (?:{docs} )?(?:are there )?(?:are |come )?(?:per|by|for each|from each|in each|of each) {kind}",
            "(?:count (?:the |them )?)?(?:{docs} )?(?:per|by) {kind}",
            "count (?:the )?(?:{docs} )?(?:per|by) {kind}",
        ],
        "values": [
            (
                "(?:from |in )?(?:which|what) {kind} (?:are|were|do) (?:they|these|those|the {docs})(?: (?:from|in"
                "|written in|come from))?"
            ),
            "(?:which|what) {kind} are there",
            "(?:list|show)(?: me)?(?: all)?(?: the)? {kind}",
            "where are (?:the {docs}|they) from",
            "what are the (?:{kind}) of the {docs}",
        ],
        "extreme": [
            "(?:which|what)(?: is|'s|’s)? (?:the )?{best} (?:{docs})",
            "(?:which|what) (?:{docs}|of (?:them|these|the {docs})) (?:is|are) (?:the )?{best}",
            "(?:show me |show )?(?:the )?{best} (?:{docs})",
            "(?:which|what) is the {best} of (?:them|these|the {docs})",
            "(?:which|what) (?:{docs}) has the (?P<end>highest|lowest|largest|smallest|most|fewest) {column}",
        ],
        "extreme?": [
            "(?:(?:and )?(?:(?:which|what)(?: one)?(?: is|'s|’s)|show(?: me)?) )?(?:the )?{best}(?: one)?",
        ],
        "list": [
            "(?:please )?(?:list|show|give)(?: me)?(?: (?:all|the|their|of))* (?:titles|{docs})(?: (?:again|titles))?",
            "what are (?:the |all |their )*titles(?: of the {docs})?",
            "(?:which|what) {docs} (?:are there|are these|are they|did you find|do (?:we|you) have|were found)",
            "(?:list|show)(?: me)? the titles of (?:the|all) {docs}",
            "all titles",
        ],
        "statistic": [
            "(?:what(?: is|'s|’s) )?(?:the )?{statistic}(?: of)?(?: the)? {column}(?: of (?:the|all|all the) {docs})?",
        ],
        "sort": [
            (
                "(?:please )?(?:sort|order|rank)(?: (?:them|it|these|those|the|all))*(?: {docs})? (?:by|on)(?: the)?"
                " {key}(?:,? {way})?"
            ),
            "(?P<first>newest|oldest|longest|shortest) first",
        ],
        "filter": [
            "(?:show (?:me )?)?(?:only|just)(?: show)?(?: me)?(?: the| those)* {value}(?: (?:ones|{docs}))?",
            (
                "(?:show (?:me )?)?(?:only|just) (?:the |those )*(?:ones|those|{docs}|the ones)?(?: that are| which"
                " are)? ?(?:from|in|by|of) {value}"
            ),
        ],
        "compare": [
            r"(?:please )?compare(?: {docs})? {n} (?:and|with|to|vs\.?)(?: {docs})? {m}",
            "(?:what(?: is|'s|’s) the )?differences? between(?: {docs})? {n} and(?: {docs})? {m}",
        ],
    },
    "de": {
        "count": [
            (
                "wie ?viele (?:{docs})(?: (?:gibt es|sind es|sind das|hast du(?: gefunden)?|haben wir|wurden"
                " gefunden|sind da))?(?: insgesamt)?"
            ),
            "(?:die )?anzahl der {docs}",
        ],
        "count value": [
            (
                "wie ?viele (?:davon |(?:der|von den) {docs} |{docs} )?(?:sind|kommen|stammen)(?: davon)? ?(?:auf|in"
                "|von|aus)?(?: dem jahr)? {value}(?:e|en)?"
            ),
            "wie ?viele {value} (?:{docs})(?: gibt es| sind es)?",
            "wie ?viele {docs} (?:gibt es )?(?:auf|in|von|aus)(?: dem jahr)? {value}(?: gibt es)?",
        ],
        "count by": [
            "wie ?viele (?:{docs} )?(?:gibt es |sind es )?(?:pro|je) {kind}",
            "(?:{docs} )?(?:pro|je|nach) {kind}",
        ],
        "values": [
            "(?:aus|von|in|auf) welche[nr] {kind} (?:sind|kommen|stammen) (?:sie|die {docs}|diese {docs}|das)",
            "welche {kind} gibt es(?: hier)?",
            "(?:zeige?|liste)(?: mir)?(?: alle)?(?: die)? {kind}(?: auf)?",
            "woher (?:kommen|stammen|sind) (?:sie|die {docs})",
        ],
        "extreme": [
            "(?:was ist |welches ist |zeige? (?:mir )?)?(?:das |der |die )?{best} (?:{docs})",
            "welche[srn]? (?:{docs}) ist (?:das |der |die |am )?{best}",
        ],
        "extreme?": [
            "(?:und )?(?:welche[srn]?|was) ist (?:das |der |die |am )?{best}",
            "(?:das |der |die ){best}",
        ],
        "list": [
            (
                "(?:bitte )?(?:liste|zeige?|nenne?)(?: mir)?(?: (?:alle|die|der))* (?:titel|{docs})(?: auf)?(?: der"
                " {docs})?(?: auf)?"
            ),
            "(?:welche|was sind die) (?:titel|{docs})(?: gibt es| hast du| haben wir| hast du gefunden)?",
            "alle titel",
        ],
        "statistic": [
            (
                "(?:was ist |wie hoch ist |wie groß ist )?(?:der |die |das )?{statistic}(?: von| der| des)?"
                " {column}(?: (?:der|aller) {docs})?"
            ),
        ],
        "sort": [
            "(?:bitte )?(?:sortiere?|ordne)(?: (?:sie|die|alle))*(?: {docs})? nach(?: dem| der)? {key}(?:,? {way})?",
            "nach {key} (?:sortieren|ordnen|sortiert)",
            "(?P<first>neueste|älteste|längste|kürzeste) zuerst",
        ],
        "filter": [
            "(?:zeige? (?:mir )?)?nur (?:die )?{value}(?: (?:{docs}))?",
            "(?:zeige? (?:mir )?)?nur (?:die |die {docs} |{docs} |diejenigen )?(?:von|aus|auf|in) {value}",
        ],
        "compare": [
            "(?:bitte )?vergleiche?(?: {docs})? {n} (?:und|mit)(?: {docs})? {m}",
            "(?:was ist der )?unterschiede? zwischen(?: {docs})? {n} und(?: {docs})? {m}",
        ],
    },
    "fr": {
        "count": [
            (
                "combien (?:de |d['’])(?:{docs})(?: (?:y a-t-il|as-tu trouvés?|avez-vous trouvés?|a-t-on|sont là|en"
                " tout|au total))*"
            ),
            "combien y a-t-il de (?:{docs})",
            "(?:le )?nombre de {docs}",
        ],
        "count value": [
            "combien (?:d['’]entre eux |de (?:{docs}) )?(?:sont|viennent|datent)(?: en| de| d['’]| de l['’]année)? ?{value}",
            "combien de (?:{docs}) (?:en|de|du) {value}",
            "combien de (?:{docs}) {value}(?: y a-t-il)?",
            "combien y en a-t-il (?:en|de|du) {value}",
        ],
        "count by": [
            "combien (?:de (?:{docs}) )?(?:y a-t-il |y en a-t-il )?par {kind}",
            "(?:{docs} )?par {kind}",
        ],
        "values": [
            "(?:de|d['’]|en|dans) ?quel(?:le)?s {kind} (?:viennent|proviennent|sont)(?:-ils| les {docs}| ces {docs})",
            "quel(?:le)?s (?:sont les )?{kind}(?: y a-t-il)?",
            "d['’]où viennent(?:-ils| les {docs})",
        ],
        "extreme": [
            "(?:quel(?:le)? est |montre(?:-moi)? )?(?:le|la) (?:{docs}) (?:le |la )?{best}",
            "quel (?:{docs}) est (?:le|la) {best}",
        ],
        "extreme?": [
            "(?:et )?(?:lequel|laquelle|quel(?:le)?) est (?:le|la) {best}",
            "(?:le|la) {best}",
        ],
        "list": [
            (
                "(?:liste[rz]?|montre[rz]?|donne[rz]?|affiche[rz]?)(?:-moi)?(?: (?:tous|toutes))?(?: les)? (?:titres"
                "|{docs})(?: des {docs})?"
            ),
            "quels sont les (?:titres|{docs})(?: des {docs})?",
            "tous les titres",
        ],
        "statistic": [
            (
                "(?:quel(?:le)? est )?(?:le |la |l['’])?{statistic} (?:de |du |des |d['’])?(?:la |l['’])?{column}(?:"
                " des {docs})?"
            ),
            "(?:quel(?:le)? est )?(?:le |la |l['’])?{column} {statistic}(?: des {docs})?",
        ],
        "sort": [
            "(?:trie[rz]?|ordonne[rz]?|classe[rz]?)(?:-les| les {docs}| tout)? (?:par|selon)(?: la| le)? {key}(?:,? {way})?",
        ],
        "filter": [
            "(?:seulement|uniquement|que)(?: les)?(?: {docs})?(?: en)? {value}",
            "(?:seulement|uniquement)(?: les| ceux| celles)?(?: {docs})? (?:de|du|en) {value}",
        ],
        "compare": [
            "compare[rz]?(?: (?:les |le )?{docs})? {n} (?:et|avec|à)(?: (?:le )?{docs})? {m}",
            "(?:quelle est la )?différence entre(?: les {docs})? {n} et {m}",
        ],
    },
    "es": {
        "count": [
            "cuántos (?:{docs})(?: (?:hay|son|tenemos|has encontrado|se han encontrado|en total))*",
            "(?:el )?número de {docs}",
        ],
        "count value": [
            "cuántos (?:de ellos |(?:de los )?{docs} )?(?:son|están|vienen|hay)(?: de| en| del año)? {value}",
            "cuántos (?:{docs}) (?:hay )?(?:en|de|del año) {value}(?: hay)?",
            "cuántos (?:{docs}) {value}(?: hay)?",
        ],
        "count by": [
            "cuántos (?:{docs} )?(?:hay )?(?:por|de cada) {kind}",
            "(?:{docs} )?por {kind}",
        ],
        "values": [
            "(?:de|en) qué {kind} (?:son|vienen|están|proceden)(?: los {docs})?",
            "qué {kind} hay",
            "de dónde (?:son|vienen)(?: los {docs})",
            "cuáles son las {kind}",
        ],
        "extreme": [
            "(?:cuál es |muestra(?:me)? |muéstrame )?el (?:{docs}) {best}",
            "qué (?:{docs}) es (?:el )?{best}",
        ],
        "extreme?": [
            "(?:y )?cuál es (?:el|la) {best}",
            "(?:el|la) {best}",
        ],
        "list": [
            (
                "(?:lista|listar|enumera|muestra|muéstrame|muestrame|dame)(?: (?:todos|los))* (?:títulos|{docs})(?:"
                " de los {docs})?"
            ),
            "cuáles son los (?:títulos|{docs})(?: de los {docs})?",
            "qué {docs} hay",
            "todos los títulos",
        ],
        "statistic": [
            "(?:cuál es )?(?:el |la |los )?{statistic} (?:de |del )?(?:la )?{column}(?: de los {docs})?",
            "(?:cuál es )?(?:el |la )?{column} {statistic}(?: de los {docs})?",
        ],
        "sort": [
            (
                "(?:ordena|ordénalos|ordenar|ordenalos|clasifica)(?: los| todos)*(?: {docs})? por(?: la| el)?"
                " {key}(?:,? {way})?"
            ),
        ],
        "filter": [
            "s[oó]lo (?:los )?(?:{docs} )?(?:en )?{value}",
            "s[oó]lo (?:los |las )?(?:{docs} )?(?:de|en|del) {value}",
            "solamente (?:los )?(?:{docs} )?(?:de |en )?{value}",
        ],
        "compare": [
            "compara(?:r)?(?: los)?(?: {docs})? {n} (?:y|con)(?: {docs})? {m}",
            "(?:cuál es la )?diferencia entre(?: los {docs})? {n} y {m}",
        ],
    },
})  # fmt: skip
"""By language and what is asked, the forms; a name that ends in "?" is taken only while the talk is about the results."""
