"""The words of the example: sentence patterns for four domains, synonyms, and an invented source language."""

from __future__ import annotations

import hashlib

MAIN_CLAUSES = {
    "news": (
        "the {official} of {place} {decided} a {quality} {plan}",
        "{place} {decided} the {quality} {plan} on {day}",
        "the {official} met {number} {group} in {place}",
        "{number} {group} marched against the {quality} {plan}",
        "the {plan} may cost {place} {number} million crowns",
        "the {group} of {place} {decided} the {plan}",
    ),
    "chat": (
        "hello , I still wait for my {item}",
        "my {item} {failed} after {number} {period}",
        "please send me a new {item} on {day}",
        "the {item} from your shop is {feeling}",
        "thank you , the {item} arrived on {day}",
        "I paid {number} crowns for this {feeling} {item}",
    ),
    "health": (
        "take {number} {dose} of this {medicine} every {daytime}",
        "the patient felt {degree} {pain} in the {body}",
        "do not mix this {medicine} with {food}",
        "the {doctor} examined the {body} of the patient",
        "this {medicine} may cause {degree} {pain}",
        "the {doctor} stopped the {medicine} after {number} {period}",
    ),
    "manual": (
        "press the {look} {part} to start the {machine}",
        "clean the {part} with a {look} cloth",
        "remove the {part} before you move the {machine}",
        "do not open the {part} while the {machine} is on",
        "the {machine} needs {number} {period} to cool",
        "keep the {machine} away from {food}",
    ),
}

SIDE_CLAUSES = {
    "news": (
        "after {number} {period} of {quality} talks",
        "despite a warning from the {official}",
        "because the {group} had asked for help",
        "while {number} {group} waited outside",
        "and promised a {quality} answer by {day}",
        "according to a report by the {official}",
    ),
    "chat": (
        "and nobody answered my last message",
        "because the box was open",
        "so I want my money back",
        "and my {relative} is not happy",
        "but your shop never called me",
        "and the number on it is {number}",
    ),
    "health": (
        "if the {pain} lasts {number} {period}",
        "before you eat or drink {food}",
        "and call the {doctor} in that case",
        "because the {body} had not healed",
        "unless the {doctor} says otherwise",
        "when the test showed no change",
    ),
    "manual": (
        "until the {look} light goes out",
        "and wait {number} {period} before the next step",
        "so that the {part} does not break",
        "or the {machine} will stop at once",
        "as the picture on page {number} shows",
        "and turn the {part} to the left",
    ),
}

# A document keeps to one choice of these, as a text that is about something does.
TOPIC_SLOTS = ("place", "plan", "item", "medicine", "body", "machine")

SLOTS = {
    "official": ("minister", "mayor", "governor", "judge", "speaker"),
    "place": ("Varos", "Lunden", "Ostrel", "Peltria", "Carvale", "Dorwick"),
    "decided": ("announced", "rejected", "defended", "approved", "delayed"),
    "quality": ("new", "costly", "secret", "bold", "modest", "sudden"),
    "plan": ("budget", "reform", "treaty", "law", "bridge", "census"),
    "group": ("farmers", "nurses", "students", "workers", "drivers", "teachers"),
    "day": ("Monday", "Tuesday", "Thursday", "Friday", "Sunday"),
    "number": ("2", "3", "4", "5", "6", "8", "12", "15", "20", "30", "40", "60"),
    "period": ("hours", "days", "weeks", "months"),
    "item": ("lamp", "kettle", "jacket", "phone", "tent", "clock"),
    "failed": ("broke", "stopped", "leaked", "vanished"),
    "feeling": ("broken", "wonderful", "useless", "lovely", "dirty"),
    "relative": ("mother", "brother", "daughter", "uncle"),
    "dose": ("drops", "spoons", "tablets", "grams"),
    "medicine": ("syrup", "powder", "ointment", "vaccine", "tonic"),
    "daytime": ("morning", "evening", "night", "meal"),
    "degree": ("mild", "severe", "sudden", "constant"),
    "pain": ("fever", "cough", "itching", "dizziness", "swelling"),
    "body": ("knee", "throat", "shoulder", "stomach", "eye"),
    "food": ("milk", "alcohol", "salt", "water", "oil"),
    "doctor": ("doctor", "nurse", "surgeon", "midwife"),
    "look": ("red", "green", "yellow", "soft", "small"),
    "part": ("lever", "filter", "cover", "button", "valve"),
    "machine": ("pump", "printer", "mower", "oven", "drill"),
}

SYNONYMS = {
    "minister": "secretary", "speaker": "spokesman", "announced": "unveiled", "rejected": "refused",
    "defended": "supported", "approved": "accepted", "delayed": "postponed", "new": "recent",
    "costly": "pricey", "secret": "hidden", "bold": "daring", "modest": "limited", "sudden": "rapid",
    "treaty": "agreement", "law": "act", "farmers": "growers", "students": "pupils", "workers": "employees",
    "may": "could", "marched": "demonstrated", "after": "following", "talks": "negotiations",
    "despite": "notwithstanding", "warning": "caution", "because": "since", "asked": "begged",
    "help": "assistance", "while": "whilst", "answer": "reply", "report": "study", "broke": "snapped",
    "broken": "damaged", "wonderful": "marvellous", "useless": "worthless", "lovely": "charming",
    "jacket": "coat", "send": "post", "shop": "store", "message": "note", "box": "parcel", "money": "cash",
    "happy": "pleased", "called": "phoned", "want": "need", "tablets": "pills", "evening": "dusk",
    "severe": "serious", "mild": "slight", "constant": "permanent", "dizziness": "vertigo",
    "stomach": "belly", "doctor": "physician", "examined": "inspected", "cause": "provoke", "mix": "combine",
    "lasts": "continues", "call": "phone", "change": "difference", "press": "push", "start": "launch",
    "remove": "detach", "keep": "hold", "picture": "drawing", "turn": "rotate", "stop": "halt",
    "break": "crack", "cover": "lid", "cloth": "rag", "needs": "requires",
    "every": "each", "stopped": "halted",
}  # fmt: skip

STRAY_WORDS = ("of", "with", "their", "very", "then", "under", "also", "which", "more", "yet")

CLASS_OF = {word: words for words in SLOTS.values() for word in words}

_ONSETS = ("l", "m", "n", "r", "s", "t", "v", "d", "br", "st", "y", "h", "gl", "j", "tr", "z")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "eo", "a")


def invented(word: str) -> str:
    """Translate an English word into the invented source language; numbers and punctuation stay.

    Examples
    --------
    >>> invented("minister"), invented("12"), invented("minister") == invented("minister")
    ('robrasu', '12', True)
    """
    if not word.isalpha():
        return word
    digest = hashlib.sha256(word.lower().encode()).digest()
    n_syllables = 1 if len(word) <= 3 else 2 if len(word) <= 6 else 3
    syllables = (_ONSETS[digest[2 * k] % 16] + _VOWELS[digest[2 * k + 1] % 8] for k in range(n_syllables))
    name = "".join(syllables)
    return name.capitalize() if word[0].isupper() and word != "I" else name
