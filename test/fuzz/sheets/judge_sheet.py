"""Compares the rows that rec-push read from a workbook with the file, which it reads with zipfile and ElementTree.

One job a line on standard input: {"path", "sheet", "rows": [[line, cell ...]], "others": [line ...], "from": line}. A cell is
["t", text], ["n", number], ["b", true], ["x"] for one that is refused, or null for a blank one. One answer a line: {"fault"}
with a sentence or null, {"isReadable": false} for a file that cannot be read at all.
"""

import datetime
import decimal
import json
import posixpath
import re
import sys
import zipfile
import zlib
from xml.etree import ElementTree

BUILT_IN = {9: "percent", 10: "percent", 22: "date", 36: "date", 45: "duration", 46: "duration", 47: "duration"}
BUILT_IN.update({number: "date" for number in [14, 15, 16, 17, 27, 28, 29, 30, 31, 50, 51, 52, 53, 54, 57, 58]})
BUILT_IN.update({number: "time" for number in [18, 19, 20, 21, 32, 33, 34, 35, 55, 56]})
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class Unreadable(Exception):
    pass


def local(name):
    return name.rsplit("}", 1)[-1]


def attributes(element):
    return {local(name): value for name, value in element.attrib.items()}


class Book:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path)
        names = self.zip.namelist()
        self.names = {name.lower().replace("\\", "/"): name for name in names}
        if len(self.names) != len(names):
            raise Unreadable("two parts have one name")
        top = self.relations("_rels/.rels", "")
        main = next((target for kind, target in top.values() if kind == "officedocument"), "xl/workbook.xml")
        folder, name = posixpath.split(main)
        self.related = self.relations(posixpath.join(folder, "_rels", name + ".rels"), folder)
        self.main = self.xml(main)
        self.is1904 = any(
            attributes(one).get("date1904") in ("1", "true", "on") for one in self.main.iter() if local(one.tag) == "workbookPr"
        )
        self.isUncalculated = any(
            attributes(one).get("fullCalcOnLoad") in ("1", "true", "on") for one in self.main.iter() if local(one.tag) == "calcPr"
        )
        self.strings = [text_of(one) for one in self.part("sharedstrings") if local(one.tag) == "si"]
        self.formats = self.read_formats(self.part("styles"))

    def xml(self, path):
        name = self.names.get(path.lower())
        if name is None:
            raise Unreadable(f"{path} is missing")
        return ElementTree.fromstring(self.zip.read(name))

    def relations(self, path, folder):
        if path.lower() not in self.names:
            return {}
        found = {}
        for one in self.xml(path).iter():
            about = attributes(one)
            if local(one.tag) != "Relationship" or about.get("TargetMode") == "External":
                continue
            target = about.get("Target", "")
            joined = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
            found[about.get("Id", "")] = (about.get("Type", "").rsplit("/", 1)[-1].lower(), joined)
        return found

    def part(self, kind):
        target = next((path for one, path in self.related.values() if one == kind), None)
        return [] if target is None or target.lower() not in self.names else self.xml(target)

    def read_formats(self, root):
        codes, kinds = {}, []
        for one in root:
            if local(one.tag) == "numFmts":
                for about in (attributes(child) for child in one if local(child.tag) == "numFmt"):
                    codes[int(about["numFmtId"])] = about["formatCode"]
            if local(one.tag) == "cellXfs":
                kinds = [int(attributes(xf).get("numFmtId", "0")) for xf in one if local(xf.tag) == "xf"]
        return [codes.get(number, number) for number in kinds]

    def rows(self, sheet):
        found = [attributes(one) for one in self.main.iter() if local(one.tag) == "sheet"]
        about = next(one for one in found if one.get("name", "") == sheet)
        root = self.xml(self.related[about["id"]][1])
        data = [one for one in root if local(one.tag) == "sheetData"]
        if len(data) != 1:
            raise Unreadable("no rows, or rows in two places")
        last = 0
        for row in data[0]:
            number = int(attributes(row).get("r", last + 1))
            if local(row.tag) != "row" or number <= last:
                raise Unreadable("rows out of order")
            last = number
            yield number, self.cells(row, number)

    def cells(self, row, number):
        cells, at = {}, 0
        for cell in row:
            if local(cell.tag) != "c":
                continue
            about = attributes(cell)
            at += 1
            if "r" in about:
                letters, digits = re.fullmatch(r"([A-Z]+)(\d+)", about["r"]).groups()
                column = 0
                for letter in letters:
                    column = 26 * column + ord(letter) - 64
                if int(digits) != number or column < at:
                    raise Unreadable("cells out of order")
                at = column
            cells[at] = self.value(cell, about)
        return cells

    def value(self, cell, about):
        """(kind, value): t, n, b, e for an error, f for a formula without value, None for a blank cell."""
        parts = {}
        for one in cell:
            if local(one.tag) in parts:
                raise Unreadable("a cell holds something twice")
            parts[local(one.tag)] = one
        kind = about.get("t", "n")
        held = parts.get("v")
        if held is not None and len(held) > 0:
            raise Unreadable("a value holds elements")
        text = None if held is None else held.text or ""
        if "f" in parts and (self.isUncalculated or text is None or (text == "" and kind != "str")):
            return ("f", None)
        if kind == "inlineStr" and "is" in parts:
            return as_text(text_of(parts["is"]))
        if text is None or text == "":
            return None
        if kind == "s":
            if not re.fullmatch(r"\d+", text) or int(text) >= len(self.strings):
                raise Unreadable("no such text")
            return as_text(self.strings[int(text)])
        if kind in ("str", "inlineStr", "d"):
            return as_text(text)
        if kind == "b":
            return ("b", {"1": True, "true": True, "0": False, "false": False}.get(text.strip()))
        if kind == "e":
            return ("e", text)
        if kind != "n":
            raise Unreadable("an unknown kind of cell")
        style = int(about.get("s", "0"))
        if self.formats and style >= len(self.formats):
            raise Unreadable("no such format")
        return ("n", (text, self.formats[style] if style < len(self.formats) else 0))


