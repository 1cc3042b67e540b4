"""The straightforward script with Python's standard library: one connection kept alive, one batch at a time."""

import csv
import http.client
import json
import sys
from urllib.parse import urlsplit

file, kind, url = sys.argv[1:4]
connection = http.client.HTTPConnection(urlsplit(url).netloc)


def sheet_rows():
    import openpyxl

    sheet = openpyxl.load_workbook(file, read_only=True).active
    header, *_ = sheet.iter_rows(max_row=1, values_only=True)
    for row in sheet.iter_rows(min_row=2, values_only=True):
        yield dict(zip(header, row))


def rows():
    if kind == "xlsx":
        yield from sheet_rows()
        return
    with open(file, encoding="utf-8", newline="") as source:
        if kind == "json":
            yield from json.load(source)
        elif kind == "ndjson":
            for line in source:
                yield json.loads(line)
        else:
            yield from csv.DictReader(source)


def to_record(row):
    record = {}
    for field, value in row.items():
        if value is None or value == "":
            continue
        if kind == "xlsx":
            # Dates are datetimes, numbers are numbers.
            value = value.strftime("%Y-%m-%d") if field.startswith("date_") else str(value)
        elif field.startswith("date_"):
            day, month, year = value.split("/")
            value = f"{year}-{month}-{day}"
        elif field.endswith("_amount"):
            value = value.replace(" ", "").replace(",", ".")
        record[field] = value
    return record


def send(records):
    headers = {"content-type": "application/json", "access_token": "bench"}
    connection.request("POST", "/api/items/commandes/", json.dumps(records), headers)
    response = connection.getresponse()
    answer = json.loads(response.read())
    if response.status != 200:
        raise SystemExit(f"{response.status} {answer.get('msg')}")


batch = []
for row in rows():
    batch.append(to_record(row))
    if len(batch) == 500:
        send(batch)
        batch = []
if batch:
    send(batch)
