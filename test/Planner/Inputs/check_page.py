"""Checks that a plan's page is well-formed, complete in itself and true.

    check_page.py PAGE.html PLAN.json VERTEX ... [-- WORDS ...]

The page holds PLAN.json, every named vertex is drawn with its cuts, and, where
node is there to run it, the script shows every vertex and the words. Prints how
many nodes and edges are drawn.
"""

import base64
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
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


page_path, plan_path, *names = sys.argv[1:]
words = []
if "--" in names:
    split = names.index("--")
    names, words = names[:split], names[split + 1 :]
text = pathlib.Path(page_path).read_text(encoding="utf-8")
plan = json.loads(pathlib.Path(plan_path).read_text(encoding="utf-8"))

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
        if value.startswith("data:image/svg+xml;base64,"):
            # A picture in the page; it has to be whole and load nothing either.
            svg = base64.b64decode(value.split(",", 1)[1], validate=True).decode()
            linked = re.findall(r'(?:href|src)="[^"]*"', svg)
            if linked or not svg.rstrip().endswith("</svg>"):
                sys.exit(f"a picture in the page is not whole or loads {linked}")
            continue
        if key.rsplit("}", 1)[-1] in ("src", "href") or re.search(r"url\(|https?:", value):
            sys.exit(f"the page loads {value[:99]}")
if re.search(r"@import|url\(|fetch\(|XMLHttpRequest", text):
    sys.exit("the page loads something")

inlined = {e.get("id"): json.loads(e.text) for e in named("script") if e.get("id")}
if inlined["plan"] != plan:
    sys.exit("the page's plan is another one")
facts = inlined["facts"]["vertices"]
if len(facts) != len(plan["vertices"]):
    sys.exit(f"{len(facts)} vertices with facts, {len(plan['vertices'])} in the plan")

nodes = [e for e in named("g") if e.get("class") == "node"]
edges = [e for e in named("g") if e.get("class") == "edge"]
drawn = {e.get("id"): [t.strip() for t in e.itertext() if t.strip()] for e in nodes}
for name in names:
    number = next((i for i, v in enumerate(plan["vertices"]) if v["name"] == name), None)
    if number is None:
        sys.exit(f"'{name}' is not planned")
    vertex = plan["vertices"][number]
    shown = drawn.get(f"v{number}", [])
    cuts = [name]
    for label, parts in vertex["parts"].items():
        cuts += [label, f"/{parts}" if parts > 1 else "1"]
        if label in vertex["axes"]:
            cuts.append(",".join(vertex["axes"][label]))
    # The title is the node's own name.
    if shown[1 : len(cuts) + 1] != cuts:
        sys.exit(f"'{name}' is drawn with {shown}, planned with {cuts}")

if node := shutil.which("node"):
    runner = pathlib.Path(__file__).with_name("run_page.js")
    ran = subprocess.run([node, runner, page_path], capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    for word in [vertex["name"] for vertex in plan["vertices"]] + words:
        if word not in ran.stdout:
            sys.exit(f"the script does not show '{word}':\n{ran.stdout}")
title = named("title")[0].text
print(f"{title}: {len(nodes)} nodes, {len(edges)} edges")
