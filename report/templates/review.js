// Shows one item at a time, and keeps the answers in this browser. Text of the data only ever becomes text.
const page = (id) => document.getElementById(id);
const data = JSON.parse(page("data").textContent);
const items = data.items;
const empty = () => ({ answers: {}, notes: {}, faults: {}, references: {}, index: 0, saved: "", seen: {}, onward: !data.decide });
const state = { name: data.name, ...empty() };
const last = [];
const here = () => keyOf(items[state.index]);
// Each person has answers of their own, also where several label on one page.
const keptUnder = (name) => `fiducial-review:${data.id}${data.name ? "" : `:${name}`}`;

function kept(name) {
  try {
    return JSON.parse(localStorage.getItem(keptUnder(name))) ?? {};
  } catch {
    page("unkept").hidden = false;
    return {};
  }
}

function restore() {
  Object.assign(state, kept(state.name));
  state.index = Math.min(state.index, items.length - 1);
  // An output that has an answer is not asked again.
  if (state.answers[here()]) state.index = Math.max(0, nextOpen(items, state.answers, state.index));
  keep();
}

function keep() {
  try {
    localStorage.setItem(keptUnder(state.name), JSON.stringify(state));
  } catch {
    page("unkept").hidden = false;
  }
}

// Somebody else sits down: their answers take the place of those shown. What was answered before anybody was named is theirs.
function become(name) {
  if (name === state.name) return;
  if (state.name === "" || data.name) {
    state.name = name;
  } else {
    Object.assign(state, empty(), { name });
    last.length = 0;
    Object.assign(state, kept(name), { name });
  }
  keep();
  page("onward").checked = state.onward;
  showItem();
}

// The same person in another tab: both have all answers.
function takeFromOtherTab(event) {
  if (event.key !== keptUnder(state.name) || event.newValue === null) return;
  Object.assign(state, JSON.parse(event.newValue), { index: state.index, name: state.name });
  showAnswer();
}

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function blockOf(block) {
  const folded = block.title.startsWith("Functions (");
  const made = element(folded ? "details" : "section", undefined, "block");
  const shown = element("pre", block.text);
  shown.dir = "auto";
  made.append(element(folded ? "summary" : "h4", block.title), shown);
  if (block.hidden) {
    made.append(element("p", `Cut here for display only: ${block.hidden.toLocaleString("en")} more characters are in the records.`, "cut"));
  }
  return made;
}

// What scrolls by itself can be reached with keys.
function reachable() {
  for (const shown of document.querySelectorAll(".block pre, .wide")) {
    if (shown.scrollWidth > shown.clientWidth || shown.scrollHeight > shown.clientHeight) shown.tabIndex = 0;
    else shown.removeAttribute("tabindex");
  }
}

// What is judged stands beside what it is judged by: the request where it is labelled, two opinions where they are decided between.
const KINDS = { "Request": "request", "Output": "got", "Given with the request": "given", "Expected": "expected" };
const ON_THE_LEFT = data.decide ? ["request", "got"] : ["request", "given"];

function sectionOf([title, blocks]) {
  const made = element("section", undefined, `part ${KINDS[title]}`);
  made.append(element("h3", title), ...blocks.map(blockOf));
  return made;
}

function showSections(sections) {
  const made = sections.map(sectionOf);
  const isLeft = (section) => ON_THE_LEFT.some((kind) => section.classList.contains(kind));
  page("left").replaceChildren(...made.filter(isLeft));
  page("right").replaceChildren(...made.filter((section) => !isLeft(section)));
}

function comparedRow(line) {
  const made = element("tr", undefined, line.differs ? "differs" : undefined);
  const name = element("th", line.what);
  name.scope = "row";
  const cells = [line.expected, line.got].map((text) => {
    const cell = element("td");
    const shown = line.differs && text === line.got ? element("mark", text) : element("span", text);
    shown.dir = "auto";
    cell.append(shown);
    return cell;
  });
  made.append(name, ...cells);
  return made;
}

function showItem() {
  const item = items[state.index];
  page("place").textContent = `${state.index + 1} of ${items.length}: ${item.name}`;
  page("question").textContent = item.question;
  showSections(item.sections);
  if (data.decide) {
    page("comparison").hidden = item.compared.length === 0;
    page("compared").replaceChildren(...item.compared.map(comparedRow));
    page("opinions").replaceChildren(...item.opinions.map(blockOf));
    page("mend").hidden = item.reference === "";
    page("reference").value = state.references[here()] ?? item.reference;
  } else {
    page("score").value = "";
  }
  page("problem").textContent = "";
  showAnswer();
  reachable();
}

function showAnswer() {
  const answer = state.answers[here()];
  page("note").value = state.notes[here()] ?? "";
  if (data.decide) page("fault").value = state.faults[here()] ?? "";
  page("verdicts").hidden = !answer;
  if (!answer) page("verdicts").open = false;
  page("given").textContent = answer ? `Your answer: ${wordOf(answer.score, data.decide)}` : "Not answered yet";
  page("undo").disabled = !answer && last.length === 0;
  for (const [id, score] of [["pass", 1], ["fail", 0], ["skip", null]]) {
    page(id).setAttribute("aria-pressed", String(Boolean(answer) && answer.score === score));
  }
  const done = items.filter((item) => state.answers[keyOf(item)]).length;
  page("progress").value = done;
  page("count").textContent = `${done} of ${items.length}`;
  page("unanswered").hidden = page("progress").hidden = done === items.length;
  showRate();
  showSaved(done);
}

