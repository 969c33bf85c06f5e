// The Markdown that a model writes, as elements: headings, paragraphs, lists, quotes, tables, fences and what stands
// inside a line. Half a document is fine: it is drawn while it streams.
import { h, safeAddress } from "./dom.js";

const FENCE = /^\s*(`{3,}|~{3,})\s*([\w+-]*)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const RULE = /^\s*(?:[-*_]\s*){3,}$/;
const CELLS = /^\s*\|?\s*:?-{1,}:?\s*(\|\s*:?-{1,}:?\s*)*\|?\s*$/;

/** The elements of a whole text. */
export function markdown(text) {
  const lines = text.split("\n");
  const found = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at];
    if (!line.trim()) at += 1;
    else if (FENCE.test(line)) at = fence(lines, at, found);
    else if (HEADING.test(line)) at = heading(lines, at, found);
    else if (RULE.test(line)) at = found.push(h("hr")) && at + 1;
    else if (line.trimStart().startsWith(">")) at = quote(lines, at, found);
    else if (isTable(lines, at)) at = table(lines, at, found);
    else if (ITEM.test(line)) at = list(lines, at, found);
    else at = paragraph(lines, at, found);
  }
  return found;
}

function fence(lines, at, found) {
  const [, mark, language] = lines[at].match(FENCE);
  const code = [];
  let next = at + 1;
  while (next < lines.length && !closes(lines[next], mark)) code.push(lines[next++]);
  found.push(h("pre", { data: { language } }, h("code", {}, code.join("\n"))));
  return next + 1;
}

function closes(line, mark) {
  const text = line.trim();
  return text.startsWith(mark) && [...text].every((character) => character === mark[0]);
}

function heading(lines, at, found) {
  const [, marks, text] = lines[at].match(HEADING);
  found.push(h(`h${Math.min(6, marks.length + 2)}`, { class: "title" }, inline(text)));
  return at + 1;
}

function quote(lines, at, found) {
  const inner = [];
  while (at < lines.length && lines[at].trimStart().startsWith(">")) {
    inner.push(lines[at++].trimStart().replace(/^>\s?/, ""));
  }
  found.push(h("blockquote", {}, markdown(inner.join("\n"))));
  return at;
}

function isTable(lines, at) {
  return lines[at].includes("|") && at + 1 < lines.length && lines[at + 1].includes("-") && CELLS.test(lines[at + 1]);
}

function table(lines, at, found) {
  const head = h("tr", {}, cells(lines[at]).map((cell) => h("th", { scope: "col" }, inline(cell))));
  const rows = [];
  for (at += 2; at < lines.length && lines[at].includes("|"); at += 1) {
    rows.push(h("tr", {}, cells(lines[at]).map((cell) => h("td", {}, inline(cell)))));
  }
  const shown = h("table", {}, h("thead", {}, head), h("tbody", {}, rows));
  found.push(h("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "table" }, shown));
  return at;
}

function cells(line) {
  const trimmed = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return trimmed.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function list(lines, at, found) {
  const [, indent, mark] = lines[at].match(ITEM);
  const ordered = /\d/.test(mark);
  const items = [];
  while (at < lines.length) {
    const item = lines[at].match(ITEM);
    if (item && item[1].length <= indent.length && /\d/.test(item[2]) === ordered) {
      items.push([item[3]]);
    } else if (items.length && (item || /^\s{2,}\S/.test(lines[at]))) {
      items.at(-1).push(lines[at].replace(new RegExp(`^\\s{0,${indent.length + 2}}`), ""));
    } else break;
    at += 1;
  }
  found.push(h(ordered ? "ol" : "ul", { start: ordered && parseInt(mark, 10) }, items.map(listItem)));
  return at;
}

function listItem([first, ...rest]) {
  return h("li", {}, inline(first), rest.length ? markdown(rest.join("\n")) : null);
}

function paragraph(lines, at, found) {
  const taken = [lines[at++]];
  while (at < lines.length && lines[at].trim() && !starts(lines, at)) taken.push(lines[at++]);
  const broken = taken.map((line, n) => [n ? (/ {2}$/.test(taken[n - 1]) ? h("br") : "\n") : null, inline(line)]);
  found.push(h("p", {}, broken.flat(2)));
  return at;
}

function starts(lines, at) {
  const line = lines[at];
  return FENCE.test(line) || HEADING.test(line) || ITEM.test(line) || line.trimStart().startsWith(">") || isTable(lines, at);
}

const INLINE = [
  [/^(`+)([\s\S]*?[^`])\1(?!`)/, (m) => h("code", {}, m[2].trim() || m[2])],
  [/^\[([^\]]+)\]\(([^)\s]+)(?:\s+"[^"]*")?\)/, (m) => link(m[2], inline(m[1]), m[0])],
  [/^<(https?:\/\/[^\s>|]+)>/, (m) => link(m[1], [m[1]], m[0])],
  [/^(\*\*|__)(?=\S)([\s\S]*?\S)\1/, (m) => h("strong", {}, inline(m[2]))],
  [/^~~(?=\S)([\s\S]*?\S)~~/, (m) => h("del", {}, inline(m[1]))],
  [/^\*(?=\S)([^*]*?\S)\*(?!\*)/, (m) => h("em", {}, inline(m[1]))],
  [/^_(?=\S)([^_]*?\S)_(?!\w)/, (m) => h("em", {}, inline(m[1]))],
  [/^https?:\/\/[^\s<>)\]]*[^\s<>)\].,;:!?]/, (m) => link(m[0], [m[0]], m[0])],
  [/^\\([\\`*_{}[\]()#+\-.!|~>])/, (m) => m[1]],
];

/** What stands inside a line. */
export function inline(text) {
  const found = [];
  let plain = "";
  for (let at = 0; at < text.length; ) {
    const hit = special(text, at);
    if (!hit) {
      plain += text[at++];
      continue;
    }
    if (plain) found.push(plain);
    plain = "";
    found.push(hit.node);
    at += hit.length;
  }
  if (plain) found.push(plain);
  return found;
}

function special(text, at) {
  if (!"`[<*_~h\\".includes(text[at])) return null;
  if ("_h".includes(text[at]) && /\w/.test(text[at - 1] ?? "")) return null;
  const rest = text.slice(at);
  for (const [pattern, draw] of INLINE) {
    const match = rest.match(pattern);
    if (match) return { node: draw(match), length: match[0].length };
  }
  return null;
}

function link(address, shown, whole) {
  const href = safeAddress(address);
  return href ? h("a", { href, target: "_blank", rel: "noopener noreferrer" }, shown) : whole;
}
