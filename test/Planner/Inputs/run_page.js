// Runs the script of a page over just enough of a document, and prints what it
// shows: node run_page.js PAGE.html. Every row and header is clicked on.
'use strict';
const text = require('fs').readFileSync(process.argv[2], 'utf8');
const scripts = [...text.matchAll(/<script( id="(\w+)")?[^>]*>([^]*?)<\/script>/g)];

class Element {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
    this.listeners = {};
    this.classList = { add() {}, remove() {} };
  }
  append(...children) { this.children.push(...children); }
  replaceChildren(...children) { this.children = children; }
  setAttribute(key, value) {
    if (/NaN|undefined/.test(value)) throw new Error(`${this.tag} ${key}=${value}`);
  }
  addEventListener(event, listener) { this.listeners[event] = listener; }
  scrollIntoView() {}
  querySelector(selector) { return found(selector); }
  get parentNode() { return this.parent ||= found(`${this.tag} parent`); }
  get textContent() { return this.children.map(child => child.textContent ?? child).join('|'); }
  set textContent(value) { this.children = [value]; }
}

const elements = {}, made = [];
const found = name => elements[name] ||= new Element(name);
const create = tag => made[made.push(new Element(tag)) - 1];
for (const [, , id, body] of scripts)
  if (id) found(id).textContent = body;
const document = { getElementById: found, querySelector: found, querySelectorAll: () => [],
  createElement: create, createElementNS: (_, tag) => create(tag) };
new Function('document', scripts.at(-1)[3])(document);
for (const element of made)
  if (element.listeners.click) element.listeners.click();
for (const [name, element] of Object.entries(elements))
  if (!['plan', 'facts', 'front'].includes(name))
    console.log(name + ': ' + element.textContent);
