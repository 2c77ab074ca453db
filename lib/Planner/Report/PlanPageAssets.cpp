//===- PlanPageAssets.cpp - Style and script of a plan's page -------------===//

#include "PlanPage.h"

const char *const tapestry::report::pageStyle = R"css(
:root { --bg: #f7f7f5; --card: #ffffff; --ink: #1f2328; --soft: #6b7280;
  --line: #d8dade; --free: #9aa1ab; --move: #c2410c; --sel: #2563eb;
  --empty: #eceef1; --a0: #2f6fb3; --a1: #3f9a5f; --a2: #8a5cb8; --a3: #b8862b;
  --a4: #2b9aa0; --a5: #b0486f; --in: #f1f5f9; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #16181c; --card: #1f2227; --ink: #e6e8eb; --soft: #9aa1ab;
    --line: #3a3f47; --free: #6b7280; --move: #fb923c; --sel: #60a5fa;
    --empty: #33383f; --a0: #5b9bd5; --a1: #63bd83; --a2: #b08ad9;
    --a3: #d6ab57; --a4: #56bfc4; --a5: #d8779b; --in: #262b32; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--ink);
  font: 14px/1.45 system-ui, sans-serif; }
header { padding: 18px 24px 6px; }
h1 { font-size: 20px; margin: 0 0 8px; }
h2 { font-size: 14px; margin: 0 0 8px; }
.chips { display: flex; flex-wrap: wrap; gap: 6px; }
.chip { background: var(--card); border: 1px solid var(--line);
  border-radius: 12px; padding: 2px 10px; }
.chip b { font-weight: 600; }
main { padding: 12px 24px 40px; display: grid; gap: 14px;
  grid-template-columns: minmax(0, 1fr) 320px; align-items: start; }
section { background: var(--card); border: 1px solid var(--line);
  border-radius: 8px; padding: 14px; min-width: 0; }
.cards { grid-column: 1 / -1; display: grid; gap: 14px;
  grid-template-columns: repeat(auto-fit, minmax(340px, 1fr)); }
.drawing { overflow: auto; max-height: 86vh; }
.drawing svg { display: block; margin: 0 auto; }
#details { position: sticky; top: 12px; max-height: 90vh; overflow: auto; }
#details dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 10px;
  margin: 0; }
#details dt { color: var(--soft); }
#details dd { margin: 0; overflow-wrap: anywhere; }
.wide { grid-column: 1 / -1; overflow: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th, td { text-align: left; padding: 3px 12px 3px 0; white-space: nowrap;
  border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; cursor: pointer;
  position: sticky; top: 0; background: var(--card); }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
tbody tr { cursor: pointer; }
tbody tr.sel { background: var(--empty); }
p.note { color: var(--soft); margin: 8px 0 0; }
svg text { font-family: system-ui, sans-serif; fill: var(--ink); }
.box { fill: var(--card); stroke: var(--free); stroke-width: 1.2; }
.in .box { fill: var(--in); stroke-dasharray: none; }
.out .box { stroke: var(--ink); stroke-width: 2; }
.fold .box { stroke-dasharray: 4 3; }
.node { cursor: pointer; outline: none; }
.node:hover .box, .node:focus .box { stroke: var(--sel); }
.node.sel .box { stroke: var(--sel); stroke-width: 2.4; }
.name { font-size: 13px; font-weight: 600; }
.lab { font-size: 11px; }
.red { font-style: italic; fill: var(--soft); }
.cnt { font-size: 11px; fill: var(--soft); }
svg .move { font-size: 10.5px; fill: var(--move); font-weight: 600;
  paint-order: stroke; stroke: var(--card); stroke-width: 3px; }
.bar { fill: var(--empty); }
.a0 { fill: var(--a0); } .a1 { fill: var(--a1); } .a2 { fill: var(--a2); }
.a3 { fill: var(--a3); } .a4 { fill: var(--a4); } .a5 { fill: var(--a5); }
.edge path { fill: none; stroke: var(--free); }
.edge.moved path { stroke: var(--move); stroke-opacity: .85; }
.edge:hover path { stroke: var(--sel); }
.tick { font-size: 10.5px; fill: var(--soft); }
svg .tick { fill: var(--soft); }
.gridline { stroke: var(--line); stroke-width: 1; }
.m0, .key.k0 { fill: var(--free); background: var(--free); }
.m1, .key.k1 { fill: var(--a0); background: var(--a0); }
.m2, .key.k2 { fill: var(--a3); background: var(--a3); }
.peak { stroke: var(--move); stroke-width: 1; stroke-dasharray: 4 3; }
.step { fill: transparent; }
.step:hover { fill: var(--sel); fill-opacity: .18; }
.key { display: inline-block; width: 10px; height: 10px; border-radius: 2px;
  margin: 0 4px 0 12px; }
.key.a0 { background: var(--a0); } .key.a3 { background: var(--a3); }
.key.a5 { background: var(--a5); }
@media (max-width: 900px) { main { grid-template-columns: 1fr; }
  #details { position: static; } }
)css";

const char *const tapestry::report::pageScript = R"js(
(function () {
  var plan = JSON.parse(document.getElementById('plan').textContent);
  var details = document.getElementById('facts');
  function mark(v) {
    document.querySelectorAll('.sel').forEach(function (e) {
      e.classList.remove('sel');
    });
    document.querySelectorAll('[data-v="' + v + '"]').forEach(function (e) {
      e.classList.add('sel');
    });
  }
  function show(v) {
    var facts = plan.vertices[v];
    if (!facts) return;
    mark(v);
    document.getElementById('chosen').textContent = facts.name;
    details.textContent = '';
    facts.rows.forEach(function (row) {
      var dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = row[0];
      dd.textContent = row[1];
      details.append(dt, dd);
    });
  }
  document.querySelectorAll('.node[data-v]').forEach(function (node) {
    node.addEventListener('click', function () { show(node.dataset.v); });
    node.addEventListener('focus', function () { show(node.dataset.v); });
  });
  var body = document.querySelector('#table tbody');
  body.querySelectorAll('tr').forEach(function (row) {
    row.addEventListener('click', function () {
      show(row.dataset.v);
      var node = document.querySelector('.node[data-v="' + row.dataset.v + '"]');
      if (node) node.scrollIntoView({ block: 'center', inline: 'center' });
    });
  });
  document.querySelectorAll('#table th').forEach(function (head, column) {
    var up = false;
    head.addEventListener('click', function () {
      var rows = Array.from(body.querySelectorAll('tr'));
      function key(row) {
        var cell = row.children[column];
        return cell.dataset.k === undefined ? cell.textContent
                                            : Number(cell.dataset.k);
      }
      up = !up;
      rows.sort(function (a, b) {
        var x = key(a), y = key(b);
        var order = x > y ? 1 : y > x ? -1 : 0;
        return up ? -order : order;
      });
      rows.forEach(function (row) { body.append(row); });
    });
  });
})();
)js";
