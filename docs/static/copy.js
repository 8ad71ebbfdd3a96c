"use strict";
// A button on each block of code. Of a terminal's block it copies what was typed.
function typed(block) {
  const lines = block.textContent.split("\n");
  if (!block.closest(".highlight-console")) return block.textContent.trimEnd();
  return lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2)).join("\n");
}

document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll(".highlight pre")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(typed(block));
        button.textContent = "copied";
      } catch {
        window.getSelection().selectAllChildren(block);
        button.textContent = "selected";
      }
    });
    block.parentElement.append(button);
  }
});
