// The page: panes drawn from what is known, and what people do with them.
import { ask, heard, say } from "./api.js";
import { drawBlocks } from "./blocks.js";
import { composer } from "./composer.js";
import { h } from "./dom.js";
import { valuesIn } from "./elements.js";
import { avatar, drawReplies, drawRoots, inWords } from "./messages.js";
import { drawModal } from "./modal.js";
import { drawFacts } from "./strip.js";
import { begin, here, home, inChannel, isMe, learn, modals, places, state, threadId } from "./world.js";

const ROLES = { ann: "asker", bob: "colleague", ada: "admin", gus: "guest" };
const SEEN = "everthread-playground-seen";
const $ = (id) => document.getElementById(id);
let facts = null;

/* Drawing */

const view = {
  get people() {
    return state.people;
  },
  get channels() {
    return state.channels;
  },
  get open() {
    return state.open;
  },
  openThread,
  goTo,
  press,
  actions,
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
  const direct = here().kind === "im";
  const homely = direct && state.tab === "home";
  $("channel-name").textContent = direct ? "everthread" : `#${here().name}`;
  $("tabs").hidden = !direct || !hasHome();
  $("channel-about").textContent = direct ? (hasHome() ? "" : `for ${state.me} alone`) : `${here().members.length} members`;
  for (const tab of $("tabs").children) tab.setAttribute("aria-current", String(tab.dataset.tab === state.tab));
  $("home").hidden = !homely;
  $("roots").hidden = homely;
  $("ask-form").hidden = homely;
  const roots = inChannel();
  if (homely) drawHome();
  else drawRoots($("roots"), roots, view);
  $("roots").classList.toggle("empty", !roots.length);
  const root = roots.find(({ message }) => message.ts === state.open);
  $("answer-form").hidden = !root || root.message.ephemeral;
  $("thread-about").textContent = root ? threadStatus(root) : "Nothing is open";
  drawReplies($("replies"), root ? [root.message, ...root.replies] : [], view);
  $("replies").classList.toggle("empty", !root);
  drawModal(modals(), view, WINDOW);
}

function drawHome() {
  const tab = home();
  $("home").classList.toggle("empty", !tab);
  const act = (part) => acted("/api/views/press", { view: tab.id, action_id: part.action_id, values: valuesIn($("home")) });
  drawBlocks($("home").firstElementChild, tab?.blocks ?? [], view, act);
}

function hasHome() {
  return Boolean(state.about.features.app_home?.home_tab_enabled);
}

function threadStatus(root) {
  const status = state.statuses.get(`${state.channel}/${state.open}`);
  if (status) return `everthread ${status}`;
  return root.count ? inWords(root.count) : "no reply yet";
}

