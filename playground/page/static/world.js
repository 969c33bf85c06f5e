// What the page knows of the workspace: what the Slack stand-in holds, kept up to date by what happens there.

export const state = {
  about: null,
  people: new Map(),
  channels: new Map(),
  messages: new Map(),
  views: new Map(),
  statuses: new Map(),
  waiting: [],
  me: "ann",
  channel: null,
  open: null,
  tab: "messages",
};

export function begin(about) {
  state.about = about;
  state.people = new Map(about.people.map((person) => [person.id, person]));
  for (const channel of about.channels) {
    state.channels.set(channel.id, channel);
    for (const thread of channel.threads) thread.messages.forEach(learnMessage);
  }
  about.ephemerals.forEach(whisper);
  for (const view of about.views) learnView(view.id, view.user, view.open, view);
}

/** Take in one thing that happened. */
export function learn(happened) {
  const [noun, what] = happened.kind.split(".");
  if (noun === "message") learnMessage(happened);
  else if (noun === "ephemeral") whisper(happened);
  else if (noun === "status") state.statuses.set(`${happened.channel}/${happened.thread_ts}`, happened.status);
  else if (noun === "view") learnView(happened.view, happened.user, happened.open, happened.shown);
  else if (noun === "reaction") react(happened, what === "added");
}

function learnMessage(message) {
  const key = `${message.channel}/${message.ts}`;
  if (message.deleted && message.deleted_by === state.about.bot_user) state.messages.delete(key);
  else state.messages.set(key, { ...state.messages.get(key), ...slim(message) });
}

function slim(message) {
  const { channel, ts, thread_ts, user, from_app, text, blocks, deleted, versions, files, reactions } = message;
  return { channel, ts, thread_ts, user, from_app, text, blocks, deleted, files, reactions, edits: versions.length - 1 };
}

function whisper({ channel, ts, thread_ts, user, text, blocks, deleted, at }) {
  const stamp = ts ?? String(at);
  const key = `${channel}/${stamp}/${user}`;
  if (deleted) state.messages.delete(key);
  else state.messages.set(key, { channel, ts: stamp, thread_ts, user: state.about.bot_user, from_app: true, text, blocks: blocks ?? [], ephemeral: true, to: user });
}

function react({ ts, user, name }, added) {
  for (const [key, message] of state.messages) {
    if (message.ts !== ts || message.ephemeral) continue;
    const others = (message.reactions?.[name] ?? []).filter((one) => one !== user);
    const { [name]: _, ...rest } = message.reactions ?? {};
    const users = added ? [...others, user] : others;
    state.messages.set(key, { ...message, reactions: users.length ? { ...rest, [name]: users } : rest });
  }
}

function learnView(id, user, open, { type, title, submit, close, blocks, hash }) {
  if (open) state.views.set(id, { id, user, type, title, submit, close, blocks, hash });
  else state.views.delete(id);
}

/** The windows that a person has open, the one on top last. */
export function modals() {
  return [...state.views.values()].filter((view) => view.type === "modal" && isMe(view.user));
}

/** The app's home tab as it was published for a person, or undefined. */
export function home() {
  return [...state.views.values()].find((view) => view.type === "home" && isMe(view.user));
}

export function isMe(id) {
  return state.people.get(id)?.key === state.me;
}

/** The channels that a person finds in the list. */
export function places() {
  return [...state.channels.values()].filter((channel) => (channel.kind === "im" ? channel.name === state.me : channel.kind === "channel" && channel.bot_is_member));
}

export function here() {
  return state.channels.get(state.channel);
}

export function threadId(channel, ts) {
  return `${state.about.team}/${channel}/${ts}`;
}

/** The first messages of the channel's threads, each with what hangs below it. */
export function inChannel() {
  const found = [...state.messages.values()].filter(visible).sort((a, b) => a.ts.localeCompare(b.ts));
  const roots = found.filter((message) => rootOf(message) === message.ts || (message.ephemeral && !message.thread_ts));
  const asking = new Set(state.waiting.map((wait) => wait.thread));
  return roots.map((message) => {
    const replies = found.filter((reply) => rootOf(reply) === message.ts && reply !== message);
    const asks = asking.has(threadId(message.channel, message.ts));
    return { message, replies, count: replies.filter(isThere).length, working: replies.some(isAtWork), asks };
  });
}

function rootOf(message) {
  return message.thread_ts ?? message.ts;
}

function visible(message) {
  return message.channel === state.channel && (!message.ephemeral || isMe(message.to));
}

/** Slack counts no deleted replies, and none that only one person sees. */
function isThere(message) {
  return !message.deleted && !message.ephemeral;
}

function isAtWork(message) {
  return isThere(message) && message.from_app && message.blocks.some((block) => block.type === "actions" && block.elements.some((e) => e.action_id?.endsWith("_stop")));
}
