// The page: what the Slack stand-in holds, kept up to date by its stream, and what people do with it.
import { composer } from "./composer.js";
import { h } from "./dom.js";
import { avatar, drawReplies, drawRoots, inWords } from "./messages.js";
import { drawFacts } from "./strip.js";

const ROLES = { ann: "asker", bob: "colleague", ada: "admin", gus: "guest" };
const SEEN = "everthread-playground-seen";
const $ = (id) => document.getElementById(id);

const state = { about: null, people: new Map(), channels: new Map(), messages: new Map(), statuses: new Map(), me: "ann", channel: null, open: null };
let facts = null;

async function ask(path, wish) {
  const options = wish === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish) };
  try {
    const answer = await fetch(path, options);
    if (answer.status >= 500) return { ok: false, said: "The playground does not answer. Does `make run` still run?" };
    return await answer.json();
  } catch {
    return { ok: false, said: "The playground does not answer. Does `make run` still run?" };
  }
}

function say(text, bad = false) {
  $("said").textContent = text ?? "";
  $("said").classList.toggle("bad", bad);
}

/* What is known */

function learn(message) {
  const known = state.messages.get(`${message.channel}/${message.ts}`);
  if (message.deleted && message.deleted_by === state.about.bot_user) state.messages.delete(`${message.channel}/${message.ts}`);
  else state.messages.set(`${message.channel}/${message.ts}`, { ...known, ...slim(message) });
}

function slim(message) {
  const { channel, ts, thread_ts, user, from_app, text, blocks, deleted, versions } = message;
  return { channel, ts, thread_ts, user, from_app, text, blocks, deleted, edits: versions.length - 1 };
}

function whisper({ channel, ts, thread_ts, user, text, blocks, at }) {
  const stamp = ts ?? at;
  state.messages.set(`${channel}/${stamp}/${user}`, { channel, ts: String(stamp), thread_ts, user: state.about.bot_user, from_app: true, text, blocks: blocks ?? [], ephemeral: true, to: user });
}

function rootOf(message) {
  return message.thread_ts ?? message.ts;
}

function visible(message) {
  return message.channel === state.channel && (!message.ephemeral || state.people.get(message.to)?.key === state.me);
}

function inChannel() {
  const found = [...state.messages.values()].filter(visible).sort((a, b) => a.ts.localeCompare(b.ts));
  const roots = found.filter((message) => rootOf(message) === message.ts || (message.ephemeral && !message.thread_ts));
  return roots.map((message) => {
    const replies = found.filter((reply) => rootOf(reply) === message.ts && reply !== message);
    return { message, replies, count: replies.filter(isThere).length, working: replies.some(isAtWork) };
  });
}

/** Slack counts no deleted replies, and none that only one person sees. */
function isThere(message) {
  return !message.deleted && !message.ephemeral;
}

function isAtWork(message) {
  return isThere(message) && message.from_app && message.blocks.some((block) => block.type === "actions" && block.elements.some((e) => e.action_id?.endsWith("_stop")));
}

/* Drawing */

const view = {
  get people() {
    return state.people;
  },
  get open() {
    return state.open;
  },
  openThread,
  press,
};

let drawn = false;
function draw() {
  if (drawn) return;
  drawn = true;
  requestAnimationFrame(() => {
    drawn = false;
    drawAll();
  });
}

function drawAll() {
  const channel = state.channels.get(state.channel);
  $("channel-name").textContent = channel.kind === "im" ? "everthread" : `#${channel.name}`;
  $("channel-about").textContent = channel.kind === "im" ? `direct messages of ${state.me}` : `${channel.members.length} members`;
  const roots = inChannel();
  drawRoots($("roots"), roots, view);
  $("roots").classList.toggle("empty", !roots.length);
  const root = roots.find(({ message }) => message.ts === state.open);
  $("answer-form").hidden = !root;
  $("thread-about").textContent = root ? threadStatus(root) : "Nothing is open";
  drawReplies($("replies"), root ? [root.message, ...root.replies] : [], view);
  $("replies").classList.toggle("empty", !root);
}

function threadStatus(root) {
  const status = state.statuses.get(`${state.channel}/${state.open}`);
  if (status) return `everthread ${status}`;
  return root.count ? inWords(root.count) : "no reply yet";
}

function drawPlaces() {
  const own = [...state.channels.values()].filter((channel) => (channel.kind === "im" ? channel.name === state.me : channel.kind === "channel" && channel.bot_is_member));
  $("channels").replaceChildren(
    ...own.map((channel) =>
      h("li", {}, h("button", { type: "button", data: { channel: channel.name }, "aria-current": channel.id === state.channel && "true", onclick: () => openChannel(channel.id) }, channel.kind === "im" ? "everthread" : channel.name, h("span", { class: "mark", "aria-hidden": "true" }, channel.kind === "im" ? "●" : "#"))),
    ),
  );
}

function drawPeople() {
  const there = [...state.people.values()].filter((person) => ROLES[person.key]);
  $("people").append(
    ...there.map((person) => {
      const radio = h("input", { type: "radio", name: "me", value: person.key, checked: person.key === state.me, onchange: () => become(person.key) });
      return h("label", {}, radio, avatar(person), h("span", {}, person.key, h("small", {}, ROLES[person.key])));
    }),
  );
}

/* What people do */

