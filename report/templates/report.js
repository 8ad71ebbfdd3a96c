"use strict";
// Filters the rows that are already in the page. Without it everything is readable, only not filtered.
const form = document.getElementById("filter");
const rows = Array.from(document.querySelectorAll("#rows > details"));
const texts = new Map();

function textOf(row) {
  if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
  return texts.get(row);
}

function matches(row, wanted) {
  return ["system", "status", "category"].every((name) => !wanted[name] || row.dataset[name] === wanted[name])
    && (!wanted.text || textOf(row).includes(wanted.text));
}

function apply() {
  const chosen = (name) => form.elements[name].value;
  const wanted = {
    system: chosen("system"), status: chosen("status"), category: chosen("category"),
    text: chosen("text").trim().toLowerCase(),
  };
  let shown = 0;
  for (const row of rows) {
    row.hidden = !matches(row, wanted);
    if (!row.hidden) shown += 1;
  }
  form.elements.count.value = `${shown} of ${rows.length}`;
}

if (rows.length > 0) {
  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
