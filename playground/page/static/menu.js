// A message's small menu: the app's shortcuts, and deleting.
import { h } from "./dom.js";

const menu = document.getElementById("menu");

/** Open it under `button`; items: {label, about, act}. */
export function openMenu(button, items) {
  menu.replaceChildren(
    ...items.map(({ label, about, act }) =>
      h(
        "button",
        {
          type: "button",
          role: "menuitem",
          onclick: () => {
            menu.hidePopover();
            button.focus();
            act();
          },
        },
        label,
        about && h("small", {}, about),
      ),
    ),
  );
  const at = button.getBoundingClientRect();
  menu.showPopover();
  const room = window.innerHeight - menu.offsetHeight - 8;
  menu.style.top = `${Math.max(8, Math.min(at.bottom + 4, room))}px`;
  menu.style.left = `${Math.max(8, Math.min(at.right - menu.offsetWidth, window.innerWidth - menu.offsetWidth - 8))}px`;
  menu.querySelector("button")?.focus();
}

menu.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const items = [...menu.querySelectorAll("button")];
  items[(items.indexOf(document.activeElement) + step + items.length) % items.length].focus();
});
