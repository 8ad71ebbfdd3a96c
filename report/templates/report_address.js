"use strict";
const FILTERS = ["system", "status", "category", "fault", "group"];
// Outputs pass or fail; addresses of earlier reports have words that only labels have now.
const EARLIER = new Map([["right", "passes"], ["wrong", "fails"]]);

// What the fragment of the address says: #case/system/trial?filters, or #items?filters; null for one that is a section's.
function stateOf(hash) {
  const [path, ...rest] = hash.slice(1).split("?");
  const asked = new URLSearchParams(rest.join("?"));
  const chosen = { q: asked.get("q") || "", sort: asked.get("sort") || "" };
  for (const name of FILTERS) chosen[name] = asked.get(name) || "";
  chosen.status = EARLIER.get(chosen.status) || chosen.status;
  if (path === "items") return { item: null, chosen };
  if (!path.includes("/")) return null;
  try {
    return { item: path.split("/").map(decodeURIComponent), chosen };
  } catch {
    return null;
  }
}

function addressOf(item, chosen) {
  const kept = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value)).toString();
  return `#${item === null ? "items" : item.map(encodeURIComponent).join("/")}${kept ? `?${kept}` : ""}`;
}
