"""How numbers and dates are read, and what bands show of them: docs/schema.md and docs/release.md are the contract.
Used by the checker; nothing is shared with the product. A date counts as days since 1970-01-01."""
import re
from datetime import date, timedelta
from fractions import Fraction

EPOCH = date(1970, 1, 1)
MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
          "december"]
PARTS = {"Y": r"(?P<Y>\d{4})", "y": r"(?P<y>\d\d)", "m": r"(?P<m>\d\d?)", "d": r"(?P<d>\d\d?)",
         "b": r"(?P<b>[A-Za-z]+)", "B": r"(?P<b>[A-Za-z]+)", "%": "%"}


def read_date(text, form):
    """The day that the text means by a format of %-letters; ValueError where it is none."""
    pattern = "".join(PARTS[piece[1]] if piece.startswith("%") else re.escape(piece)
                      for piece in re.findall("%.|[^%]", form))
    found = re.fullmatch(pattern, text)
    if found is None:
        raise ValueError(text)
    part = found.groupdict()
    if "y" in part:
        year = int(part["y"]) + (1900 if int(part["y"]) >= 69 else 2000)
    else:
        year = int(part["Y"])
    if "b" in part:
        named = [i for i, month in enumerate(MONTHS) if part["b"].lower() in (month, month[:3])]
        if not named:
            raise ValueError(text)
        month = named[0] + 1
    else:
        month = int(part["m"])
    return Fraction((date(year, month, int(part["d"])) - EPOCH).days)


def read_number(text, decimal=".", thousands=None):
    """A number by its separators; groups of thousands have three digits each."""
    whole = r"\d+" if thousands is None else r"(?:\d{1,3}(?:%s\d{3})+|\d+)" % re.escape(thousands)
    if re.fullmatch(r"[+-]?(?:%s(?:%s\d*)?|%s\d+)" % (whole, re.escape(decimal), re.escape(decimal)), text) is None:
        raise ValueError(text)
    if thousands is not None:
        text = text.replace(thousands, "")
    return Fraction(text.replace(decimal, "."))


def read_value(column, text):
    """What a cell of the column means."""
    if column.kind == "date":
        return read_date(text, column.format or "%Y-%m-%d")
    return read_number(text, column.decimal or ("," if column.thousands == "." else "."), column.thousands)


def read_limit(column, text):
    """A number of the schema: with a point, dates as YYYY-MM-DD."""
    return read_date(text, "%Y-%m-%d") if column.kind == "date" else read_number(text)


# ---- bands -----------------------------------------------------------------------------------------------------------

class Band:
    """From `low` to `high`; None: open. `included`: whether `high` itself belongs to it."""

    def __init__(self, low, high, included=True):
        self.low, self.high, self.included = low, high, included

    def is_point(self):
        return self.included and self.low is not None and self.low == self.high


def has_bands(column):
    return column.bands is not None or column.top is not None or column.bottom is not None


FIRST, LAST = (date.min - EPOCH).days, (date.max - EPOCH).days  # 0001-01-01 and 9999-12-31


def day_of(year, month):
    """The first day of a month; where there is none, the end of all dates on that side."""
    return FIRST if year < 1 else LAST + 1 if year > 9999 else (date(year, month, 1) - EPOCH).days


def unit_of(day, unit):
    """The first day of a unit of the calendar, and the first day of the next one."""
    d = EPOCH + timedelta(days=int(day))
    if unit == "week":
        first = int(day) - d.weekday()
        return first, first + 7
    if unit in ("month", "quarter"):
        n = 1 if unit == "month" else 3
        month = (d.month - 1) // n * n
        after = month + n
        return day_of(d.year, month + 1), day_of(d.year + after // 12, after % 12 + 1)
    n = 1 if unit == "year" else 10
    return day_of(d.year // n * n, 1), day_of(d.year // n * n + n, 1)


def edges_around(column, value):
    """Where the band of a value begins and where the next one does, top and bottom left aside."""
    bands = column.bands
    if isinstance(bands, list):
        edges = [read_limit(column, edge) for edge in bands]
        return (max((e for e in edges if e <= value), default=None), min((e for e in edges if e > value), default=None))
    if bands[0].isalpha():
        low, after = (Fraction(d) for d in unit_of(value, bands))
    else:
        width = read_number(bands)
        low = value // width * width
        after = low + width
    if column.kind == "date":  # bands end where dates end
        return max(low, Fraction(FIRST)), min(after, Fraction(LAST + 1))
    return low, after


def band_of(column, value):
    """The band that shows a value at best."""
    whole = column.kind != "decimal"
    top = None if column.top is None else read_limit(column, column.top)
    bottom = None if column.bottom is None else read_limit(column, column.bottom)
    if top is not None and value >= top:
        return Band(top, None)
    if bottom is not None and value <= bottom:
        return Band(None, bottom)
    if column.bands is None:
        return Band(value, value)
    low, after = edges_around(column, value)
    if bottom is not None and (low is None or low <= bottom):
        low = bottom + 1 if whole else bottom
    if top is not None and (after is None or after > top):
        after = top
    if after is None:
        return Band(low, None)
    return Band(low, after - 1) if whole else Band(low, after, False)


def begins_band(column, low):
    """Whether some band begins there."""
    if low is None:
        return column.bottom is not None or isinstance(column.bands, list)
    cut = column.bands is not None and column.bottom is not None and column.kind == "decimal"
    return band_of(column, low).low == low or (cut and low == read_limit(column, column.bottom))


def ends_band(column, high, included):
    """Whether some band ends there."""
    if high is None:
        return column.top is not None or isinstance(column.bands, list)
    if column.kind != "decimal" or included:
        band = band_of(column, high)
        return included and band.included and band.high == high
    return column.bands is not None and begins_band(column, high)