def text_of(element):
    pieces = []
    for one in element:
        if local(one.tag) == "t":
            pieces.append(one.text or "")
        elif local(one.tag) == "r":
            pieces.extend(t.text or "" for t in one if local(t.tag) == "t")
    return "".join(pieces)


def as_text(text):
    plain = re.sub(r"_x([0-9a-fA-F]{4})_", lambda found: chr(int(found[1], 16)), text)
    # Two escaped surrogate halves make one character.
    plain = plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return ("t", plain) if plain else None


def kind_of(form):
    return BUILT_IN.get(form, "number") if isinstance(form, int) and form < 164 else "unclear"


def date_texts(number, is1904, kind):
    """The texts that may represent a serial number, with times rounded to milliseconds."""
    serial = decimal.Decimal(float(number))
    texts = set()
    for shift in (decimal.Decimal(0), decimal.Decimal("0.0005") / 86400, decimal.Decimal("-0.0005") / 86400):
        day, part = divmod(serial + shift, 1)
        if kind == "time":
            base, day = datetime.datetime(2000, 1, 1), int(day)
            if day != 0:
                continue
        elif is1904:
            base, day = datetime.datetime(1904, 1, 1), int(day)
        else:
            if day < 1 or day == 60:
                continue
            base, day = datetime.datetime(1899, 12, 30 if day > 60 else 31), int(day)
        try:
            whole = base + datetime.timedelta(days=day)
        except OverflowError:
            continue
        for way in (decimal.ROUND_FLOOR, decimal.ROUND_CEILING):
            ms = int((part * 86400000).to_integral_value(way))
            try:
                moment = whole + datetime.timedelta(milliseconds=ms)
            except OverflowError:
                continue
            time = moment.strftime("%H:%M:%S") + (f".{moment.microsecond // 1000:03}" if moment.microsecond else "")
            if kind == "time":
                if moment.day == 1:
                    texts.add(time)
            else:
                date = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
                texts.add(date if time == "00:00:00" else f"{date}T{time}")
    return texts


def number_texts(text):
    """The texts that a number may have: its own digits, or 15 of them without exponent and without zeros at the end."""
    plain = re.sub(r"^(-?)0+(?=\d)", r"\1", text.lstrip("+"))
    texts = {re.sub(r"\.0$", "", plain)} if re.fullmatch(r"-?\d+(?:\.\d+)?", text) and len(re.sub(r"\D", "", text)) <= 15 else set()
    if not texts:
        rounded = decimal.Context(prec=15).create_decimal(decimal.Decimal(float(text)))
        if abs(rounded) < 10 ** 15:
            fixed = f"{rounded:f}"
            texts.add(fixed.rstrip("0").rstrip(".") if "." in fixed else fixed)
    return texts


def differs(given, held, book):
    if given == ["x"]:
        return None
    if given is None:
        return None if held is None else f"is {held!r}, and is read as blank"
    told = f"is {held!r}, and is read as {given!r}"
    if held is None or held[0] in "ef":
        return told
    kind, value = given
    if held[0] == "n":
        text, form = held[1]
        text = text.strip(" \t\r\n")
        if not NUMBER.fullmatch(text):
            return told
        means = kind_of(form)
        if means in ("date", "time"):
            return None if kind == "t" and value in date_texts(text, book.is1904, means) else f"{told}, of the format {form!r}"
        if means != "number" or kind != "n":
            return f"{told}, of the format {form!r}"
        return None if value in number_texts(text) else told
    return None if kind == held[0] and value == held[1] else told


def judge(job):
    try:
        book = Book(job["path"])
        held = {number: cells for number, cells in book.rows(job["sheet"])}
    except (Unreadable, ElementTree.ParseError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, AttributeError,
            StopIteration, NotImplementedError, EOFError, OSError, RuntimeError) as error:
        return {"isReadable": False, "fault": f"{type(error).__name__}: {error}"}
    told = set(job["others"])
    for line, *cells in job["rows"]:
        told.add(line)
        own = held.get(line, {})
        for column in range(1, max(len(cells), *own, 0) + 1 if own else len(cells) + 1):
            given = cells[column - 1] if column <= len(cells) else None
            fault = differs(given, own.get(column), book)
            if fault is not None:
                return {"isReadable": True, "fault": f"row {line}, column {column} {fault}"}
    for line, own in held.items():
        if line >= job["from"] and line not in told and any(cell is not None for cell in own.values()):
            return {"isReadable": True, "fault": f"row {line} is missing: {own!r}"}
    return {"isReadable": True, "fault": None}


for line in sys.stdin:
    print(json.dumps(judge(json.loads(line))), flush=True)
