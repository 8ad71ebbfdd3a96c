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
function labelOf(item, answer, note, name, fault, reference) {
  const label = { case_id: item.case_id, system: item.system, trial: item.trial, by: name, source: "human" };
  if (answer.score === null) label.outcome = "undecided";
  else Object.assign(label, { outcome: "graded", score: answer.score });
  if (note.trim()) label.reason = note.trim();
  label.evidence = { review: { ...item.evidence.review } };
  if (fault) label.evidence.review.fault = fault;
  if (reference) label.evidence.review.reference = reference;
  if (answer.informed) label.evidence.review.changed_after_verdicts = true;
  return label;
}

// All answers as JSON Lines, in the order of the items.
function labelLines(items, state) {
  const answered = items.filter((item) => state.answers[keyOf(item)]);
  const labels = answered.map((item) => {
    const key = keyOf(item);
    return labelOf(item, state.answers[key], state.notes[key] ?? "", state.name, state.faults?.[key], state.references?.[key]);
  });
  return labels.map((label) => JSON.stringify(label) + "\n").join("");
}

// How a score is called; where right and wrong are decided, by these names.
function wordOf(score, decide = false) {
  if (score === null) return decide ? "undecidable" : "skipped";
  if (score === 1) return decide ? "right" : "pass";
  if (score === 0 && decide) return "wrong";
  return score === 0 ? "fail" : `score ${Number(score.toFixed(4))}`;
}

// What the answers come to so far: how many of each, and the share that passes with Wilson's 95 % interval; null without a score.
function rateOf(items, answers) {
  const scores = items.map((item) => answers[keyOf(item)]?.score).filter((score) => score !== undefined && score !== null);
  const n = scores.length;
  if (n === 0) return null;
  const share = scores.reduce((sum, score) => sum + score, 0) / n;
  const z = 1.959963984540054;
  const middle = (share + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n));
  return { share, n, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

// Whether a text is a JSON object, as a reference is.
function isObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
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
