"""Reads the page in argv[1] as a browser's parser would and says what is in it, as JSON.

Exit 1 with a message where an element is closed that was not open, or stays open.
"""

import json
import sys
from html.parser import HTMLParser

VOID = {"meta", "br", "hr", "img", "link", "input", "line", "circle"}
FETCHING = {"src", "href", "srcset", "action", "data", "poster", "background", "xlink:href"}


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []
        self.elements = {}
        self.fetching = []
        self.handlers = []
        self.circles = []
        self.tables = []
        self.titles = []
        self.text = []

    def handle_starttag(self, tag, attributes):
        self.elements[tag] = self.elements.get(tag, 0) + 1
        values = dict(attributes)
        for name, value in attributes:
            if name in FETCHING or "url(" in (value or ""):
                self.fetching.append([tag, name, value])
            if name.startswith("on"):
                self.handlers.append([tag, name, value])
        if tag == "circle":
            self.circles.append([values["class"], float(values["cx"].rstrip("%"))])
            return
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append(0)
        if tag in ("td", "th"):
            self.tables[-1][-1] += 1
        if tag == "title":
            self.titles.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            sys.exit(f"line {self.getpos()}: </{tag}> while {self.open[-3:]} are open")
        self.open.pop()

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "title":
            self.titles[-1] += data
        elif self.open and self.open[-1] == "style":
            if "url(" in data or "@import" in data:
                self.fetching.append(["style", "", data])
        else:
            self.text.append(data)


reader = Reader()
with open(sys.argv[1], encoding="utf-8") as source:
    reader.feed(source.read())
reader.close()
if reader.open:
    sys.exit(f"left open: {reader.open}")
json.dump(
    {
        "elements": reader.elements,
        "fetching": reader.fetching,
        "handlers": reader.handlers,
        "circles": reader.circles,
        "tables": reader.tables,
        "titles": reader.titles,
        "text": " ".join(" ".join(reader.text).split()),
    },
    sys.stdout,
)
