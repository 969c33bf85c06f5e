// Elements without markup: text from people, tools and the model only ever becomes text nodes.

/** h("a", {href, class}, "text", node, …): an element; false and null children are left out. */
export function h(tag, given = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "style") for (const [key, part] of Object.entries(value)) element.style.setProperty(key, part);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/**
 * Make `parent` show `items`, keeping the element of every item whose key and content stay: focus and selection
 * survive, and only what changed is drawn anew.
 */
export function keyed(parent, items, key, draw) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let before = null;
  for (const item of items) {
    const name = String(key(item));
    const content = JSON.stringify(item);
    let element = known.get(name);
    if (!element || element.shownContent !== content) {
      const drawn = draw(item, element);
      drawn.dataset.key = name;
      drawn.shownContent = content;
      if (element && element !== drawn) element.replaceWith(drawn);
      element = drawn;
    }
    known.delete(name);
    const place = before ? before.nextSibling : parent.firstChild;
    if (place !== element) parent.insertBefore(element, place);
    before = element;
  }
  for (const left of known.values()) left.remove();
}

/** A text box that a closing dialog gave the focus back to takes no typing in Chromium until it gets it once more. */
export function refocus() {
  const focused = document.activeElement;
  if (!focused?.matches("textarea, input")) return;
  focused.blur();
  focused.focus();
}

/** Only addresses that lead out to the web; anything else is shown as text. */
export function safeAddress(text) {
  try {
    const address = new URL(text);
    return ["http:", "https:", "mailto:"].includes(address.protocol) ? address.href : null;
  } catch {
    return null;
  }
}
