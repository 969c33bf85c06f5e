// What came of it: the run as a thread of steps, one colour for each process that held it.
import { h, keyed } from "./dom.js";
import { clock } from "./messages.js";

const COLOURS = 5;
const SETTLED = ["completed", "failed", "aborted", "healed"];

export function drawFacts(facts, view) {
  drawVerdict(facts);
  drawWaiting(facts, view);
  drawNumbers(facts);
  drawKnots(facts);
  drawProcesses(facts);
  const holder = facts.run?.holder_lives && facts.run.holder;
  document.getElementById("kill-whom").textContent = holder ? `SIGKILL process ${holder}, in mid-run` : "SIGKILL, whatever it is doing";
  document.getElementById("kill").classList.toggle("armed", Boolean(holder));
}

function drawVerdict({ run, calls, store }) {
  const shown = document.getElementById("verdict");
  shown.textContent = store || verdict(run, calls);
  shown.className = store ? "bad" : run?.restarts && SETTLED.includes(run.status) ? "over" : "";
}

/** What runs ask of people now, each with the way to its thread. */
function drawWaiting({ waiting = [] }, view) {
  document.querySelector(".waiting").hidden = !waiting.length;
  const runs = new Set(waiting.map((wait) => wait.run)).size;
  const questions = waiting.reduce((sum, wait) => sum + wait.questions, 0);
  const count = `${runs} ${runs === 1 ? "run" : "runs"}, ${questions} ${questions === 1 ? "question" : "questions"}`;
  document.getElementById("waiting-name").replaceChildren("Waiting for people ", h("span", { data: { fact: "waiting" } }, count));
  keyed(document.getElementById("waiting"), waiting, (wait) => wait.wait, (wait) => waitingFor(wait, view));
}

function waitingFor({ wait, thread, kind, title, asked, deadline, asker }, view) {
  const [, channel, ts] = thread.split("/");
  const place = view.channels.get(channel);
  const where = place?.kind === "im" ? `direct messages of ${place.name}` : `#${place?.name ?? channel}`;
  const until = deadline ? `, until ${clock(deadline)}` : "";
  const about = `${KINDS[kind]} for ${view.people.get(asker)?.key ?? asker} in ${where}, since ${clock(asked)}${until}`;
  return h("li", {}, h("button", { type: "button", data: { wait }, onclick: () => view.goTo(channel, ts) }, h("b", {}, title), h("small", {}, about)));
}

const KINDS = { question: "a question", plan: "a plan", approval: "an approval" };

function verdict(run, calls) {
  if (!run) return "Nothing has run here yet. Ask the bot something, then break it.";
  const restarts = `${run.restarts} ${run.restarts === 1 ? "crash" : "crashes"}`;
  if (run.holder && !run.holder_lives) {
    return `Process ${run.holder} is dead, and its parent with it. Its lease lapses in ${run.lease_left} s; then another goes on.`;
  }
  if (run.status === "waiting" && !run.holder) {
    const been = run.restarts ? ` It survived ${restarts} so far.` : "";
    return `It waits for people: no process, no lease. Kill all, then answer.${been}`;
  }
  if (!SETTLED.includes(run.status)) {
    if (run.restarts) return `Survived ${restarts} so far: ${kept(run)}, going on in the same message.`;
    return run.holder ? "A worker holds this run. Kill it." : "";
  }
  if (!run.restarts) return `${capital(run.status)} without a crash. Ask again and kill the worker this time.`;
  const cut = calls.cut ? `${calls.cut} model call${calls.cut === 1 ? "" : "s"} cut off, ` : "";
  return `${capital(run.status)} through ${restarts}, in one message: ${kept(run)}, ${cut}${calls.twice ? calls.twice : "none"} made twice.`;
}

