"""The words by which languages ask for a name, a time or a number, and those that tell of times and numbers in a sentence.

Written by hand and tried on XQuAD's even-numbered questions (English, German, Spanish, Russian, Chinese); French and Italian are
not measured. Patterns match whole words whatever their case.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ASKS_FOR_A_NAME: Mapping[str, str] = MappingProxyType({
    "en":
        r"who|whom|whose|where|"
        r"(?:what|which)(?:\s\w+)? (?:person|people|city|country|state|town|river|company|place|island|name)",
    "de":
        r"wer|wen|wem|wessen|wo|woher|wohin|(?:welche[rsmn]?) (?:person|stadt|land|staat|fluss|firma|unternehmen|ort|insel)",
    "es":
        r"quién|quiénes|dónde|adónde|(?:qué|cuál) (?:persona|ciudad|país|estado|río|empresa|compañía|lugar|isla)",
    "fr":
        r"(?<=^\W*(?:\w+ )?)(?:qui|où)|d'où|quel(?:le)?s? (?:personne|ville|pays|état|fleuve|entreprise|lieu|île)",
    "it":
        r"chi|dove|dov['’]|quale (?:persona|città|paese|stato|fiume|azienda|luogo|isola)",
    "ru":
        r"кто|кого|кому|кем|ком|чей|чья|чьё|чьи|где|куда|откуда|как\w+ (?:город\w*|стран\w+|рек\w+|компани\w+|остров\w*)",
    "zh":
        r"谁|哪位|何人|哪里|哪儿|何处|何地|什么地方|哪个(?:国家|城市|州|地方|人|公司)",
})  # fmt: skip
"""Of a person, a place or an organisation."""

ASKS_FOR_A_TIME: Mapping[str, str] = MappingProxyType({
    "en":
        r"when\W*$|(?<=^\W*(?:\w+ )?)when|(?:what|which|whose)(?:\s\w+)? (?:years?|dates?|days?|months?|century|decade|time)|"
        r"how long ago",
    "de":
        r"wann|(?:welche[rsmn]?) (?:\w+ )?(?:jahr\w*|datum|tag\w*|monat\w*|jahrhundert\w*|jahrzehnt\w*|zeit\w*)",
    "es":
        r"cuándo|(?:qué|cuál)(?: \w+)? (?:años?|fechas?|días?|mes|meses|siglo|década|época)",
    "fr":
        r"quand|quel(?:le)?s? (?:années?|dates?|jours?|mois|siècle|décennie|époque)",
    "it":
        r"quando|(?:che|quale|quali) (?:anno|anni|data|giorno|mese|secolo|decennio|epoca)",
    "ru":
        r"(?<=^\W*(?:\w+ )?)когда|как\w+(?: \w+)? (?:год\w*|дат\w+|день|дня|месяц\w*|век\w*|столети\w+|десятилети\w+)",
    "zh":
        r"何时|什么时候|什么时间|哪一?年|哪一?天|哪个?[年月世日]|什么年|几年|几月|什么日期|何年",
})  # fmt: skip
"""A date, a year, a century. What "when" begins inside a sentence is no question for it."""

ASKS_FOR_A_NUMBER: Mapping[str, str] = MappingProxyType({
    "en":
        r"how (?:many|much|old|long|tall|high|far|large|big|often|fast|deep|heavy|wide)|"
        r"what (?:percent\w*|number|age|fraction)|(?:percent\w*|what number|what amount|how big|what distance)",
    "de":
        r"wie ?viele?[nrsm]?|wie (?:alt|lange?|hoch|groß|weit|oft|schnell|tief|schwer|breit)|\w*prozent\w*|welche anzahl",
    "es":
        r"cuánt[oa]s?|qué (?:porcentaje|número|cantidad|edad|distancia|altura)|"
        r"cuál (?:es|era|fue) (?:el|la) (?:porcentaje|número|cantidad|edad)|porcentaje",
    "fr":
        r"combien|quel (?:pourcentage|nombre|âge)|quelle (?:quantité|distance|hauteur|taille)|pourcentage",
    "it":
        r"quant[oaie]|(?:che|quale) (?:percentuale|numero|quantità|età|distanza|altezza)|percentuale",
    "ru":
        r"сколько|скольких|скольким|насколько|как\w+ (?:процент\w*|числ\w+|количеств\w+|возраст\w*)|процент\w*",
    "zh":
        r"多少|几(?!乎|何)[^年]|百分之几|百分比|多大|多长|多高|多远|多久|多快|多深|几$",
})  # fmt: skip
"""A count, a measure, a share."""

TIMES: Mapping[str, str] = MappingProxyType({
    "en":
        r"january|february|april|june|july|august|september|october|november|december|century|centuries|monday|tuesday|"
        r"wednesday|thursday|friday|saturday|sunday|summer|winter|spring|autumn|today|\d+s|ago|(?<=in )march|(?<=in )may",
    "de":
        r"januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|jahrhundert\w*|montag|dienstag|"
        r"mittwoch|donnerstag|freitag|samstag|sonntag|sommer|winter|frühling|frühjahr|herbst|\d+er",
    "es":
        r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|siglos?|lunes|martes|"
        r"miércoles|jueves|viernes|sábado|domingo|verano|invierno|primavera|otoño",
    "fr":
        r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|siècles?|lundi|mardi|mercredi|"
        r"jeudi|vendredi|samedi|dimanche|hiver|printemps|automne",
    "it":
        r"gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|secol[oi]|lunedì|"
        r"martedì|mercoledì|giovedì|venerdì|sabato|domenica|estate|inverno|primavera|autunno",
    "ru":
        r"январ\w+|феврал\w+|марта?|марте|апрел\w+|мая|мае|июн\w+|июл\w+|август\w*|сентябр\w+|октябр\w+|ноябр\w+|декабр\w+|"
        r"век\w*|столети\w+|понедельник\w*|вторник\w*|сред[ау]|четверг\w*|пятниц\w+|суббот\w+|воскресень\w+|лет\w+|зим\w+|"
        r"весн\w+|осен\w+",
    "zh":
        r"[\p{N}一二三四五六七八九十]+(?:年|月|日|世纪)|朝",
})  # fmt: skip
"""Months, days of the week, seasons, centuries, decades."""

NUMBERS: Mapping[str, str] = MappingProxyType({
    "en":
        "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million millions "
        "billion billions dozen dozens half third quarter twice one once",
    "de":
        "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn "
        "neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert hunderte tausend tausende million "
        "millionen milliarde milliarden dutzend dutzende hälfte drittel viertel zweimal dreimal zweier dreier beide einmal",
    "es":
        "dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho "
        "diecinueve veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa cien cientos mil miles millón millones "
        "docena docenas mitad tercio cuarto doble",
    "fr":
        "deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente quarante "
        "cinquante soixante cent cents mille million millions milliard milliards douzaine moitié tiers quart",
    "it":
        "due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici venti trenta "
        "quaranta cinquanta sessanta cento mille mila milione milioni miliardo miliardi dozzina metà terzo quarto",
    "ru":
        "два две двух двумя три трех трёх тремя четыре четырех четырёх пять пяти шесть шести семь семи восемь девять десять "
        "десяти двадцать тридцать сорок пятьдесят сто сотни сотен тысяча тысячи тысяч миллион миллиона миллионов миллиард "
        "миллиарда миллиардов половина половины треть четверть дважды двое трое одного один",
})  # fmt: skip
"""Numbers in words, separated by spaces, but "one" where it is an article too."""