function become(key) {
  const direct = state.channels.get(state.channel).kind === "im";
  state.me = key;
  if (direct) openChannel([...state.channels.values()].find((channel) => channel.kind === "im" && channel.name === key).id);
  else {
    drawPlaces();
    label();
    draw();
  }
}

function label() {
  const channel = state.channels.get(state.channel);
  const where = channel.kind === "im" ? "everthread" : `#${channel.name}`;
  $("ask").placeholder = channel.kind === "im" ? "Message everthread" : `Message ${where}`;
  $("answer").placeholder = `Reply as ${state.me}`;
}

function openChannel(id) {
  state.channel = id;
  openThread(null);
  drawPlaces();
  label();
  pane("channel");
}

function openThread(ts) {
  state.open = ts;
  if (ts) pane("thread");
  draw();
  watchFacts();
}

async function post(text, thread = null) {
  const answer = await ask("/api/say", { user: state.me, channel: state.channel, text, thread_ts: thread });
  if (!answer.ok) say(answer.error ?? answer.said, true);
  else if (!thread && (text.includes("@everthread") || state.channels.get(state.channel).kind === "im")) openThread(answer.ts);
  return answer.ok;
}

async function press(message, part) {
  const answer = await ask("/api/click", { user: state.me, channel: message.channel, ts: message.ts, action_id: part.action_id });
  if (!answer.ok) say(answer.error ?? answer.said, true);
}

async function pull(lever) {
  say("…");
  const thread = state.open ? threadId() : "";
  const answer = await ask(`/api/levers/${lever}`, { thread });
  say(answer.said, !answer.ok);
}

function threadId() {
  return `${state.about.team}/${state.channel}/${state.open}`;
}

function pane(name) {
  document.body.dataset.pane = name;
  for (const tab of document.querySelectorAll(".tabs button")) tab.setAttribute("aria-current", tab.dataset.pane === name ? "true" : "false");
}

/* What happens */

function watchFacts() {
  facts?.close();
  facts = new EventSource(`/api/facts?thread=${encodeURIComponent(state.open ? threadId() : "")}`);
  facts.onmessage = (event) => drawFacts(JSON.parse(event.data));
}

function watchSlack() {
  const slack = new EventSource(`/api/slack?since=${state.about.last_event}`);
  slack.onmessage = (event) => {
    const happened = JSON.parse(event.data);
    if (happened.kind === "status.set") state.statuses.set(`${happened.channel}/${happened.thread_ts}`, happened.status);
    else if (happened.kind === "ephemeral.posted") whisper(happened);
    else learn(happened);
    draw();
  };
}

function examples() {
  const found = [
    ["Three tools at once", "They settle one by one; kill the worker between them.", "@everthread run three tools at once: releases, metrics and logs"],
    ["Something that must not happen twice", "An unsafe tool posts to a local address that takes 3 s. Kill the worker while it waits.", `@everthread post to ${state.about.demo}`],
    ["A long story", "Tools first, then many words. Kill the worker while it speaks, more than once.", "@everthread run three tools (releases, metrics, logs), then tell me a long story"],
  ];
  $("examples").replaceChildren(
    ...found.map(([name, why, text], at) =>
      h("li", {}, h("button", { type: "button", data: { example: at + 1 }, onclick: () => tryOut(text) }, h("b", {}, name), h("span", {}, why), h("code", {}, text))),
    ),
  );
}

async function tryOut(text) {
  $("hint").close();
  const general = [...state.channels.values()].find((channel) => channel.name === "general");
  if (state.channel !== general.id) openChannel(general.id);
  await post(text);
}

function hint() {
  if (!$("hint").open) $("hint").showModal();
}

const KEYS = { "/": () => $("ask").focus(), r: () => $("answer").focus(), k: () => pull("kill-worker"), d: () => pull("deploy"), "?": hint };

function listen() {
  composer($("ask-form"), (text) => post(text));
  composer($("answer-form"), (text) => post(text, state.open));
  for (const lever of document.querySelectorAll("[data-lever]")) lever.addEventListener("click", () => pull(lever.dataset.lever));
  for (const tab of document.querySelectorAll(".tabs button")) tab.addEventListener("click", () => pane(tab.dataset.pane));
  $("help").addEventListener("click", hint);
  $("hint").addEventListener("close", () => localStorage.setItem(SEEN, "yes"));
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, dialog") || event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
    const act = KEYS[event.key.toLowerCase()];
    if (act) {
      event.preventDefault();
      act();
    }
  });
}

async function start() {
  state.about = await ask("/api/workspace");
  state.people = new Map(state.about.people.map((person) => [person.id, person]));
  for (const channel of state.about.channels) {
    state.channels.set(channel.id, channel);
    for (const thread of channel.threads) thread.messages.forEach(learn);
  }
  state.about.ephemerals.forEach(whisper);
  if (state.about.real_model) $("tagline").textContent = "The bot, its workers and Claude are real. Slack is a stand-in on this machine.";
  if (state.about.own_redis) document.querySelector("[data-lever=restart-redis]").disabled = true;
  if (state.about.real_model) for (const name of ["silence-model", "wake-model"]) document.querySelector(`[data-lever=${name}]`).disabled = true;
  drawPeople();
  listen();
  examples();
  openChannel([...state.channels.values()].find((channel) => channel.name === "general").id);
  watchSlack();
  if (!localStorage.getItem(SEEN)) hint();
}

start();
