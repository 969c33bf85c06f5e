// A message box: Enter sends, Shift+Enter breaks the line, "@" offers the bot, "/" the app's commands.
import { h } from "./dom.js";

const HANDLE = "everthread";

/** send(text) resolves to whether the message stands; else it is put back into the box. commands: {command, description} each. */
export function composer(form, send, commands = []) {
  const box = form.querySelector("textarea");
  const offer = h("button", { type: "button", class: "offer", tabindex: "-1", hidden: true });
  form.append(offer);

  const words = [{ word: `@${HANDLE}`, about: "the bot" }, ...commands.map(({ command, description }) => ({ word: command, about: description }))];
  const begun = () => box.value.slice(0, box.selectionStart).match(/(?:^|\s)(@\w*)$|^(\/[\w-]*)$/);
  const offered = () => {
    const found = begun();
    const start = found && (found[1] ?? found[2]).toLowerCase();
    return found ? words.find(({ word }) => word.startsWith(start) && word !== start) : undefined;
  };
  const accept = () => {
    const [, mention, command] = begun();
    const end = box.selectionStart;
    box.setRangeText(`${offered().word} `, end - (mention ?? command).length, end, "end");
    refresh();
    box.focus();
  };
  const refresh = () => {
    const found = offered();
    offer.hidden = !found;
    if (found) offer.replaceChildren(h("b", {}, found.word), ` ${found.about ?? ""} `, h("kbd", {}, "Tab"));
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, 160)}px`;
  };
  const submit = async () => {
    const text = box.value.trim();
    if (!text) return;
    box.value = "";
    refresh();
    if ((await send(text)) || box.value) return;
    box.value = text;
    refresh();
  };

  box.addEventListener("input", refresh);
  box.addEventListener("click", refresh);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (!offer.hidden && (event.key === "Tab" || event.key === "Enter")) {
      event.preventDefault();
      accept();
    } else if (event.key === "Escape") {
      if (offer.hidden) box.blur();
      offer.hidden = true;
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      submit();
    }
  });
  box.addEventListener("blur", () => setTimeout(() => (offer.hidden = true), 150));
  offer.addEventListener("click", accept);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
}
