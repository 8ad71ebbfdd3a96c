// Shows one item at a time, and keeps the answers in this browser. Text of the data only ever becomes text.
const page = (id) => document.getElementById(id);
const data = JSON.parse(page("data").textContent);
const items = data.items;
const storageKey = `fiducial-review:${data.id}`;
const state = { name: data.name, answers: {}, notes: {}, index: 0, saved: "", seen: {} };
const here = () => keyOf(items[state.index]);

function restore() {
  try {
    Object.assign(state, JSON.parse(localStorage.getItem(storageKey)) ?? {});
    localStorage.setItem(storageKey, JSON.stringify(state));
  } catch {
    page("unkept").hidden = false;
  }
  state.index = Math.min(state.index, items.length - 1);
}

function keep() {
  try {
    localStorage.setItem(storageKey, JSON.stringify(state));
  } catch {
    page("unkept").hidden = false;
  }
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function blockOf(block) {
  const made = element("section", undefined, "block");
  const shown = element("pre", block.text);
  shown.dir = "auto";
  made.append(element("h4", block.title), shown);
  if (block.hidden) {
    made.append(element("p", `Cut here for display only: ${block.hidden.toLocaleString("en")} more characters are in the records.`, "cut"));
  }
  return made;
}

function sectionOf([title, blocks]) {
  const made = element("section", undefined, "part");
  made.append(element("h3", title), ...blocks.map(blockOf));
  return made;
}

function showItem() {
  const item = items[state.index];
  page("place").textContent = `${state.index + 1} of ${items.length}: ${item.name}`;
  page("question").textContent = item.question;
  page("sections").replaceChildren(...item.sections.map(sectionOf));
  page("note").value = state.notes[here()] ?? "";
  page("score").value = "";
  page("problem").textContent = "";
  showAnswer();
}

function showAnswer() {
  const answer = state.answers[here()];
  page("verdicts").hidden = !answer;
  if (!answer) page("verdicts").open = false;
  page("given").textContent = answer ? `Your answer: ${wordOf(answer.score)}` : "Not answered yet";
  for (const [id, score] of [["pass", 1], ["fail", 0], ["skip", null]]) {
    page(id).setAttribute("aria-pressed", String(Boolean(answer) && answer.score === score));
  }
  const done = items.filter((item) => state.answers[keyOf(item)]).length;
  page("progress").value = done;
  page("count").textContent = `${done} of ${items.length} answered`;
  const unsaved = done > 0 && labelLines(items, state) !== state.saved;
  page("download").disabled = done === 0;
  page("saved").textContent = unsaved ? "There are answers that are not downloaded yet." : "";
}

function showVerdicts() {
  const item = items[state.index];
  if (!page("verdicts").open || !state.answers[here()]) return;
  state.seen[here()] = true;
  keep();
  const producer = { title: "Produced by", text: item.producer, hidden: 0 };
  page("said").replaceChildren(...[producer, ...item.said].map(blockOf));
  page("verdicts").scrollIntoView();
}

function go(index) {
  state.index = Math.min(items.length - 1, Math.max(0, index));
  page("verdicts").open = false;
  page("said").replaceChildren();
  keep();
  showItem();
  page("place").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function answer(score) {
  const before = state.answers[here()];
  const informed = Boolean(before?.informed) || (Boolean(state.seen[here()]) && before.score !== score);
  state.answers[here()] = { score, informed };
  const next = nextOpen(items, state.answers, state.index);
  const said = wordOf(score);
  page("status").textContent = next < 0 ? `${said}. All are answered: download the labels.` : said;
  if (next < 0 || before) {
    keep();
    showAnswer();
  } else {
    go(next);
  }
}

function answerTyped() {
  const score = parseScore(page("score").value);
  page("problem").textContent = score === null ? "Expected a number from 0 to 1, such as 0.75, or a fraction such as 3/4." : "";
  if (score !== null) answer(score);
}

function noteTyped() {
  state.notes[here()] = page("note").value;
  keep();
  showAnswer();
}

function goToUnanswered() {
  const next = nextOpen(items, state.answers, state.index);
  if (next >= 0) go(next);
}

function download() {
  state.name = page("name").value.trim();
  if (!state.name) {
    page("problem").textContent = "Who labels? Labels need a name.";
    page("name").focus();
    return;
  }
  const lines = labelLines(items, state);
  const link = element("a");
  link.href = URL.createObjectURL(new Blob([lines], { type: "application/jsonl" }));
  link.download = fileNameFor(data.sample, state.name);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  page("text").value = lines;
  page("astext").hidden = false;
  state.saved = lines;
  keep();
  showAnswer();
  page("status").textContent = `${link.download} was handed to the browser.`;
}

const keys = {
  p: () => answer(1), f: () => answer(0), s: () => answer(null), g: () => page("score").focus(), n: () => page("note").focus(),
  j: () => go(state.index + 1), k: () => go(state.index - 1), u: goToUnanswered,
  v: () => { if (!page("verdicts").hidden) page("verdicts").open = !page("verdicts").open; }, d: download,
};

function pressed(event) {
  const typing = event.target.matches("input:not([type=checkbox]), textarea");
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || !page("keys").checked || event.ctrlKey || event.altKey || event.metaKey) return;
  const action = keys[event.key.toLowerCase()];
  if (action && !event.repeat) {
    event.preventDefault();
    action();
  }
}

function start() {
  restore();
  page("name").value = state.name;
  page("progress").max = items.length;
  page("name").addEventListener("input", () => { state.name = page("name").value.trim(); keep(); showAnswer(); });
  for (const [id, key] of [["pass", "p"], ["fail", "f"], ["skip", "s"], ["previous", "k"], ["next", "j"], ["unanswered", "u"], ["download", "d"]]) {
    page(id).addEventListener("click", keys[key]);
  }
  page("grade").addEventListener("submit", (event) => { event.preventDefault(); answerTyped(); });
  page("note").addEventListener("input", noteTyped);
  page("verdicts").addEventListener("toggle", showVerdicts);
  document.addEventListener("keydown", pressed);
  addEventListener("beforeunload", (event) => { if (!page("unkept").hidden && page("saved").textContent) event.preventDefault(); });
  page("app").hidden = false;
  showItem();
}

start();
