// Block Kit as elements: what the bot sends, and what people type.
import { h, keyed, safeAddress } from "./dom.js";
import { inline, markdown } from "./markdown.js";

const SIGNS = { "○": "pending", "▸": "running", "✓": "done", "✗": "failed", "?": "interrupted", "…": "before" };
const TASK_SIGNS = { pending: "○", in_progress: "▸", complete: "✓", error: "✗" };
const TASK_STATES = { pending: "pending", in_progress: "running", complete: "done", error: "failed" };

/** Draw a message's blocks into `parent`; those that did not change stay as they are. press(element) for a button. */
export function drawBlocks(parent, message, people, press) {
  const blocks = message.blocks.length ? message.blocks : [{ type: "section", text: { type: "mrkdwn", text: message.text } }];
  keyed(
    parent,
    blocks.map((block, at) => ({ at, block })),
    ({ at, block }) => `${at}-${block.type}`,
    ({ block }) => (DRAW[block.type] ?? unknown)(block, people, press),
  );
}

const DRAW = {
  markdown: (block) => h("div", { class: "text" }, markdown(block.text)),
  section: (block, people, press) =>
    h(
      "div",
      { class: "text section" },
      block.text && h("p", {}, textObject(block.text, people)),
      block.fields && h("div", { class: "fields" }, block.fields.map((field) => h("p", {}, textObject(field, people)))),
      block.accessory && element(block.accessory, people, press),
    ),
  header: (block) => h("h3", { class: "title" }, block.text.text),
  divider: () => h("hr"),
  context: (block, people) => context(block, people),
  actions: (block, people, press) => h("div", { class: "actions" }, block.elements.map((e) => element(e, people, press))),
  context_actions: (block, people, press) => DRAW.actions(block, people, press),
  rich_text: (block, people) => h("div", { class: "text" }, block.elements.map((part) => rich(part, people))),
  plan: (block, people) =>
    h("div", { class: "plan" }, h("h3", { class: "title" }, block.title), h("ul", { class: "calls" }, (block.tasks ?? []).map((task) => taskCard(task, people)))),
  task_card: (block, people) => h("ul", { class: "calls" }, taskCard(block, people)),
  table: (block, people) => table(block, people),
  image: (block) => h("p", { class: "context" }, `[image: ${block.alt_text}]`),
};

function unknown(block) {
  return h("p", { class: "context" }, `[${block.type}]`);
}

/** The bot's list of tool calls is a context block whose lines begin with a sign. */
function context(block, people) {
  const [first] = block.elements;
  const lines = block.elements.length === 1 && first.text ? unescaped(first.text).split("\n") : [];
  if (lines.length && lines.every((line) => SIGNS[line[0]] && (line[1] === " " || line[0] === "…"))) {
    return h("ul", { class: "calls" }, lines.map((line) => call(line[0], SIGNS[line[0]], line.slice(1).trim())));
  }
  return h("p", { class: "context" }, block.elements.map((part) => (part.type === "image" ? `[${part.alt_text}]` : h("span", {}, textObject(part, people)))));
}

function call(sign, state, title, more = null) {
  return h("li", { data: { state } }, h("span", { class: "sign", "aria-label": state }, sign), h("span", {}, title, more));
}

function taskCard(task, people) {
  const more = ["details", "output"].filter((name) => task[name]).map((name) => h("div", { class: "context" }, task[name].elements.map((part) => rich(part, people))));
  return call(TASK_SIGNS[task.status] ?? "○", TASK_STATES[task.status] ?? "pending", task.title, more);
}

function element(part, people, press) {
  if (part.type !== "button") return h("span", { class: "context" }, `[${part.type}]`);
  const label = part.text.text;
  return h("button", { type: "button", class: `card ${part.style ?? ""}`, data: { action: part.action_id }, onclick: () => press(part) }, unescaped(label));
}

function table(block, people) {
  const rows = block.rows.map((row, at) => h("tr", {}, row.map((cell) => h(at ? "td" : "th", {}, cell.type === "rich_text" ? cell.elements.map((part) => rich(part, people)) : cell.text ?? ""))));
  return h("div", { class: "wide", tabindex: "0" }, h("table", {}, rows));
}

function rich(part, people) {
  const inside = (part.elements ?? []).map((e) => richElement(e, people));
  switch (part.type) {
    case "rich_text_list":
      return h(part.style === "ordered" ? "ol" : "ul", {}, part.elements.map((item) => h("li", {}, rich(item, people))));
    case "rich_text_preformatted":
      return h("pre", {}, h("code", {}, inside));
    case "rich_text_quote":
      return h("blockquote", {}, inside);
    default:
      return h("p", {}, inside);
  }
}

function richElement(part, people) {
  if (part.type === "user") return mention(part.user_id, people);
  if (part.type === "link") return link(part.url, part.text ?? part.url);
  if (part.type === "emoji") return `:${part.name}:`;
  const text = part.text ?? "";
  if (part.style?.code) return h("code", {}, text);
  if (part.style?.bold) return h("strong", {}, text);
  return text;
}

function mention(id, people) {
  const person = people.get(id);
  return h("span", { class: "mention" }, `@${person ? person.key : id}`);
}

function textObject(text, people) {
  return text.type === "mrkdwn" ? mrkdwn(text.text, people) : unescaped(text.text);
}

/** Slack's own markup: `<@U…>`, `<address|text>`, *bold*, `code`. */
function mrkdwn(text, people) {
  return text.split(/(<[^<>]+>)/).flatMap((piece) => {
    const control = piece.match(/^<([@!#]?)([^|>]+)(?:\|([^>]*))?>$/);
    if (!control) return inline(unescaped(piece).replaceAll(/(?<![\w*])\*(\S[^*\n]*?)\*(?![\w*])/g, "**$1**"));
    const [, sign, target, label] = control;
    if (sign === "@") return [mention(target, people)];
    if (sign) return [`${sign}${label ?? target}`];
    return [link(unescaped(target), unescaped(label ?? target))];
  });
}

function link(address, text) {
  const href = safeAddress(address);
  return href ? h("a", { href, target: "_blank", rel: "noopener noreferrer" }, text) : text;
}

function unescaped(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
