// Messages as Slack shows them: roots in the channel, replies in the thread.
import { blocksOf, drawBlocks } from "./blocks.js";
import { h, keyed } from "./dom.js";
import { valuesIn } from "./elements.js";
import { openMenu } from "./menu.js";
import { emoji } from "./mrkdwn.js";

const STICKY = 80; // pixels from the end within which a list follows what comes

export function clock(ts) {
  return new Date(Number(ts) * 1000).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

/** The channel's own messages, each with what hangs below it. */
export function drawRoots(parent, roots, view) {
  following(parent, () =>
    keyed(
      parent,
      roots.map((root) => ({ message: root.message, count: root.count, open: root.message.ts === view.open, working: root.working, asks: root.asks })),
      (root) => root.message.ts,
      (root, element) => {
        const shown = drawMessage(root.message, view, element);
        shown.classList.toggle("open", root.open);
        if (!root.message.ephemeral) shown.querySelector(".below").replaceChildren(below(root, view));
        return shown;
      },
    ),
  );
}

export function inWords(count) {
  return `${count} ${count === 1 ? "reply" : "replies"}`;
}

function below({ message, count, working, asks }, view) {
  const sign = asks ? h("span", { class: "working asks" }, "waits for an answer") : working && h("span", { class: "working" }, "at work");
  return h("button", { type: "button", class: "link", data: { open: message.ts }, onclick: () => view.openThread(message.ts) }, count ? inWords(count) : "Reply", sign);
}

/** A thread: its root, its replies, and what only you can see. */
export function drawReplies(parent, messages, view) {
  following(parent, () => keyed(parent, messages, (message) => message.ts, (message, element) => drawMessage(message, view, element)));
}

function following(parent, draw) {
  const atEnd = parent.scrollHeight - parent.scrollTop - parent.clientHeight < STICKY;
  draw();
  if (atEnd) parent.scrollTop = parent.scrollHeight;
}

function drawMessage(message, view, element) {
  const person = view.people.get(message.user);
  const shown = element ?? skeleton(message, person, view);
  shown.classList.toggle("deleted", Boolean(message.deleted));
  const body = shown.querySelector(".blocks");
  if (message.deleted) body.replaceChildren(h("p", { class: "context" }, "This message was deleted."));
  else drawBlocks(body, blocksOf(message), view, (part) => view.press(message, part, valuesIn(body)));
  shown.querySelector(".beside").replaceChildren(...beside(message, view));
  shown.querySelector(".trace").textContent = trace(message);
  shown.querySelector(".more").hidden = Boolean(message.deleted || message.ephemeral);
  return shown;
}

/** Files and reactions. */
function beside(message, view) {
  if (message.deleted) return [];
  const files = (message.files ?? []).map((file) => h("a", { class: "file", href: `/api/files/${file.id}`, target: "_blank", rel: "noopener noreferrer" }, `📎 ${file.name}`));
  const names = (users) => users.map((user) => view.people.get(user)?.key ?? user).join(", ");
  const reactions = Object.entries(message.reactions ?? {}).map(([name, users]) => h("span", { class: "reaction", title: `${name}: ${names(users)}` }, emoji(name), h("small", {}, String(users.length))));
  return [...files, ...reactions];
}

function skeleton(message, person, view) {
  const name = person?.name ?? message.user;
  return h(
    "article",
    { class: `message ${message.from_app ? "bot" : ""} ${message.ephemeral ? "whisper" : ""}`, data: { ts: message.ts, author: person?.key ?? "" } },
    avatar(person),
    h(
      "div",
      {},
      h("header", {}, h("b", {}, name), message.from_app && h("span", { class: "app" }, "app"), h("time", {}, clock(message.ts)), message.ephemeral && h("span", { class: "only" }, "only visible to you"), more(message, view)),
      h("div", { class: "blocks" }),
      h("p", { class: "beside" }),
      h("p", { class: "trace" }),
      h("div", { class: "below" }),
    ),
  );
}

function more(message, view) {
  return h("button", { type: "button", class: "more", title: "More actions", "aria-label": "More actions", "aria-haspopup": "menu", onclick: (event) => openMenu(event.currentTarget, view.actions(message)) }, "⋯");
}

/** What shows that it is one message all along. */
function trace(message) {
  if (!message.from_app || message.ephemeral) return "";
  const edits = message.edits ? ` · edited ${message.edits} time${message.edits === 1 ? "" : "s"}` : "";
  return `ts ${message.ts}${edits}`;
}

export function avatar(person) {
  const key = person?.key ?? "?";
  return h("span", { class: "avatar", data: { who: key }, "aria-hidden": "true" }, key === "everthread" ? "" : key[0].toUpperCase());
}
