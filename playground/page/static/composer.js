// A message box: Enter sends, Shift+Enter breaks the line, "@" offers the bot.
import { h } from "./dom.js";

const HANDLE = "everthread";

/** send(text) resolves once the message stands; the box is emptied then. */
export function composer(form, send) {
  const box = form.querySelector("textarea");
  const offer = h("button", { type: "button", class: "offer", tabindex: "-1", hidden: true }, h("b", {}, `@${HANDLE}`), " the bot ", h("kbd", {}, "Tab"));
  form.append(offer);

  const begun = () => box.value.slice(0, box.selectionStart).match(/(?:^|\s)@(\w*)$/);
  const offered = () => {
    const word = begun();
    return word !== null && HANDLE.startsWith(word[1].toLowerCase()) && word[1] !== HANDLE;
  };
  const accept = () => {
    const end = box.selectionStart;
    const start = end - begun()[1].length - 1;
    box.setRangeText(`@${HANDLE} `, start, end, "end");
    refresh();
    box.focus();
  };
  const refresh = () => {
    offer.hidden = !offered();
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, 160)}px`;
  };
  const submit = async () => {
    const text = box.value.trim();
    if (!text) return;
    if (await send(text)) {
      box.value = "";
      refresh();
    }
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
