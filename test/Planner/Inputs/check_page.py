"""Checks that a plan's page is well-formed and complete in itself.

    check_page.py PAGE.html VERTEX ...

Prints how many nodes, edges and rows it has. Every named vertex must be drawn,
listed, and have facts.
"""

import html.parser
import json
import re
import sys
import xml.etree.ElementTree as tree

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Nesting(html.parser.HTMLParser):
    """Every tag that a browser sees open is closed, in order."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            sys.exit(f"</{tag}> closes nothing at {self.getpos()}")


path, *names = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    text = file.read()

nesting = Nesting()
nesting.feed(text)
nesting.close()
if nesting.open:
    sys.exit(f"never closed: {nesting.open}")

page = tree.fromstring(text.replace("<!DOCTYPE html>", "", 1))


def named(tag):
    return [e for e in page.iter() if e.tag.rsplit("}", 1)[-1] == tag]


for element in page.iter():
    for key, value in element.attrib.items():
        if key in ("src", "href") or re.search(r"url\(|https?:", value):
            sys.exit(f"the page loads {value}")
if re.search(r"@import|url\(|fetch\(|XMLHttpRequest", text):
    sys.exit("the page loads something")

nodes = [e for e in named("g") if "node" in e.get("class", "").split()]
edges = [e for e in named("g") if "edge" in e.get("class", "").split()]
rows = [e for e in named("tr") if e.get("data-v")]
for svg in named("svg"):
    left, top, width, height = map(float, svg.get("viewBox").split())
    for rect in (e for e in svg.iter() if e.tag.endswith("}rect")):
        x, y, w, h = (float(rect.get(k)) for k in ("x", "y", "width", "height"))
        if not (left <= x and x + w <= left + width + 1 and top <= y and y + h <= top + height + 1):
            sys.exit(f"a rectangle at ({x}, {y}) lies outside of {svg.get('viewBox')}")

script = next(e for e in named("script") if e.get("id") == "plan")
facts = json.loads(script.text)["vertices"]
if len(facts) != len(rows):
    sys.exit(f"{len(facts)} vertices with facts, {len(rows)} rows")
drawn = {int(e.get("data-v")) for e in nodes if e.get("data-v")}
for name in names:
    number = next((i for i, v in enumerate(facts) if v["name"] == name), None)
    if number is None or number not in drawn:
        sys.exit(f"'{name}' is not drawn")
title = named("title")[0].text
print(f"{title}: {len(nodes)} nodes, {len(edges)} edges, {len(rows)} rows")
