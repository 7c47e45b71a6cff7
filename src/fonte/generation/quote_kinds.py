"""What kind of thing a question asks for, and whether a sentence holds one: a number, a time, a reason.

Small word lists in English, Italian, German, French and Spanish. A question of another kind, or in another language,
is of no kind: then every sentence is as good as any other in this respect.
"""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE
_NUMERALS = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    "ninety|hundred|thousand|half|tenth|due|tre|quattro|cinque|sei|sette|otto|nove|dieci|dodici|venti|trenta|cento|"
    "mille|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|hundert|tausend|deux|trois|quatre|cinq|sept|"
    "huit|neuf|dix|douze|vingt|trente|cent|dos|cuatro|cinco|seis|siete|ocho|nueve|diez|doce|veinte|ciento|mil"
)
_UNITS = (
    "milliseconds?|seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?|seasons?|decades?|centur(?:y|ies)|"
    "second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]|Sekunden?|Minuten?|Stunden?|Tagen?|Wochen?|Monaten?|"
    "Jahren?|secondes?|heures?|jours?|semaines?|mois|ans?|années?|segundos?|minutos?|horas?|días?|semanas?|meses|años?"
)
_MONTHS = (
    "January|February|March|April|June|July|August|September|October|November|December|gennaio|febbraio|marzo|aprile|"
    "maggio|giugno|luglio|agosto|settembre|ottobre|dicembre|Januar|Februar|März|Juni|Juli|Oktober|Dezember"
)
_REFERENCE = (
    "chapters?|sections?|paragraphs?|articles?|art|cases?|pages?|figures?|tables?|steps?|parts?|nos?|rules?|capitol[oi]|"
    "sezion[ei]|paragraf[oi]|articol[oi]|pagin[ae]|figur[ae]|tabell[ae]|Kapitel|Abschnitt|Artikel|Seite|Abbildung|Tabelle|"
    "chapitre|paragraphe|capítulo|sección|párrafo|artículo"
)
_ENUMERATOR = re.compile(r"^\(?\d{1,4}[.)]\s+")
_NUMBER = re.compile(rf"(?<![\w.])\d[\d.,]*|\b(?:{_NUMERALS})\b", _FLAGS)
_REFERRED = re.compile(rf"\b(?:{_REFERENCE})\b[.\s]*[\d,/\s]*(?:(?:and|e|und|et|y)\s+)?$", _FLAGS)
_TIME = re.compile(
    rf"(?:\d|\b(?:a|an|one|each|every|ogni|{_NUMERALS}))\s*(?:\w+\s)?(?:{_UNITS})\b|\b\d+\s?(?:h|s|ms)\b", _FLAGS
)
_DATE = re.compile(rf"\b(?:{_MONTHS}|1\d\d\d|20\d\d)\b|\b\d{{1,2}}[:.]\d\d\b", _FLAGS)
_MOMENT = re.compile(
    r"\b(?:when|once|until|after|before|as soon as|quando|appena|finché|dopo|prima|wenn|sobald|bis|nachdem|bevor|quand|"
    r"lorsque|dès que|après|avant|cuando|hasta|después|antes)\b",
    _FLAGS,
)
_CAUSE = re.compile(
    r"\b(?:because|since|due to|owing to|reasons?|caus\w+|so that|therefore|for lack|perché|poiché|dovut\w+|per via|"
    r"motiv\w+|weil|da|denn|wegen|damit|Grund|parce|car|puisque|à cause|porque|debido|ya que)\b",
    _FLAGS,
)
_ASKS = {
    "duration": r"how (?:long|soon|quickly|often|frequently)|(?:up to |after |for |in )?how many (?:" + _UNITS + r")|"
    r"by how many (?:" + _UNITS + r")|how far (?:ahead|in advance)|from what duration|quanto (?:tempo|ci mette|dura)|"
    r"ogni quanto|con (?:quale|che) frequenza|entro quando|wie (?:lange|oft|schnell)|combien de temps|cuánto tiempo|"
    r"con qué frecuencia|(?:for|after|within) what (?:time|period)",
    "moment": r"(?:(?<=^)|(?<=[.?!:,;] )|(?<=by )|(?<=since )|(?<=until ))(?:when|quando|wann|quand|cuándo)|"
    r"what (?:date|day|year)|which year",
    "reason": r"why|what (?:is|was) the reason|for what reason|perché|come mai|warum|weshalb|wieso|pourquoi|por qué",
    "number": r"how (?:many|much|big|large|high|tall|wide|deep|thick|heavy|warm|hot|cold|hard|loud|far|fast|old)|"
    r"by how much|(?:what|which)(?: \w+)? (?:sum|amount|share|number|rate|percentage|temperature|pressure|torque|"
    r"weight|height|distance|size|age|speed|voltage|current|length|width|price|fee|fine)|what is the (?:most|least|"
    r"longest|shortest|highest|lowest|maximum|minimum)|quant[oiae]|a (?:che|quale) (?:\w+)|di quanto|wie ?viel\w*|"
    r"wie (?:hoch|schwer|weit|groß|heiß|kalt|laut|stark|breit|tief)|combien|cuánt\w+",
}
_ASKED = {kind: re.compile(rf"\b(?:{pattern})\b", _FLAGS) for kind, pattern in _ASKS.items()}


def asked_kind(question: str) -> str:
    """Return `duration`, `moment`, `reason` or `number`, whichever the question asks for first, else ""."""
    found = [(match.start(), kind) for kind, pattern in _ASKED.items() if (match := pattern.search(question))]
    return min(found, key=lambda entry: entry[0])[1] if found else ""


def holds_kind(kind: str, sentence: str) -> bool:
    """Return whether `sentence` holds something of `kind`; everything holds ""."""
    match kind:
        case "duration":
            return _TIME.search(sentence) is not None
        case "moment":
            return any(pattern.search(sentence) for pattern in (_TIME, _DATE, _MOMENT))
        case "reason":
            return _CAUSE.search(sentence) is not None
        case "number":
            return _has_quantity(sentence)
        case _:
            return True


def _has_quantity(sentence: str) -> bool:
    """Return whether there is a number that is not the sentence's own, nor one of a chapter or a paragraph."""
    begin = match.end() if (match := _ENUMERATOR.match(sentence)) else 0
    return any(
        not _REFERRED.search(sentence[max(0, number.start() - 40) : number.start()])
        for number in _NUMBER.finditer(sentence, begin)
    )
