// What can be pressed, picked and typed in a message, a window or the home tab, and what of it an app is told.
import { h } from "./dom.js";
import { textObject, unescaped } from "./mrkdwn.js";
import { confirmed } from "./modal.js";

let numbers = 0;

/**
 * One element of a block. `act(part)` is called where its use is told to the app at once; an input block's is not,
 * unless the block says so.
 */
export function element(part, block, view, act) {
  if (part.type === "button" || part.type === "workflow_button") return button(part, view, act);
  if (part.type === "overflow") return overflow(part, view, act);
  const make = INPUTS[part.type];
  if (!make) return h("span", { class: "context" }, `[${part.type}]`);
  const tells = block.type !== "input" || block.dispatch_action;
  const shown = make(part, view);
  shown.classList.add("picker");
  Object.assign(shown.dataset, { block: block.block_id ?? "", action: part.action_id ?? "" });
  if (tells && act) shown.addEventListener("change", () => confirmed(part).then((yes) => yes && act(part)));
  return shown;
}

/** `state.values` of all that is filled in below `parent`: block_id → action_id → state. */
export function valuesIn(parent) {
  const values = {};
  for (const shown of parent.querySelectorAll("[data-block]")) {
    (values[shown.dataset.block] ??= {})[shown.dataset.action] = shown.read();
  }
  return values;
}

/** Whether anything is filled in. */
export function isFilled(shown) {
  const state = shown.read();
  return Object.entries(state).some(([name, value]) => name !== "type" && value !== null && String(value).trim() !== "" && !(Array.isArray(value) && !value.length));
}

function button(part, view, act) {
  const label = unescaped(part.text.text);
  const press = async (event) => {
    const pressed = event.currentTarget;
    if (pressed.getAttribute("aria-busy") || !(await confirmed(part))) return;
    pressed.setAttribute("aria-busy", "true");
    await act(part);
    pressed.removeAttribute("aria-busy");
  };
  if (part.url) return h("a", { class: `card ${part.style ?? ""}`, href: part.url, target: "_blank", rel: "noopener noreferrer", onclick: () => act(part) }, label);
  return h("button", { type: "button", class: `card ${part.style ?? ""}`, data: { action: part.action_id }, "aria-label": part.accessibility_label, onclick: press }, label);
}

function overflow(part, view, act) {
  const menu = h("select", { class: "picker", "aria-label": "More" }, h("option", { value: "" }, "⋯"), options(part));
  menu.addEventListener("change", async () => {
    const chosen = allOptions(part).find((option) => option.value === menu.value);
    menu.value = "";
    if (chosen && (await confirmed(part))) act({ ...part, selected_option: chosen });
  });
  return menu;
}

const INPUTS = {
  radio_buttons: (part, view) => choices(part, view, "radio"),
  checkboxes: (part, view) => choices(part, view, "checkbox"),
  multi_static_select: (part, view) => choices(part, view, "checkbox"),
  static_select: (part) => select(part, (value) => ({ selected_option: allOptions(part).find((option) => option.value === value) ?? null }), options(part), part.initial_option?.value),
  users_select: (part, view) => select(part, (value) => ({ selected_user: value || null }), people(view), part.initial_user),
  conversations_select: (part, view) => select(part, (value) => ({ selected_conversation: value || null }), channels(view), part.initial_conversation),
  channels_select: (part, view) => select(part, (value) => ({ selected_channel: value || null }), channels(view), part.initial_channel),
  multi_users_select: (part, view) => several(part, "selected_users", people(view), part.initial_users),
  multi_conversations_select: (part, view) => several(part, "selected_conversations", channels(view), part.initial_conversations),
  multi_channels_select: (part, view) => several(part, "selected_channels", channels(view), part.initial_channels),
  plain_text_input: (part) => typed(part, part.multiline ? "textarea" : "text"),
  email_text_input: (part) => typed(part, "email"),
  url_text_input: (part) => typed(part, "url"),
  number_input: (part) => typed(part, "number"),
  datepicker: (part) => moment(part, "date", "selected_date", part.initial_date),
  timepicker: (part) => moment(part, "time", "selected_time", part.initial_time),
};

/** Radio buttons or checkboxes, each with its description. */
function choices(part, view, kind) {
  const name = `choice-${(numbers += 1)}`;
  const first = new Set([part.initial_option, ...(part.initial_options ?? [])].map((option) => option?.value));
  const shown = h(
    "div",
    { class: "choices", role: kind === "radio" ? "radiogroup" : "group" },
    allOptions(part).map((option) =>
      h(
        "label",
        {},
        h("input", { type: kind, name, value: option.value, checked: first.has(option.value) }),
        h("span", {}, textObject(option.text, view), option.description && h("small", {}, textObject(option.description, view))),
      ),
    ),
  );
  shown.read = () => {
    const chosen = [...shown.querySelectorAll("input:checked")].map(({ value }) => allOptions(part).find((option) => option.value === value));
    return kind === "radio" ? { type: part.type, selected_option: chosen[0] ?? null } : { type: part.type, selected_options: chosen };
  };
  return shown;
}

function select(part, state, inside, first) {
  const shown = h("select", { "aria-label": part.placeholder?.text ?? "Choose" }, h("option", { value: "" }, part.placeholder?.text ?? "Choose"), inside);
  shown.value = first ?? "";
  shown.read = () => ({ type: part.type, ...state(shown.value) });
  return shown;
}

function several(part, name, inside, first = []) {
  const shown = h("select", { multiple: true, size: 4, "aria-label": part.placeholder?.text ?? "Choose" }, inside);
  for (const option of shown.options) option.selected = first.includes(option.value);
  shown.read = () => ({ type: part.type, [name]: [...shown.selectedOptions].map((option) => option.value) });
  return shown;
}

function typed(part, kind) {
  const limits = { maxlength: part.max_length, minlength: part.min_length, min: part.min_value, max: part.max_value };
  const given = { ...limits, placeholder: part.placeholder?.text };
  const shown = kind === "textarea" ? h("textarea", { rows: 3, ...given }) : h("input", { type: kind, step: part.is_decimal_allowed ? "any" : null, ...given });
  shown.value = part.initial_value ?? "";
  shown.read = () => ({ type: part.type, value: shown.value === "" ? null : shown.value });
  return shown;
}

function moment(part, kind, name, first) {
  const shown = h("input", { type: kind, "aria-label": part.placeholder?.text ?? kind });
  shown.value = first ?? "";
  shown.read = () => ({ type: part.type, [name]: shown.value || null });
  return shown;
}

function allOptions(part) {
  return [...(part.options ?? []), ...(part.option_groups ?? []).flatMap((group) => group.options)];
}

function options(part) {
  const one = (option) => h("option", { value: option.value }, unescaped(option.text.text));
  return [...(part.options ?? []).map(one), ...(part.option_groups ?? []).map((group) => h("optgroup", { label: group.label.text }, group.options.map(one)))];
}

function people(view) {
  return [...view.people.values()].map((person) => h("option", { value: person.id }, person.name));
}

function channels(view) {
  return [...view.channels.values()].filter((channel) => channel.kind !== "im").map((channel) => h("option", { value: channel.id }, `#${channel.name}`));
}