function drawPlaces() {
  $("channels").replaceChildren(
    ...places().map((channel) => {
      const direct = channel.kind === "im";
      const mark = h("span", { class: "mark", "aria-hidden": "true" }, direct ? "●" : "#");
      return h("li", {}, h("button", { type: "button", data: { channel: channel.name }, "aria-current": channel.id === state.channel && "true", onclick: () => openChannel(channel.id) }, direct ? "everthread" : channel.name, mark));
    }),
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
  const direct = here().kind === "im";
  state.me = key;
  if (direct) openChannel(places().find((channel) => channel.kind === "im").id);
  else {
    drawPlaces();
    label();
    draw();
  }
}

function label() {
  const direct = here().kind === "im";
  $("ask").placeholder = direct ? "Message everthread" : `Message #${here().name}`;
  $("answer").placeholder = `Reply as ${state.me}`;
}

function openChannel(id) {
  state.channel = id;
  openThread(null);
  drawPlaces();
  label();
  pane("channel");
  if (here().kind === "im") openTab(hasHome() ? state.tab : "messages");
}

/** Slack tells the app each time its home is looked at. */
function openTab(tab) {
  state.tab = tab;
  draw();
  if (hasHome()) acted("/api/home", { tab });
}

function openThread(ts) {
  state.open = ts;
  if (ts) pane("thread");
  draw();
  watchFacts();
}

/** Show a thread of any channel; a person's direct messages are theirs alone. */
function goTo(channel, ts) {
  if (!places().some((place) => place.id === channel)) return say(`${state.me} cannot see that conversation.`, true);
  if (state.channel !== channel) {
    state.tab = "messages";
    openChannel(channel);
  }
  return openThread(ts);
}

async function post(text, thread = null) {
  const command = text.match(/^\/([\w-]+)(?:\s+([\s\S]*))?$/);
  if (command) return slash(`/${command[1]}`, command[2] ?? "", thread);
  const answer = heard(await ask("/api/say", { user: state.me, channel: state.channel, text, thread_ts: thread }));
  if (answer.ok && !thread && (text.includes("@everthread") || here().kind === "im")) openThread(answer.ts);
  return answer.ok;
}

async function slash(command, text, thread) {
  if (!commands().some((known) => known.command === command)) {
    say(`${command} is not a valid command.`, true);
    return false;
  }
  return (await acted("/api/slash", { channel: state.channel, command, text, thread_ts: thread })).ok;
}

function commands() {
  return state.about.features.slash_commands ?? [];
}

async function acted(path, wish) {
  return heard(await ask(path, { user: state.me, ...wish }));
}

function press(message, part, values) {
  return acted("/api/click", { channel: message.channel, ts: message.ts, action_id: part.action_id, values });
}

/** What a message's menu offers. */
function actions(message) {
  const own = (state.about.features.shortcuts ?? []).filter((shortcut) => shortcut.type === "message");
  const found = own.map(({ name, callback_id }) => ({ label: name, about: "Everthread", act: () => acted("/api/shortcut", { callback_id, ts: message.ts }) }));
  const admin = [...state.people.values()].some((person) => person.key === state.me && person.admin);
  if (isMe(message.user) || admin) found.push({ label: "Delete message", act: () => acted("/api/delete", { channel: message.channel, ts: message.ts }) });
  return found.length ? found : [{ label: "Nothing to do here", act: () => {} }];
}

const WINDOW = {
  press: (id, part, values) => acted("/api/views/press", { view: id, action_id: part.action_id, values }),
  submit: (id, values) => ask("/api/views/submit", { user: state.me, view: id, values }),
  close: (id) => acted("/api/views/close", { view: id }),
};

async function pull(lever) {
  say("…");
  const answer = await ask(`/api/levers/${lever}`, { thread: state.open ? threadId(state.channel, state.open) : "" });
  say(answer.said, !answer.ok);
}

function pane(name) {
  document.body.dataset.pane = name;
  for (const tab of document.querySelectorAll(".tabs button")) tab.setAttribute("aria-current", tab.dataset.pane === name ? "true" : "false");
}

/* What happens */

function watchFacts() {
  facts?.close();
  const thread = state.open ? threadId(state.channel, state.open) : "";
  facts = new EventSource(`/api/facts?thread=${encodeURIComponent(thread)}`);
  facts.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.waiting) state.waiting = told.waiting;
    drawFacts(told, view);
    draw();
  };
}

function watchSlack() {
  const slack = new EventSource(`/api/slack?since=${state.about.last_event}`);
  slack.onmessage = (event) => {
    learn(JSON.parse(event.data));
    draw();
  };
}

function examples() {
  const found = [
    ["Three tools at once", "They settle one by one; kill the worker between them.", "@everthread run three tools at once: releases, metrics and logs"],
    ["Something that must not happen twice", "An unsafe tool posts to a local address that takes 3 s. Kill the worker while it waits.", `@everthread post to ${state.about.demo}`],
    ["A long story", "Tools first, then many words. Kill the worker while it speaks, more than once.", "@everthread run three tools (releases, metrics, logs), then tell me a long story"],
    ["A question", "It waits without a process. Kill all of them, then answer.", "@everthread ask me something"],
    ["A plan to approve", "Approve it, and its card follows it.", "@everthread make a plan to find the slow release"],
    ["A call that needs a yes", "A rule wants it approved before it runs.", "@everthread charge 40"],
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
  composer($("ask-form"), (text) => post(text), commands());
  composer($("answer-form"), (text) => post(text, state.open));
  for (const lever of document.querySelectorAll("[data-lever]")) lever.addEventListener("click", () => pull(lever.dataset.lever));
  for (const tab of document.querySelectorAll(".tabs button")) tab.addEventListener("click", () => pane(tab.dataset.pane));
  for (const tab of $("tabs").children) tab.addEventListener("click", () => openTab(tab.dataset.tab));
  $("help").addEventListener("click", hint);
  $("hint").addEventListener("close", () => localStorage.setItem(SEEN, "yes"));
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, select, dialog, [popover]") || event.metaKey || event.ctrlKey || event.altKey || event.repeat) return;
    const act = KEYS[event.key.toLowerCase()];
    if (act) {
      event.preventDefault();
      act();
    }
  });
}

async function start() {
  begin(await ask("/api/workspace"));
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
