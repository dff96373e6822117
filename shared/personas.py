"""The names that bots bear at the tables.

Data and nothing else, because two services need it: the table service names the bot of a seat, the bot service knows
each one's manner. A name once used in records is never given another meaning; new ones are appended.
"""

PERSONA_NAMES: tuple[str, ...] = (
    "Nea Costică",
    "Tanti Lenuța",
    "Moș Gavrilă",
    "Coana Miți",
    "Dom' Profesor",
    "Nașu' Vasile",
    "Doamna Aurica",
    "Unchiu' Traian",
    "Mătușa Safta",
    "Conu' Mișu",
    "Fănică",
    "Madam Olga",
    "Nea Gică",
    "Veta",
    "Ilie Șmecheru'",
    "Cumătra Ioana",
    "Badea Toader",
    "Țața Floarea",
    "Meșteru' Anton",
    "Sanda",
    "Nea Petrică",
    "Bunica Maria",
    "Finu' Dorel",
    "Zamfira",
)
"""Different from each other, at most 20 characters, and more than any table has seats."""
