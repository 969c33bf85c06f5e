// Windows: the modal on top for whoever one is, what is filled in there, and the question before a button acts.
import { drawBlocks } from "./blocks.js";
import { h, refocus } from "./dom.js";
import { isFilled, valuesIn } from "./elements.js";
import { unescaped } from "./mrkdwn.js";

const NOT_FILLED = "Please complete this required field.";
const TROUBLE = "We had some trouble connecting. Try again?";
const dialog = document.getElementById("modal");
let shown = null; // {id, hash} of the view in the dialog

/** Show the top one of a person's open windows, or none. tell: what the page does for it. */
export function drawModal(views, view, tell) {
  const top = views.at(-1);
  if (!top) {
    dialog.close();
    if (shown) dialog.replaceChildren();
    shown = null;
    return;
  }
  if (shown?.id === top.id && shown.hash === top.hash) return;
  const again = shown?.id === top.id;
  shown = top;
  if (!again) dialog.replaceChildren(frame(top, view, tell));
  fill(top, view, tell);
  if (!dialog.open) dialog.showModal();
  if (!again) (dialog.querySelector("[autofocus], .blocks :is(input, textarea, select)") ?? dialog.querySelector("button"))?.focus();
}

function frame(top, view, tell) {
  return h(
    "form",
    {
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault();
        submit(tell);
      },
    },
    h("header", {}, h("h2", { id: "modal-name" }), h("button", { type: "button", class: "quiet", "aria-label": "Close", onclick: () => tell.close(shown.id) }, "✕")),
    h("div", { class: "blocks" }),
    h("p", { class: "wrong", role: "alert", data: { whole: "yes" } }),
    h("footer", {}),
  );
}

function fill(top, view, tell) {
  dialog.querySelector("h2").textContent = unescaped(top.title.text);
  drawBlocks(dialog.querySelector(".blocks"), top.blocks, view, (part) => tell.press(shown.id, part, valuesIn(dialog)));
  wrong({});
  dialog.querySelector("footer").replaceChildren(
    h("button", { type: "button", class: "card", data: { modal: "close" }, onclick: () => tell.close(shown.id) }, unescaped(top.close?.text ?? (top.submit ? "Cancel" : "Close"))),
    ...(top.submit ? [h("button", { class: "card primary", data: { modal: "submit" } }, unescaped(top.submit.text))] : []),
  );
}

async function submit(tell) {
  const sends = dialog.querySelector("[data-modal='submit']");
  if (!sends || sends.getAttribute("aria-busy")) return;
  const empty = [...dialog.querySelectorAll(".input")].filter((input) => !input.dataset.optional && !isFilled(input.querySelector("[data-block]")));
  wrong(Object.fromEntries(empty.map((input) => [input.dataset.input, NOT_FILLED])));
  if (empty.length) return;
  sends.setAttribute("aria-busy", "true");
  const answer = await tell.submit(shown.id, valuesIn(dialog));
  sends.removeAttribute("aria-busy");
  if (answer.outcome === "errors") wrong(answer.errors);
  else if (!answer.ok || answer.outcome === "failed") wrong({}, answer.error ?? answer.said ?? TROUBLE);
}

/** Say beside each input what is wrong with it, and go to the first. */
function wrong(errors, whole = "") {
  dialog.querySelector("[data-whole]").textContent = whole;
  for (const input of dialog.querySelectorAll(".input")) {
    const said = errors[input.dataset.input] ?? "";
    input.querySelector(".wrong").textContent = said;
    input.querySelector("[data-block]").toggleAttribute("aria-invalid", Boolean(said));
  }
  dialog.querySelector(".input:has([aria-invalid]) :is(input, textarea, select)")?.focus();
}

dialog.addEventListener("input", (event) => {
  const input = event.target.closest(".input");
  if (!input) return;
  input.querySelector(".wrong").textContent = "";
  input.querySelector("[data-block]").removeAttribute("aria-invalid");
});

for (const box of [dialog, document.getElementById("confirm")]) box.addEventListener("close", refocus);

dialog.addEventListener("cancel", (event) => {
  event.preventDefault();
  dialog.querySelector("[data-modal='close']")?.click();
});

/** Whether the person is sure, where the element asks. */
export function confirmed(part) {
  const asks = part.confirm;
  if (!asks) return Promise.resolve(true);
  const box = document.getElementById("confirm");
  box.replaceChildren(
    h(
      "form",
      { method: "dialog" },
      h("h2", {}, unescaped(asks.title?.text ?? "Are you sure?")),
      h("p", {}, unescaped(asks.text.text)),
      h("footer", {}, h("button", { class: "card", value: "no" }, unescaped(asks.deny?.text ?? "No")), h("button", { class: `card ${asks.style ?? "primary"}`, value: "yes" }, unescaped(asks.confirm?.text ?? "Yes"))),
    ),
  );
  box.returnValue = "no";
  box.showModal();
  return new Promise((resolve) => box.addEventListener("close", () => resolve(box.returnValue === "yes"), { once: true }));
}
