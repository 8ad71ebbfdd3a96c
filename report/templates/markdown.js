"use strict";
// Draws Markdown out of elements and texts alone: no markup of a text is obeyed, and nothing is loaded or linked.
const MARKED = /^(?:#{1,6} |[-*+] |\d{1,3}[.)] |```|~~~|> |\|.*\|)|\*\*[^*\n]{1,500}\*\*|`[^`\n]{1,500}`|\]\([^)\s]{1,500}\)/m;
const INLINE = /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|\*([^*\s][^*\n]{0,500})\*|(!?)\[([^[\]\n]{0,300})\]\(([^()\s]{1,500})\)/g;
const ITEM = /^( {0,20})([-*+]|\d{1,3}[.)])\s+(.*)$/;
const FENCE = /^ {0,3}(```|~~~)/;
const HEADING = /^#{1,6} +(.*)$/;
const RULED = /^[\s:|-]{3,200}$/;

function made(tag, kind, text) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
}

function inline(element, text) {
  let end = 0;
  for (const found of text.matchAll(INLINE)) {
    const [whole, code, strong, stressed, image, words, address] = found;
    element.append(text.slice(end, found.index));
    if (code !== undefined) element.append(made("code", "", code));
    else if (strong !== undefined) element.append(inline(made("strong", ""), strong));
    else if (stressed !== undefined) element.append(inline(made("em", ""), stressed));
    else element.append(image ? `[image: ${words}]` : words, " ", made("code", "faint", address));
    end = found.index + whole.length;
  }
  element.append(text.slice(end));
  return element;
}

function cells(line) {
  return line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim());
}

function tabled(lines) {
  const table = made("table"), box = made("div", "wide");
  box.tabIndex = 0;
  lines.filter((line) => !RULED.test(line)).forEach((line, place) => {
    const row = table.insertRow();
    for (const cell of cells(line)) row.append(inline(made(place ? "td" : "th"), cell));
  });
  box.append(table);
  return box;
}

// Takes the lines from a place on as long as they belong together.
function taken(lines, at, belongs) {
  let end = at + 1;
  while (end < lines.length && belongs(lines[end])) end += 1;
  return end;
}

function markdown(text) {
  const page = made("div", "markdown"), lines = text.split("\n");
  let at = 0;
  while (at < lines.length) {
    const line = lines[at], fence = FENCE.exec(line), item = ITEM.exec(line), heading = HEADING.exec(line);
    let end = at + 1;
    if (fence) {
      end = taken(lines, at, (each) => !each.trim().startsWith(fence[1]));
      page.append(made("pre", "", lines.slice(at + 1, end).join("\n")));
      end += 1;
    } else if (heading) {
      page.append(inline(made("p", "heading"), heading[1]));
    } else if (item) {
      const entry = inline(made("p", "entry"), `${/\d/.test(item[2]) ? item[2] : "•"} ${item[3]}`);
      entry.style.marginLeft = `${0.4 + item[1].length / 2}em`;
      page.append(entry);
    } else if (line.startsWith("|") && RULED.test(lines[at + 1] || "")) {
      end = taken(lines, at, (each) => each.startsWith("|"));
      page.append(tabled(lines.slice(at, end)));
    } else if (line.startsWith(">")) {
      end = taken(lines, at, (each) => each.startsWith(">"));
      page.append(inline(made("blockquote"), lines.slice(at, end).map((each) => each.replace(/^> ?/, "")).join("\n")));
    } else if (line.trim()) {
      end = taken(lines, at, (each) => each.trim() && ![FENCE, ITEM, HEADING].some((kind) => kind.test(each)) && !/^[|>]/.test(each));
      page.append(inline(made("p"), lines.slice(at, end).join("\n")));
    }
    at = end;
  }
  return page;
}

let asSource = false; // as a reader chose last

// Offers a text with marks in it both ways: rendered, and as it was written.
function offered(block) {
  const source = block.querySelector(":scope > pre"), title = block.querySelector(":scope > h4");
  const text = source.textContent;
  if (/^\s*[[{]/.test(text) || !MARKED.test(text)) return;
  const rendered = markdown(text), views = made("span", "views");
  rendered.dir = "auto";
  const buttons = ["rendered", "source"].map((name) => {
    const button = made("button", "", name);
    button.type = "button";
    button.addEventListener("click", () => { asSource = name === "source"; chosen(); });
    views.append(button);
    return button;
  });
  const chosen = () => {
    source.hidden = !asSource;
    rendered.hidden = asSource;
    buttons.forEach((button, place) => button.setAttribute("aria-pressed", String(asSource === (place === 1))));
  };
  source.before(rendered);
  title.append(views);
  chosen();
}