function kept({ kept }) {
  return kept === 1 ? "1 step kept" : `${kept} steps kept`;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

function drawNumbers({ run, calls, spent, effects, queued }) {
  const posted = Object.entries(effects ?? {}).map(([name, count]) => `/${name} ${count}×`).join(", ");
  const billed = calls ? String(calls.billed ?? calls.recorded) : "0";
  const rows = [
    ["run", "Run", run ? run.status : "none", run?.status],
    ["kept", "Steps kept", run ? `${run.kept} of ${run.steps}` : "0"],
    ["restarts", "Restarts", run ? String(run.restarts) : "0"],
    ["tenures", "Tenures", run ? String(run.tenures) : "0"],
    ["billed", "Model calls", `${billed} billed`],
    ["cut", "… of them cut off", calls ? String(calls.cut) : "0"],
    ["twice", "… made twice", calls ? String(calls.twice ?? 0) : "0", calls?.twice ? "bad" : ""],
    ["spent", "Today", `$${((spent ?? 0) / 1e6).toFixed(4)}`],
    ["lease", "Lease held by", run?.holder ? `process ${run.holder}${run.holder_lives ? "" : " (dead)"}, ${run.lease_left} s left` : "nobody"],
    ["effects", "Effects outside", posted || "none"],
  ];
  if (queued) rows.push(["queued", "Messages in line", String(queued)]);
  keyed(
    document.getElementById("numbers"),
    rows,
    ([name]) => name,
    ([name, label, value, state]) => h("div", { data: { fact: name, state: state ?? "" } }, h("dt", {}, label), h("dd", {}, value)),
  );
}

/** Steps and what was done to them, in the order of time. */
function drawKnots({ knots = [], happenings = [], run }) {
  const first = knots[0]?.at ?? Infinity;
  const last = run && SETTLED.includes(run.status) ? Math.max(...knots.map((knot) => knot.ended)) : Infinity;
  const cuts = happenings.filter((happened) => happened.at >= first && happened.at <= last + 1);
  const line = [
    ...knots.map((knot) => ({ ...knot, ...atRest(knot, run), colour: knot.tenure % COLOURS, order: knot.kind === "settled" ? knot.at + 0.001 : knot.at })),
    ...cuts.map((happened) => ({ ...happened, happened: true, key: `h${happened.at}`, order: happened.at, back: back(happened, knots) })),
  ].sort((a, b) => a.order - b.order);
  const list = document.getElementById("knots");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 60;
  keyed(list, line, (item) => item.key, (item) => (item.happened ? cut(item) : knot(item)));
  if (atEnd) list.scrollTop = list.scrollHeight;
}

/** What a run that waits has begun is not running: it is open. */
function atRest(knot, run) {
  const open = knot.state === "pending" && (knot.kind === "wait" || (run?.status === "waiting" && !run.holder));
  return open ? { state: knot.kind === "wait" ? "open" : "waiting" } : {};
}

/** Milliseconds from a kill until somebody else had taken the run up again; none where it hit a run that waited. */
function back(happened, knots) {
  if (happened.kind !== "killed") return null;
  if (knots.some((knot) => knot.kind === "wait" && knot.at <= happened.at && (knot.state === "pending" || knot.ended > happened.at))) return null;
  const taken = knots.find((knot) => knot.kind === "resumed" && knot.at >= happened.at);
  return taken ? Math.round((taken.at - happened.at) * 1000) : null;
}

function cut(item) {
  const back = item.back === null ? null : h("small", {}, `gone on with after ${item.back} ms`);
  return h("li", { class: `cut ${item.kind}` }, h("span", { class: "bead", "aria-hidden": "true" }), h("span", { class: "what" }, item.text, back), h("span", { class: "when" }, seconds(item.at)));
}

const MILESTONES = ["start", "resumed", "settled"];

function knot(item) {
  const milestone = MILESTONES.includes(item.kind);
  const owner = item.pid && item.kind !== "settled" && milestone ? h("small", {}, `process ${item.pid}`) : null;
  const kept = item.kind === "resumed" ? h("small", {}, `${item.kept} kept, ${item.repeated} to do again`) : null;
  return h(
    "li",
    { class: `knot ${item.kind}`, data: { state: item.state, colour: item.colour } },
    h("span", { class: "bead", "aria-hidden": "true" }),
    h("span", { class: "what" }, item.title, owner, kept),
    h("span", { class: "when" }, milestone ? seconds(item.at) : stateWord(item)),
  );
}

function stateWord(item) {
  if (item.state === "pending") return "running";
  return item.state === "done" ? took(item.ended - item.at) : item.state;
}

function took(length) {
  return length < 1 ? `${Math.round(length * 1000)} ms` : `${length.toFixed(1)} s`;
}

function seconds(at) {
  return `${clock(at)}:${String(Math.floor(at) % 60).padStart(2, "0")}`;
}

function drawProcesses({ processes, run }) {
  if (!processes) return;
  const list = document.getElementById("processes");
  const content = JSON.stringify([processes, run?.holder]);
  if (list.shownContent === content) return;
  list.shownContent = content;
  const pool = processes.pool.map((pid) => h("span", { class: pid === run?.holder ? "holds" : "" }, String(pid)));
  const rows = [
    ["bot", "bot", member(processes.bot)],
    ["worker", "supervisor", member(processes.worker)],
    ["pool", "workers, sweep", pool.length ? pool : ["none"]],
    ["valkey", "Redis", [processes.valkey ? String(processes.valkey) : "your own"]],
  ];
  list.replaceChildren(...rows.map(([name, label, value]) => h("div", { data: { process: name } }, h("dt", {}, label), h("dd", {}, value))));
}

function member({ pid, restarts, fault }) {
  if (fault) return [h("span", { class: "bad" }, fault)];
  return [pid ? String(pid) : "starting", restarts ? h("small", { title: "times it was started again" }, `+${restarts}`) : null];
}
