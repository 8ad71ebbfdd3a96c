"use strict";
// What labels are, apart from the page: pure functions.

// What an answer is kept under: a page made anew with other items finds it again.
function keyOf(item) {
  return JSON.stringify([item.case_id, item.system, item.trial]);
}

// A score in [0, 1] from what was typed ("0.75", "3/4", "1"), or null.
function parseScore(text) {
  const found = /^\s*(\d{1,9}|\d{0,9}[.,]\d{1,9})\s*(?:\/\s*(\d{1,9})\s*)?$/.exec(text);
  if (found === null) return null;
  const score = Number(found[1].replace(",", ".")) / (found[2] === undefined ? 1 : Number(found[2]));
  return score >= 0 && score <= 1 ? score : null;
}

// One answer as a Verdict. A skipped output is undecided: kept, counted, and never a score.
function labelOf(item, answer, note, name) {
  const label = { case_id: item.case_id, system: item.system, trial: item.trial, by: name, source: "human" };
  if (answer.score === null) label.outcome = "undecided";
  else Object.assign(label, { outcome: "graded", score: answer.score });
  if (note.trim()) label.reason = note.trim();
  label.evidence = { review: { ...item.evidence.review } };
  if (answer.informed) label.evidence.review.changed_after_verdicts = true;
  return label;
}

// All answers as JSON Lines, in the order of the items.
function labelLines(items, state) {
  const answered = items.filter((item) => state.answers[keyOf(item)]);
  const labels = answered.map((item) => labelOf(item, state.answers[keyOf(item)], state.notes[keyOf(item)] ?? "", state.name));
  return labels.map((label) => JSON.stringify(label) + "\n").join("");
}

// How a score is called.
function wordOf(score) {
  if (score === null) return "skipped";
  if (score === 1) return "pass";
  return score === 0 ? "fail" : `score ${Number(score.toFixed(4))}`;
}

// The first item after `index` without an answer, around the end if need be; -1 when all have one.
function nextOpen(items, answers, index) {
  for (let step = 1; step <= items.length; step += 1) {
    const candidate = (index + step) % items.length;
    if (!answers[keyOf(items[candidate])]) return candidate;
  }
  return -1;
}

function fileNameFor(sample, name) {
  const parts = ["labels", sample === "open" ? "" : sample, name.replace(/[^\p{L}\p{N}_.-]+/gu, "-").slice(0, 60)];
  return `${parts.filter(Boolean).join("-")}.jsonl`;
}
