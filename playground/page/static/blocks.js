// Block Kit as elements: what the bot sends, and what people type.
import { h, keyed } from "./dom.js";
import { element } from "./elements.js";
import { markdown } from "./markdown.js";
import { rich, textObject, unescaped } from "./mrkdwn.js";

const SIGNS = { "○": "pending", "▸": "running", "✓": "done", "✗": "failed", "?": "interrupted", "…": "before" };
const TASK_SIGNS = { pending: "○", in_progress: "▸", complete: "✓", error: "✗" };
const TASK_STATES = { pending: "pending", in_progress: "running", complete: "done", error: "failed" };

/**
 * Draw blocks into `parent`; those that did not change stay as they are, with what is filled in. act(part): something
 * was used.
 */
export function drawBlocks(parent, blocks, view, act) {
  keyed(
    parent,
    blocks.map((block, at) => ({ at, block })),
    ({ at, block }) => `${at}-${block.type}-${block.type === "input" ? block.block_id : ""}`,
    ({ block }) => (DRAW[block.type] ?? unknown)(block, view, act),
  );
}

/** A message's blocks, or its text as one. */
export function blocksOf(message) {
  return message.blocks.length ? message.blocks : [{ type: "section", text: { type: "mrkdwn", text: message.text } }];
}

const DRAW = {
  markdown: (block) => h("div", { class: "text" }, markdown(block.text)),
  section: (block, view, act) =>
    h(
      "div",
      { class: "text section" },
      block.text && h("p", {}, textObject(block.text, view)),
      block.fields && h("div", { class: "fields" }, block.fields.map((field) => h("p", {}, textObject(field, view)))),
      block.accessory && element(block.accessory, block, view, act),
    ),
  header: (block) => h("h3", { class: "title" }, unescaped(block.text.text)),
  divider: () => h("hr"),
  context: (block, view) => context(block, view),
  actions: (block, view, act) => h("div", { class: "actions" }, block.elements.map((e) => element(e, block, view, act))),
  context_actions: (block, view, act) => DRAW.actions(block, view, act),
  input: (block, view, act) => input(block, view, act),
  rich_text: (block, view) => h("div", { class: "text" }, block.elements.map((part) => rich(part, view))),
  plan: (block, view) =>
    h("div", { class: "plan" }, h("h3", { class: "title" }, block.title), h("ul", { class: "calls" }, (block.tasks ?? []).map((task) => taskCard(task, view)))),
  task_card: (block, view) => h("ul", { class: "calls" }, taskCard(block, view)),
  table: (block, view) => table(block, view),
  image: (block) => h("p", { class: "context" }, `[image: ${block.alt_text}]`),
};

function unknown(block) {
  return h("p", { class: "context" }, `[${block.type}]`);
}

let numbers = 0;

/** A label, what is filled in, and room for what is wrong with it. */
function input(block, view, act) {
  const id = `input-${(numbers += 1)}`;
  const label = [unescaped(block.label.text), block.optional && h("small", {}, " (optional)")];
  const shown = element(block.element, block, view, act);
  const group = shown.classList.contains("choices");
  shown.id = id;
  if (group) shown.setAttribute("aria-labelledby", `${id}-label`);
  shown.setAttribute("aria-describedby", `${id}-wrong`);
  if (block.element.focus_on_load) shown.autofocus = true;
  return h(
    "div",
    { class: "input", data: { input: block.block_id ?? "", optional: block.optional ? "yes" : "" } },
    h(group ? "span" : "label", { class: "label", id: `${id}-label`, for: group ? null : id }, label),
    shown,
    block.hint && h("small", {}, unescaped(block.hint.text)),
    h("p", { class: "wrong", id: `${id}-wrong`, role: "alert" }),
  );
}

/** The bot's list of tool calls is a context block whose lines begin with a sign. */
function context(block, view) {
  const [first] = block.elements;
  const lines = block.elements.length === 1 && first.text ? unescaped(first.text).split("\n") : [];
  if (lines.length && lines.every((line) => SIGNS[line[0]] && (line[1] === " " || line[0] === "…"))) {
    return h("ul", { class: "calls" }, lines.map((line) => call(line[0], SIGNS[line[0]], line.slice(1).trim())));
  }
  return h("p", { class: "context" }, block.elements.map((part) => (part.type === "image" ? `[${part.alt_text}]` : h("span", {}, textObject(part, view)))));
}

function call(sign, state, title, more = null) {
  return h("li", { data: { state } }, h("span", { class: "sign", "aria-label": state }, sign), h("span", {}, title, more));
}

function taskCard(task, view) {
  const more = ["details", "output"].filter((name) => task[name]).map((name) => h("div", { class: "context" }, task[name].elements.map((part) => rich(part, view))));
  return call(TASK_SIGNS[task.status] ?? "○", TASK_STATES[task.status] ?? "pending", task.title, more);
}

function table(block, view) {
  const cells = (cell) => (cell.type === "rich_text" ? cell.elements.map((part) => rich(part, view)) : cell.text ?? "");
  const rows = block.rows.map((row, at) => h("tr", {}, row.map((cell) => h(at ? "td" : "th", {}, cells(cell)))));
  return h("div", { class: "wide", tabindex: "0" }, h("table", {}, rows));
}
