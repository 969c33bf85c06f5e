// Asking the playground, and saying what came of it.

const SILENT = { ok: false, said: "The playground does not answer. Does `make run` still run?" };

/** GET `path`, or POST `wish` to it. */
export async function ask(path, wish) {
  const options = wish === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(wish) };
  try {
    const answer = await fetch(path, options);
    return answer.status >= 500 ? SILENT : await answer.json();
  } catch {
    return SILENT;
  }
}

/** The line under the levers, read out where somebody listens. */
export function say(text, bad = false) {
  const line = document.getElementById("said");
  line.textContent = text ?? "";
  line.classList.toggle("bad", bad);
}

/** What was wrong before is over. */
function hush() {
  if (document.getElementById("said").classList.contains("bad")) say("");
}

/** Say what was wrong with an answer, if anything; the answer. */
export function heard(answer) {
  if (answer.ok) hush();
  if (!answer.ok) say(answer.error ?? answer.said, true);
  else if (answer.delivered !== false && answer.acked === false) say("⚠ The bot did not take that within 3 seconds, as Slack shows at the button. Try again.", true);
  return answer;
}
