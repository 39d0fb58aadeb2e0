"""Word lists by which statements are compared: what negates, what is opposite, and where names stand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NEGATIONS: Mapping[str, str] = MappingProxyType({
    "en": "not no never none nobody nothing neither nor without cannot fail fails failed failing refuse refuses refused refusing "
    "deny denies denied declined lack lacks lacked lacking unable hardly rarely seldom barely scarcely prevent* avoid* n't "
    "unlikely nowhere",
    "de": "nicht kein* nie niemals ohne weder niemand nichts kaum selten weiger* geweigert lehnte ablehn* abgelehnt verhinder* "
    "scheiter* gescheitert nirgends verwehr*",
    "es": "no ni nunca jamás sin nadie nada ningún ninguna ninguno tampoco negó neg* rechaz* apenas imped* evit* falló fracas*",
    "fr": "ne n pas jamais sans aucun aucune ni rien personne refus* empêch* échou* guère",
    "it": "non né senza mai nessun* niente nulla neanche rifiut* imped* fall* appena",
    "ru": "не ни нет без никогда никто никак* никем нельзя невозможн* отказ* безуспешн* едва неудачн* лишён*",
    "zh": "不 没 無 无 未 非 否 拒 勿 莫",
})  # fmt: skip
"""Words (case folded) that negate what follows; "*" for any ending. Chinese ones are characters."""

NOT_NEGATING = (
    "no other", "nothing but", "nothing else", "not long", "not far", "not only", "not just", "not merely", "not least",
    "whether or not", "no fewer", "no less", "nicht nur", "nicht zuletzt", "no solo", "no sólo", "no solamente", "non solo",
    "pas seulement", "не только", "не менее", "不仅", "不但", "不只", "非常", "非洲", "无论", "不同", "南非", "未来",
)  # fmt: skip
"""What looks like a negation and is none."""

NEGATING_PHRASES: Mapping[str, str] = MappingProxyType({
    "en": r"\b(?:ran|run|runs|was|were|is|are|be) (?:out|short) of\b|\b(?:fell|fall|falls|falling) short of\b"
    r"|\bfree (?:of|from)\b|\bfar from\b",
    "de": r"\b(?:war|waren|ist|sind) frei von\b|\bmangels\b",
    "es": r"\blibres? de\b",
})  # fmt: skip
"""Patterns that negate as a whole."""

AXES: tuple[tuple[str, str], ...] = (
    (
        "increas* rise rises rose risen rising grow* grew rais* higher boost* gain* climb* steig* stieg* gestiegen vergrößer* "
        "verstärk* erhöh* wuchs wachs* zunahm* zunehm* zugenommen aument* crec* subi* augment* возрос* рос* увелич* повы* 增加 "
        "上升 增长",
        "decreas* declin* fell fall falls falling fallen drop* reduc* lower* shrink* shrank diminish* sank sinkt sinken "
        "gesunken fiel* verringer* verkleiner* reduzier* abnahm* abnehm* abgenommen zurückging* zurückgegangen disminu* "
        "reduj* baj* diminu* уменьш* сни* сокра* 减少 下降 减持",
    ),
    (
        "first erste* erstmal* primer* premi* prim* перв* 第一 首次 最初",
        "last final letzte* últim* derni* ultim* последн* 最后",
    ),
    (
        "before prior ago previously earlier former* preced* bevor davor zuvor vorher antes avant prima раньше 之前 以前",
        "after afterwards later following follow* subsequent* soon nachdem danach später nachher después tras après dopo "
        "после 之后 以后",
    ),
    (
        "more most over exceed* greater greatest larger largest higher highest biggest maximum mehr meist* höher* höchst* "
        "größer* größt* más mayor* plus più больше более наибольш* самы* 更多 最多 最大 最高",
        "less least fewer fewest smaller smallest lowest minimum low* weniger wenigst* kleiner* kleinst* niedrig* geringst* "
        "menos menor* moins meno меньше менее наименьш* 更少 最少 最小 最低",
    ),
    (
        "old older oldest alt alte alten älter* ältest* viej* antigu* longev* старш* стар* 最老",
        "young* recent jung* jüng* neuest* joven* младш* молод*",
    ),
    (
        "won win wins winning victor* gewann* gewonnen gewinn* sieg* gan* gagn* vinse vincere выигра* 赢",
        "lost lose* losing verlor* verlier* perd* perse проигра* 输",
    ),
    (
        "open* eröffn* öffn* abri* abier* inaugur* ouvr* ouvert* откры* 开放",
        "clos* shut* schloss geschlossen schließ* cerr* ferm* chius* закры* 关闭",
    ),
    (
        "born birth geboren* geburt* nac* naissanc* родил* 出生",
        "die dies died death dying starb sterb* gestorben* tod mur* mort* умер* смерт* 去世 死",
    ),
    (
        "inside within innerhalb dentro intérieur внутри",
        "outside außerhalb fuera extérieur вне снаружи",
    ),
    (
        "accept* admit* allow* permit* agree* approv* akzeptier* erlaub* zustimm* acept* permit* разреш* 同意 允许",
        "reject* refus* forbid* forbad* ban bans banned prohibit* declined ablehn* abgelehnt verbiet* verbot* weiger* rechaz* "
        "prohib* отказ* запре* 拒绝 禁止",
    ),
    (
        "join* subscrib* enter* beitrat* beigetreten return* zurückkehr* вступ* вернул* 加入",
        "left leav* withdr* fled quit* verließ* austrat* ausgetreten geflohen выш* покин* 退出",
    ),
    (
        "support* favour* favor* unterstütz* befürwort* apoy* soutien* sostien* поддерж* 支持 赞成",
        "oppos* against gegen opus* opon* contra contre contro против* 反对",
    ),
    (
        "always often usual* common* frequent* most mostly generally häufig* meist* oft immer gewöhnlich часто обычно",
        "rare* seldom hardly never selten kaum nie редко никогда",
    ),
    (
        "grant* bestow* gewähr* verlieh* conced* предостав* 授予",
        "abolish* revok* repeal* abschaff* abgeschafft aufheb* aufgehoben aboli* отмен* 废除",
    ),
    (
        "establish* founded created erricht* gegründet fundó creó учре* основа* 成立",
        "dissolv* disband* aufgelöst auflöst* disolv* распус* 解散",
    ),
    (
        "permanent* forever dauerhaft endgültig perman* навсегда 永久",
        "temporar* vorübergehend zeitweise tempor* временно 暂时",
    ),
    (
        "beginning begin* began begun start* anfang* begann* beginn* comenz* empez* начал* 开始",
        "end ended ends finish* ende endet* beendet* termin* conclu* законч* 结束",
    ),
    (
        "fast* quick* rapid* schnell* rápid* быстр* 最快",
        "slow* langsam* lent* медленн* 缓慢",
    ),
    (
        "easy easi* simple simpl* einfach* leicht* fácil* просто* 简单",
        "difficult* hard harder hardest complex* complicat* schwierig* schwer* difícil* сложн* трудн* 困难",
    ),
    (
        "large big huge groß* grand* gran großen больш* 大型",
        "small tiny little klein* pequeñ* petit* маленьк* 小型",
    ),
    (
        "rich wealthy reich* ric* богат* 富",
        "poor arm* pobre* pauvre* бедн* 穷",
    ),
    (
        "strong* stark* stärk* fuerte* сильн* 强",
        "weak* schwach* schwäch* débil* слаб* 弱",
    ),
    (
        "guilty schuldig culpable* виновн* 有罪",
        "innocent* unschuldig inocente* невиновн* 无罪",
    ),
    (
        "buy buys bought purchas* kauf* gekauft compr* acheta* купи* 购买",
        "sell sells sold verkauf* vend* прода* 出售",
    ),
    (
        "export* ausfuhr* 出口",
        "import imports imported importing einfuhr* 进口",
    ),
    (
        "attack* angriff* angegriffen atac* атак* 进攻",
        "defend* defen* verteidig* защи* 防守",
    ),
    (
        "build* built erbau* gebaut constru* постро* 建造",
        "destroy* demolish* zerstör* abgerissen destru* разруш* 拆除 摧毁",
    ),
    (
        "fixed fest* fij*",
        "variable* variabel* varying",
    ),
    (
        "public öffentlich* públic* общественн* 公立",
        "private privat* privad* частн* 私立",
    ),
    (
        "success* succeed* manag* able gelang* erfolgreich* lograr* logró* éxito успешн* 成功",
        "fail* unsuccess* scheiter* gescheitert misslang* fracas* безуспешн* 失败",
    ),
    (
        "include* including einschließlich inklusive incluy* включая 包括",
        "exclud* except apart außer ausgenommen excepto salvo кроме 除",
    ),
    (
        "same gleich* mism* таки* 相同",
        "different* verschieden* unterschied* diferent* разн* 不同",
    ),
    (
        "male man men mann männer hombre* мужчин* 男",
        "female woman women frau* mujer* женщин* 女",
    ),
)  # fmt: skip
"""Opposites: the words of one side against those of the other; "*" for any ending."""

COMPASS: Mapping[str, Mapping[str, str]] = MappingProxyType({
    language: {word: point for point, words in zip("nsew", points.split("/"), strict=True) for word in words.split()}
    for language, points in {
        "en": "north northern northward northwards/south southern southward southwards/east eastern eastward eastwards/"
        "west western westward westwards",
        "de": "nord norden nördlich nördliche nördlichen nordwärts/süd süden südlich südliche südlichen südwärts/"
        "ost osten östlich östliche östlichen ostwärts/west westen westlich westliche westlichen westwärts",
        "es": "norte septentrional/sur meridional/oriental/oeste occidental",
        "fr": "nord septentrional/sud méridional/oriental/ouest occidental",
        "it": "nord settentrionale/sud meridionale/orientale/ovest occidentale",
        "ru": "север севере севера северу/юг юге юга югу/восток востоке востока востоку/запад западе запада западу",
    }.items()
})  # fmt: skip
"""The points of the compass by language: n, s, e, w."""

CLAUSE_WORDS = frozenset(
    "but although though while whereas however yet because aber obwohl sondern während weil jedoch doch pero aunque sino mais "
    "ma но хотя а"
    .split()
)  # fmt: skip
"""What begins a clause that a negation before it does not reach."""

OPPOSITE_PREFIXES: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "en": ("un", "in", "im", "il", "ir", "dis", "non", "under", "mis"),
    "de": ("un", "unter", "nicht", "miss", "in"),
    "es": ("in", "im", "des", "dis"),
    "fr": ("in", "im", "dé", "més"),
    "it": ("in", "im", "dis", "s"),
    "ru": ("не", "без", "бес"),
})  # fmt: skip
"""What turns a word into its opposite when it stands before it."""

GERMAN_DETERMINERS = frozenset(
    "der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner keines dieser diese dieses "
    "diesen diesem jeder jede jedes jeden alle allen aller viele vielen mehrere einige manche welche sein seine seinen seinem "
    "seiner seines ihr ihre ihren ihrem ihrer ihres im am zum zur vom beim ins ans zwei drei vier fünf sechs sieben acht neun "
    "zehn pro"
    .split()
)  # fmt: skip
"""After these a German word with a capital is a noun."""

GERMAN_BEFORE_NAMES = frozenset(
    "in nach aus von zwischen bei unter durch gegen für bis über an zu obwohl weil dass wurde als wie hat hatte"
    .split()
)  # fmt: skip
"""After these a German word with a capital, with no article between, is likely a name."""

GERMAN_NO_NAMES = frozenset(
    "anfang mitte ende jahr jahre jahren jahres jahrhundert jahrhunderts jahrzehnt prozent laut meter kilometer dollar euro "
    "million millionen milliarde milliarden tausend uhr mal teil hälfte viertel drittel mann frau"
    .split()
)  # fmt: skip
"""German words with a capital that stand without an article and are no names."""

FIRST_WORD_VERBS = frozenset(
    "is was are were has had have gave made wrote became said won lost took came went did began led held built left sold "
    "bought ran saw met died will would can could may might must grew knew kept taught thought spoke told found founded sang "
    "belonged es fue era ha son eran tenía había nació murió est était fut fu è nacque был была было были"
    .split()
)  # fmt: skip
"""After these forms the first word of a sentence, bare, is likely a name."""
