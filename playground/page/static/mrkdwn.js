// Slack's own markup and rich text as elements: `<@U…>`, `<#C…>`, `<!date^…>`, `<address|text>`, *bold*, `code`.
import { h, safeAddress } from "./dom.js";
import { inline } from "./markdown.js";

/** A text object, plain or marked up. */
export function textObject(text, view) {
  return text.type === "mrkdwn" ? mrkdwn(text.text, view) : unescaped(text.text);
}

/** What stands in `<…>` is kept out of the way while the rest is marked up, and then put in its place. */
export function mrkdwn(text, view) {
  const kept = [];
  const plain = text.replaceAll(/[\uE000-\uF8FF]/g, "").replaceAll(/<([@!#]?)([^<>|]+)(?:\|([^<>]*))?>/g, (_, sign, target, label) => {
    if (kept.length >= MOST_KEPT) return label ?? target;
    kept.push(control(sign, target, label, view));
    return String.fromCharCode(FIRST_KEPT + kept.length - 1);
  });
  const whole = h("span", {}, inline(unescaped(plain).replaceAll(/(?<![\w*])\*(\S[^*\n]*?)\*(?![\w*])/g, "**$1**")));
  const walk = document.createTreeWalker(whole, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walk.nextNode()) if (/[\uE000-\uF8FF]/.test(walk.currentNode.data)) found.push(walk.currentNode);
  for (const node of found) {
    node.replaceWith(...node.data.split(/([\uE000-\uF8FF])/).map((piece) => (piece.length === 1 && kept[piece.charCodeAt(0) - FIRST_KEPT]) || piece));
  }
  return [...whole.childNodes];
}

const FIRST_KEPT = 0xe000;
const MOST_KEPT = 6400;

function control(sign, target, label, view) {
  if (sign === "@") return mention(target, view);
  if (sign === "#") return channelLink(target, label, view);
  if (sign === "!") return special(target, label);
  return link(unescaped(target), unescaped(label ?? target), view);
}

function mention(id, view) {
  const person = view.people.get(id);
  return h("span", { class: "mention" }, `@${person ? person.key : id}`);
}

function channelLink(id, label, view) {
  const channel = view.channels.get(id);
  return h("span", { class: "mention" }, `#${channel?.name ?? label ?? id}`);
}

/** `<!date^seconds^format|fallback>` is a moment on the reader's clock; `<!subteam^S…>` and `<!here>` are groups. */
function special(target, label) {
  const [name, value, form] = target.split("^");
  if (name === "date") return moment(Number(value), form ?? "");
  if (name === "subteam") return h("span", { class: "mention" }, label ?? `@${value}`);
  return `@${label ?? name}`;
}

function moment(seconds, form) {
  const at = new Date(seconds * 1000);
  const time = at.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
  const today = at.toDateString() === new Date().toDateString();
  const date = today && form.includes("pretty") ? "today" : at.toLocaleDateString([], { day: "numeric", month: "short", year: "numeric" });
  const said = form.replaceAll(/\{([a-z_]+)\}/g, (whole, part) => (part.startsWith("time") ? time : part.startsWith("date") ? date : whole));
  return h("time", { datetime: at.toISOString() }, said);
}

/** A link out to the web; one into this workspace opens the thread it leads to. */
export function link(address, text, view) {
  const href = safeAddress(address);
  if (!href) return text;
  const inside = href.match(/\/archives\/(\w+)\/p(\d{10})(\d{6})(?:\?(?:.*&)?thread_ts=(\d+\.\d+))?/);
  const place = inside && view.channels.has(inside[1]) ? { channel: inside[1], ts: inside[4] ?? `${inside[2]}.${inside[3]}` } : null;
  const onclick = place && ((event) => (event.preventDefault(), view.goTo(place.channel, place.ts)));
  return h("a", { href, target: place ? null : "_blank", rel: "noopener noreferrer", onclick }, text);
}

export function rich(part, view) {
  const inside = () => (part.elements ?? []).map((e) => richElement(e, view));
  switch (part.type) {
    case "rich_text_list":
      return h(part.style === "ordered" ? "ol" : "ul", {}, part.elements.map((item) => h("li", {}, rich(item, view))));
    case "rich_text_preformatted":
      return h("pre", {}, h("code", {}, inside()));
    case "rich_text_quote":
      return h("blockquote", {}, inside());
    default:
      return h("p", {}, inside());
  }
}

function richElement(part, view) {
  if (part.type === "user") return mention(part.user_id, view);
  if (part.type === "channel") return channelLink(part.channel_id, null, view);
  if (part.type === "link") return link(part.url, part.text ?? part.url, view);
  if (part.type === "emoji") return emoji(part.name);
  const text = part.text ?? "";
  if (part.style?.code) return h("code", {}, text);
  if (part.style?.bold) return h("strong", {}, text);
  return text;
}

const EMOJI = { eyes: "👀", no_bell: "🔕", bell: "🔔", white_check_mark: "✅", octagonal_sign: "🛑", warning: "⚠️" };

export function emoji(name) {
  return EMOJI[name] ?? `:${name}:`;
}

export function unescaped(text) {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