function showSaved(done) {
  const unsaved = done > 0 && labelLines(items, state) !== state.saved;
  page("download").disabled = done === 0;
  page("saved").textContent = unsaved ? "There are answers that are not downloaded yet." : "";
}

// Only of a random sample do the answers say anything of the rest; shown once all are given, so that it sways none of them.
function showRate() {
  const done = items.every((item) => state.answers[keyOf(item)]);
  const rate = data.fair && done ? rateOf(items, state.answers) : null;
  page("strip").hidden = rate === null;
  page("live").textContent = "";
  if (rate === null) return;
  page("live").textContent = `answered: ${rate.share.toFixed(2)} pass [${rate.low.toFixed(2)}, ${rate.high.toFixed(2)}] of ${rate.n}`;
  page("range").style.left = `${100 * rate.low}%`;
  page("range").style.width = `${100 * (rate.high - rate.low)}%`;
}

function showVerdicts() {
  const item = items[state.index];
  if (!page("verdicts").open || !state.answers[here()]) return;
  state.seen[here()] = true;
  keep();
  const producer = { title: "Produced by", text: item.producer, hidden: 0 };
  page("said").replaceChildren(...[producer, ...item.said].map(blockOf));
  reachable();
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
  const informed = Boolean(before?.informed) || (Boolean(state.seen[here()]) && before?.score !== score);
  state.answers[here()] = { score, informed };
  last.push({ index: state.index, before });
  const next = nextOpen(items, state.answers, state.index);
  const said = wordOf(score, data.decide);
  page("status").textContent = next < 0 ? `${said}. All are answered: download them.` : said;
  if (state.onward && next >= 0 && !before) {
    go(next);
  } else {
    keep();
    showAnswer();
  }
}

// Takes back the last answer, and shows what it was given to; without one, the answer that stands here.
function undo() {
  const { index, before } = last.pop() ?? { index: state.index };
  const key = keyOf(items[index]);
  if (before) state.answers[key] = before;
  else delete state.answers[key];
  go(index);
  page("status").textContent = before ? `back to ${wordOf(before.score, data.decide)}` : "taken back";
}

function answerTyped() {
  const score = parseScore(page("score").value);
  page("problem").textContent = score === null ? "Expected a number from 0 to 1, such as 0.75, or a fraction such as 3/4." : "";
  if (score !== null) answer(score);
}

function noteTyped() {
  state.notes[here()] = page("note").value;
  if (data.decide) state.faults[here()] = page("fault").value;
  keep();
  showSaved(Object.keys(state.answers).length);
}

function referenceTyped() {
  const text = page("reference").value;
  const usable = isObject(text);
  page("problem").textContent = usable ? "" : "The reference is no JSON object, so it is left as it was.";
  if (usable && text !== items[state.index].reference) state.references[here()] = text;
  else delete state.references[here()];
  keep();
  showSaved(Object.keys(state.answers).length);
}

function goToUnanswered() {
  const next = nextOpen(items, state.answers, state.index);
  if (next >= 0) go(next);
}

function download() {
  become(page("name").value.trim());
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

function into(id) {
  if (id !== "score") page("more").open = true;
  page(id).focus();
}

const keys = {
  1: () => answer(1), 0: () => answer(0), "?": () => answer(null), z: () => { if (!page("undo").disabled) undo(); }, n: () => into("note"),
  arrowright: () => go(state.index + 1), arrowleft: () => go(state.index - 1), u: goToUnanswered,
  v: () => { if (!page("verdicts").hidden) page("verdicts").open = !page("verdicts").open; }, d: download,
  ...(data.decide ? { w: () => into("fault") } : { "/": () => into("score") }),
};
// The same by letters, for hands that stay in the middle of the keyboard.
Object.assign(keys, { p: keys[1], f: keys[0], s: keys["?"], j: keys.arrowright, k: keys.arrowleft, g: keys["/"] });

function pressed(event) {
  const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (typing && event.key === "Escape") event.target.blur();
  if (typing || !page("keys").checked || event.ctrlKey || event.altKey || event.metaKey) return;
  // What scrolls by itself keeps its arrows.
  if (event.key.startsWith("Arrow") && event.target.matches("pre, .wide")) return;
  const action = keys[event.key.toLowerCase()];
  if (action && !event.repeat) {
    event.preventDefault();
    action();
  }
}

function start() {
  restore();
  page("name").value = state.name;
  page("onward").checked = state.onward;
  page("progress").max = items.length;
  page("name").addEventListener("change", () => become(page("name").value.trim()));
  page("onward").addEventListener("change", () => { state.onward = page("onward").checked; keep(); });
  for (const [id, key] of [["pass", "1"], ["fail", "0"], ["skip", "?"], ["undo", "z"], ["previous", "arrowleft"], ["next", "arrowright"], ["unanswered", "u"], ["download", "d"]]) {
    page(id).addEventListener("click", keys[key]);
  }
  if (data.decide) {
    page("fault").addEventListener("change", noteTyped);
    page("reference").addEventListener("input", referenceTyped);
  } else page("grade").addEventListener("submit", (event) => { event.preventDefault(); answerTyped(); });
  page("note").addEventListener("input", noteTyped);
  page("verdicts").addEventListener("toggle", showVerdicts);
  document.addEventListener("keydown", pressed);
  addEventListener("storage", takeFromOtherTab);
  addEventListener("resize", reachable);
  addEventListener("beforeunload", (event) => { if (!page("unkept").hidden && page("saved").textContent) event.preventDefault(); });
  page("app").hidden = false;
  showItem();
}

start();
