"use strict";
// Ranks guides above what records how the project came to be.
const BEHIND = /^(docs\/decisions\/|CHANGELOG|CONTRIBUTING|data\/|docs\/(design|benchmarks|evidence|self-test|shipped-judges|calibration-measured|dependencies)$)/;

var Scorer = { // eslint-disable-line no-var, no-unused-vars -- the name that Sphinx looks for
  score: ([name, , , , score]) => (BEHIND.test(name) ? score - 100 : score),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
