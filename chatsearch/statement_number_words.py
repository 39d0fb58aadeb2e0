"""The words for numbers and months in the languages that statements are compared in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def _counted(words: str, start: int = 2, step: int = 1) -> dict[str, int]:
    """Each word, or words joined by "/", with the next value."""
    return {form: start + step * place for place, word in enumerate(words.split()) for form in word.split("/")}


OF_LANGUAGE: Mapping[str, Mapping[str, int]] = MappingProxyType({
    "en": {
        **_counted(
            "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
            "nineteen"
        ),
        **_counted("twenty thirty forty fifty sixty seventy eighty ninety", 20, 10),
        **_counted(
            "second third/thirds fourth/fourths fifth/fifths sixth/sixths seventh eighth/eighths ninth tenth/tenths eleventh "
            "twelfth"
        ),
        **_counted("thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth", 13),
        "half": 2, "both": 2, "twice": 2, "double": 2, "quarter": 4, "quarters": 4, "dozen": 12, "hundred": 100, "thousand": 1000,
    },
    "de": {
        **_counted(
            "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn "
            "neunzehn"
        ),
        **_counted("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", 20, 10),
        **_counted("beide/beiden/zweier/zweimal/hälfte/halbe/halb dreier/dreimal viermal fünfmal"),
        "zwo": 2, "dreissig": 30, "viertel": 4, "dutzend": 12, "hundert": 100, "tausend": 1000,
    },
    "es": {
        **_counted(
            "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho "
            "diecinueve"
        ),
        **_counted("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", 20, 10),
        **_counted(
            "segundo/segunda/ambos/ambas/mitad tercero/tercera/tercer/tercio/tercios cuarto/cuarta quinto/quinta sexto/sexta"
        ),
        "docena": 12, "cien": 100, "ciento": 100, "mil": 1000,
    },
    "fr": {
        **_counted("deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"),
        **_counted("vingt trente quarante cinquante soixante", 20, 10),
        **_counted(
            "deuxième/seconde/moitié troisième/tiers quatrième/quart cinquième sixième septième huitième neuvième dixième"
        ),
        "douzaine": 12, "cent": 100, "mille": 1000,
    },
    "it": {
        **_counted(
            "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette "
            "diciotto"
        ),
        **_counted("venti trenta quaranta cinquanta sessanta settanta ottanta novanta", 20, 10),
        **_counted("secondo/seconda/metà/entrambi terzo/terza/terzi quarto/quarta quinto/quinta"),
        "cento": 100, "mille": 1000, "mila": 1000,
    },
    "ru": {
        **_counted(
            "два/две/двух/двумя/оба/обе три/трёх/трех/тремя четыре/четырёх/четырех пять/пяти шесть/шести семь/семи "
            "восемь/восьми"
        ),
        **_counted(
            "девять/девяти десять/десяти одиннадцать двенадцать тринадцать четырнадцать пятнадцать шестнадцать семнадцать", 9
        ),
        **_counted(
            "двадцать/двадцати тридцать/тридцати сорок/сорока пятьдесят шестьдесят семьдесят восемьдесят девяносто", 20, 10
        ),
        **_counted("половина/половину/второй/вторая треть/третий/третья четверть/четвёртый"), "сто": 100, "тысяча": 1000,
    },
})  # fmt: skip
"""Word (case folded) to value by language. One has no word: "one", "ein", "un" are articles and pronouns more often than not."""

SCALES: Mapping[str, int] = MappingProxyType({
    "hundred": 100, "thousand*": 1000, "million*": 10**6, "billion": 10**9, "billions": 10**9, "trillion": 10**12,
    "k": 1000, "m": 10**6, "bn": 10**9, "tausend": 1000, "tsd": 1000, "mio": 10**6, "mrd": 10**9, "milliard*": 10**9,
    "mil": 1000, "millón": 10**6, "millones": 10**6, "mille": 1000, "mila": 1000, "milion*": 10**6, "miliard*": 10**9,
    "тыс*": 1000, "млн": 10**6, "миллион*": 10**6, "млрд": 10**9, "миллиард*": 10**9, "万": 10**4, "亿": 10**8, "億": 10**8,
})  # fmt: skip
"""What stands after a number and multiplies it; "*" for any ending."""


def _months(words: str) -> dict[str, int]:
    return _counted(words, 1)


MONTHS: Mapping[str, Mapping[str, int]] = MappingProxyType({
    "en": _months(
        "january/jan february/feb march april/apr may june july august/aug september/sept october/oct november/nov december/dec"
    ),
    "de": _months(
        "januar/jänner februar/feber märz april mai juni juli august september oktober november dezember"
    ),
    "es": _months("enero febrero marzo abril mayo junio julio agosto septiembre/setiembre octubre noviembre diciembre"),
    "fr": _months("janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    "it": _months("gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre"),
    "ru": _months(
        "январь/января/январе февраль/февраля/феврале март/марта/марте апрель/апреля/апреле май/мая/мае июнь/июня/июне "
        "июль/июля/июле август/августа/августе сентябрь/сентября/сентябре октябрь/октября/октябре ноябрь/ноября/ноябре "
        "декабрь/декабря/декабре"
    ),
})  # fmt: skip
"""The names of the months (case folded) by language, 1 to 12."""
