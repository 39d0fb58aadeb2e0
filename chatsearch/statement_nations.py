"""Countries and their people as the beginnings of their names in several languages: Scottish, schottisch, Escocia, Шотландия."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

_NATIONS = """
scot schott escoc escos ecoss scoz шотланд 苏格兰
engl inglat ingles inglés inghil anglai англи 英格兰
brit großbrit grossbrit брита 英国
wales welsh walis gales galles gallois уэльс 威尔士
ireland irish irland irisch irlanda ирланд 爱尔兰
france french frankreich französ franzos frances francés франц 法国
german deutsch aleman alemán allemagn allemand tedesc герман немец 德国
austria österr osterr autrich австри 奥地利
spain spanish spaniard spani españ espan espagn spagn испан 西班牙
portug португ 葡萄牙
italy itali итал 意大利
netherl dutch niederl holland hollän holand neerl нидерл голланд 荷兰
belgi бельг 比利时
switz swiss schweiz suiza suizo suiss svizz швейцар 瑞士
sweden swedish schwed schwäd suecia sueco suède suédo svezia svedes швед швеци 瑞典
norway norweg noruega noruego norvèg norveg норвеж норвег 挪威
denmark danish dänemark dänisch dinamarca danés danemark danois данск датск дани 丹麦
finland finnish finn finlandia финлянд финск 芬兰
poland polish polen polnisch polonia polaco pologn polonais polacc польш польск 波兰
russia russ rusia ruso русск росси 俄罗斯
turkey turk türk turqu turco турц турец 土耳其
greek greece griech greci grieg grec греци гречес 希腊
china chines chinos chine cines кита 中国
japan japon japón giappon япон 日本
korea korean corea coré корей коре 韩国
india indisch indien indio indian inde инди 印度
egypt ägypt egipt egitt егип 埃及
mexic mexik méxic mexiq messic мекси 墨西哥
brazil brasil brésil brasile брази 巴西
canad kanad канад 加拿大
australi австрал 澳大利亚
americ amerik nordamerik norteaméric norteameric usa$ америк сша$ 美国
africa afrika áfrica afriq африк 非洲
europ европ 欧洲
hungar ungar ungheria húngar hongr венгр венгер 匈牙利
czech tschech checo checa tchèq cecoslov чехи чешск 捷克
romania rumän rumania roumain румын 罗马尼亚
ukrain ucran украин 乌克兰
israel израил 以色列
jewish jews jüdisch juden judío juif ebre еврей 犹太
arab árab араб 阿拉伯
mongol mongól монгол 蒙古
kenia kenya kény кени 肯尼亚
iran iranisch persian persia persisch персид иранск 伊朗
southafrica südafrika sudáfric südafrikan южноафрик 南非
"""


@lru_cache(maxsize=65536)
def folded(text: str) -> str:
    """Case folded and without accents on Latin letters."""
    apart = unicodedata.normalize("NFKD", text.casefold())
    return unicodedata.normalize("NFC", regex.sub(r"(?<=\p{Latin}\p{M}*)\p{M}", "", apart))


def nation_of(word: str) -> str:
    """The English beginning of the nation that a word (as `folded` gives it) names, "" when it names none."""
    if word in _WHOLE:
        return _WHOLE[word]
    return next((_BEGINNINGS[word[:length]] for length in _LENGTHS if word[:length] in _BEGINNINGS), "")


def nations_in_han(text: str) -> frozenset[str]:
    """The nations that a Chinese text names."""
    return frozenset(nation for name, nation in _HAN if name in text)


_ROWS = tuple(tuple(row.split(" ")) for row in folded(_NATIONS).strip().split("\n"))
_WHOLE = {name[:-1]: row[0] for row in _ROWS for name in row if name.endswith("$")}
_BEGINNINGS = {name: row[0] for row in _ROWS for name in row if not name.endswith("$")}
_LENGTHS = sorted({len(name) for name in _BEGINNINGS}, reverse=True)
_HAN = tuple((name, row[0]) for row in _ROWS for name in row if len(name) > 1 and "\u4e00" <= name[0] <= "\u9fff")
