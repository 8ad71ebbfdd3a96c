"use strict";
// Lists the items that are packed in this page. What is shown of one is markup that was escaped when the page was made.
const ROW = 86; // pixels, as in the style sheet
const byId = (id) => document.getElementById(id);

// Reads bytes written four at a time as five digits, which takes a sixteenth less room than base64.
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;"=>?@^_`{|}~';
function decoded(letters) {
  const values = new Uint8Array(128), bytes = new Uint8Array(Math.floor(letters.length * 4 / 5));
  for (let digit = 0; digit < 85; digit += 1) values[DIGITS.charCodeAt(digit)] = digit;
  for (let from = 0, to = 0; from < letters.length; from += 5) {
    let word = 0;
    for (let place = from; place < from + 5; place += 1) word = word * 85 + (place < letters.length ? values[letters.charCodeAt(place)] : 84);
    for (let bits = 24; bits >= 0 && to < bytes.length; bits -= 8, to += 1) bytes[to] = (word >>> bits) & 255;
  }
  return bytes;
}

async function unpacked(element) {
  const stream = new Blob([decoded(element.textContent)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

// A text of at most so many letters, without its middle.
function middle(text, most) {
  const letters = Array.from(text);
  if (letters.length <= most) return text;
  const head = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(head + 1 - most).join("")}`;
}

class Items {
  constructor(index, chunks) {
    Object.assign(this, index);
    this.length = this.status.length;
    this.elements = chunks;
    this.read = new Map();
    this.begins = [];
    let begin = 0;
    for (const size of index.chunks) {
      this.begins.push(begin);
      begin += size;
    }
    this.texts = begin;
    this.rowOf = new Map(this.places.map((place, row) => [place, row]));
    this.searched = new Map();
  }

  statusOf(row) { return this.statuses[this.status[row]]; }
  systemOf(row) { return this.systems[this.system[row]]; }
  caseOf(row) { return this.cases[this.case[row]]; }
  categoryOf(row) { return this.categorys[this.category[row]]; }
  faultOf(row) { return this.faults[this.fault[row]]; }
  saidOf(row) { return this.saids[this.said[row]]; }
  queryOf(row) { return this.queries[this.case[row]]; }
  answerOf(row) { return this.answers[row] || ""; }
  inGroup(row, name) { return this.grouped[this.group[row]].some((each) => this.groups[each] === name); }
  // The rows of the same case and trial, system by system.
  siblings(row) {
    if (!this.together) {
      this.together = new Map();
      for (let each = 0; each < this.length; each += 1) {
        const key = `${this.case[each]}/${this.trial[each]}`;
        if (!this.together.has(key)) this.together.set(key, []);
        this.together.get(key).push(each);
      }
      for (const rows of this.together.values()) rows.sort((a, b) => this.systemOf(a).localeCompare(this.systemOf(b), undefined, { numeric: true }));
    }
    return this.together.get(`${this.case[row]}/${this.trial[row]}`);
  }
  idOf(row) { return [this.caseOf(row), this.systemOf(row), ...(this.trial[row] ? [String(this.trial[row])] : [])]; }
  titleOf(row) { return this.idOf(row).join(" · ") ; }
  // The title as an element: each part by itself, the middle of long ones left out.
  titled(row, tag, kind, most) {
    const element = made(tag, kind), whole = this.titleOf(row);
    this.idOf(row).forEach((part, place) => element.append(place ? " · " : "", made("bdi", "", middle(part, most))));
    if (element.textContent !== whole) element.title = whole;
    return element;
  }

  find(id) {
    for (let row = 0; row < this.length; row += 1) {
      if (this.caseOf(row) === id[0] && this.systemOf(row) === id[1] && String(this.trial[row]) === (id[2] || "0")) return row;
    }
    return -1;
  }

  // The chunk that a row's texts are in; those last read are kept.
  async chunk(number) {
    if (!this.read.has(number)) {
      this.read.set(number, unpacked(this.elements[number]));
      if (this.read.size > 8) this.read.delete(this.read.keys().next().value);
    }
    return this.read.get(number);
  }

  async textOf(row) {
    if (row >= this.texts) return null;
    const place = this.places[row];
    let number = this.begins.length - 1;
    while (this.begins[number] > place) number -= 1;
    return (await this.chunk(number))[place - this.begins[number]];
  }

  // What is searched: the words of the list, and of the texts once they were unpacked.
  inList(row, wanted) {
    const words = [this.titleOf(row), this.categoryOf(row), this.faultOf(row), this.saidOf(row), this.queryOf(row), this.answerOf(row)];
    return words.some((text) => text.toLowerCase().includes(wanted));
  }

  async searchable(number) {
    if (!this.searched.has(number)) {
      const pages = await unpacked(this.elements[number]);
      const words = (page) => new DOMParser().parseFromString(page, "text/html").body.textContent.toLowerCase();
      this.searched.set(number, pages.map(words));
    }
    return this.searched.get(number);
  }
}

class Browser {
  constructor(items) {
    this.items = items;
    this.form = byId("filter");
    this.list = byId("list");
    this.canvas = byId("canvas");
    this.article = byId("item");
    this.rows = [];
    this.active = -1; // its place among the rows that are shown
    this.search = 0;
  }

  begin() {
    for (const id of ["filter", "browser"]) byId(id).hidden = false;
    byId("unlisted").hidden = true;
    this.form.addEventListener("input", () => { this.choose(); this.keep(); });
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.list.addEventListener("scroll", () => this.draw(), { passive: true });
    this.list.addEventListener("click", (event) => this.clicked(event));
    byId("help").addEventListener("click", () => byId("keys").showModal());
    document.addEventListener("keydown", (event) => this.pressed(event));
    window.addEventListener("resize", () => this.draw());
    window.addEventListener("hashchange", () => this.follow());
    this.item = null;
    this.show(-1);
    if (!this.follow()) this.choose();
  }

  get chosen() {
    const value = (name) => (this.form.elements[name] ? this.form.elements[name].value : "");
    return Object.fromEntries(["q", ...FILTERS, "sort"].map((name) => [name, value(name)]));
  }

  // Goes where the address says.
  follow() {
    const state = stateOf(window.location.hash);
    if (state === null) return false;
    for (const [name, value] of Object.entries(state.chosen)) this.set(name, value);
    this.choose();
    if (state.item === null) {
      byId(Object.values(state.chosen).some(Boolean) ? "filter" : "items").scrollIntoView();
      return true;
    }
    const row = this.items.find(state.item);
    this.active = row < 0 ? -1 : this.placeOf(row);
    if (row < 0) this.missing(state.item);
    else this.show(row);
    this.reveal();
    byId("browser").scrollIntoView();
    return true;
  }

  // A value that no item has stays chosen, so that the list says what it looked for.
  set(name, value) {
    const field = this.form.elements[name];
    if (!field) return;
    field.value = value;
    if (field.value === value || name === "sort") return;
    field.parentElement.hidden = false;
    field.add(new Option(value, value));
    field.value = value;
  }

  keep() {
    const address = addressOf(this.item === null ? null : this.items.idOf(this.item), this.chosen);
    if (window.location.hash !== address) window.history.replaceState(null, "", address);
  }

  choose() {
    const { q, sort, ...wanted } = this.chosen;
    const words = q.trim().toLowerCase();
    const { items } = this;
    const of = { system: (row) => items.systemOf(row), status: (row) => items.statusOf(row), category: (row) => items.categoryOf(row), fault: (row) => items.faultOf(row) };
    const filtered = [];
    for (let row = 0; row < items.length; row += 1) {
      if (FILTERS.every((name) => !wanted[name] || (name === "group" ? items.inGroup(row, wanted[name]) : of[name](row) === wanted[name]))) filtered.push(row);
    }
    this.search += 1;
    const found = words ? filtered.filter((row) => items.inList(row, words)) : filtered;
    this.take(found, sort, words && items.texts > 0 ? " in the list; searching texts" : "");
    if (words) this.searchTexts(this.search, words, filtered, new Set(found), sort);
  }

  async searchTexts(search, words, filtered, found, sort) {
    const { items } = this;
    for (let number = 0; number < items.begins.length; number += 1) {
      const texts = await items.searchable(number);
      if (search !== this.search) return;
      texts.forEach((text, place) => { if (text.includes(words)) found.add(items.rowOf.get(items.begins[number] + place)); });
    }
    const absent = filtered.filter((row) => row >= items.texts).length;
    this.take(filtered.filter((row) => found.has(row)), sort, absent ? `; ${absent.toLocaleString("en")} texts are not in this page and were not searched: ${this.form.dataset.allTexts}` : "");
    this.keep();
  }

  take(rows, sort, doing) {
    const { items } = this;
    const key = { case: (row) => items.caseOf(row), system: (row) => items.systemOf(row) }[sort];
    this.rows = key ? rows.slice().sort((a, b) => key(a).localeCompare(key(b), undefined, { numeric: true }) || a - b) : rows;
    byId("count").value = `${this.rows.length.toLocaleString("en")} of ${items.length.toLocaleString("en")}${doing}`;
    this.beside = sort === "beside";
    if (this.beside) {
      const seen = new Set();
      this.rows = this.rows.filter((row) => { const first = items.siblings(row)[0]; return !seen.has(first) && seen.add(first); });
    }
    this.canvas.style.height = `${this.rows.length * ROW}px`;
    byId("none").hidden = this.rows.length > 0 || doing.startsWith(" in the list");
    if (this.rows.length === 0) byId("none").textContent = `No item has ${this.looked()}.`;
    this.active = this.item === null ? -1 : this.placeOf(this.item);
    if (this.active < 0 && !doing.startsWith(" in the list")) this.first();
    this.draw();
  }

  // Where an item is among the rows; side by side, its case.
  placeOf(row) {
    const { items } = this;
    const place = this.rows.indexOf(row);
    return place >= 0 || !this.beside ? place : this.rows.findIndex((each) => items.siblings(each)[0] === items.siblings(row)[0]);
  }

  // Opens the first of the rows, if there is one.
  first() {
    this.active = this.rows.length > 0 ? 0 : -1;
    this.list.scrollTop = 0;
    this.show(this.rows.length > 0 ? this.rows[0] : -1);
  }

  // What the filters ask for, in words.
  looked() {
    const { q, sort, ...wanted } = this.chosen;
    const asked = Object.entries(wanted).filter(([, value]) => value).map(([name, value]) => `${this.form.elements[name].parentElement.firstChild.textContent.trim()}: ${value}`);
    return [...(q ? [`“${q}” in its text`] : []), ...asked].join(", ");
  }

  draw() {
    const first = Math.max(0, Math.floor(this.list.scrollTop / ROW) - 4);
    const last = Math.min(this.rows.length, first + Math.ceil(this.list.clientHeight / ROW) + 8);
    const shown = [];
    for (let place = first; place < last; place += 1) shown.push(this.drawn(place));
    this.canvas.replaceChildren(...shown);
    if (this.active >= first && this.active < last) this.list.setAttribute("aria-activedescendant", `row-${this.active}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  drawn(place) {
    const { items } = this, row = this.rows[place], status = items.statusOf(row);
    const element = made("div", `row ${status.replace(" ", "-")}`);
    const attributes = { id: `row-${place}`, role: "option", "aria-selected": String(place === this.active), "aria-posinset": place + 1, "aria-setsize": this.rows.length };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.style.transform = `translateY(${place * ROW}px)`;
    const query = made("span", "query", items.queryOf(row));
    query.dir = "auto";
    const head = made("span", "head");
    if (this.beside) {
      element.className = "row";
      const id = made("bdi", "id", middle(items.caseOf(row), 48));
      id.title = items.caseOf(row);
      head.append(id);
      const systems = made("span", "systems");
      for (const each of items.siblings(row)) systems.append(this.chip(each));
      element.append(head, query, systems);
      return element;
    }
    head.append(made("span", "status", items.statusOf(row)), items.titled(row, "span", "id", 20));
    const answer = made("span", "answer", items.answerOf(row));
    answer.dir = "auto";
    element.append(head, query, answer, made("span", "said", [items.saidOf(row), items.faultOf(row)].filter(Boolean).join(" · ")));
    return element;
  }

  // A system's outcome on a case, which leads to its output.
  chip(row) {
    const { items } = this, status = items.statusOf(row);
    const link = made("a", `chip ${status.replace(" ", "-")}`, `${middle(items.systemOf(row), 28)}: ${items.statusOf(row)}`);
    link.title = items.systemOf(row);
    link.href = addressOf(items.idOf(row), this.chosen);
    if (row === this.item) link.setAttribute("aria-current", "true");
    return link;
  }

  // Previous and next, and the other systems on the same case.
  beacons(row) {
    const steps = made("p", "steps");
    for (const [step, name, key] of [[-1, "previous", "k"], [1, "next", "j"]]) {
      const button = made("button", "", `${name} `);
      button.append(made("kbd", "", key));
      button.type = "button";
      button.setAttribute("aria-keyshortcuts", key);
      button.disabled = !(this.active + step in this.rows);
      button.addEventListener("click", () => this.go(this.active + step, false));
      steps.append(button);
    }
    const others = this.items.siblings(row);
    if (others.length > 1) steps.append(...others.map((each) => this.chip(each)));
    return steps;
  }

  clicked(event) {
    if (event.target.closest("a.chip")) return;
    const row = event.target.closest("[role=option]");
    if (row !== null) this.go(Number(row.id.slice(4)), true);
  }

  go(place, read) {
    if (this.rows.length === 0) return;
    this.active = Math.min(this.rows.length - 1, Math.max(0, place));
    this.show(this.rows[this.active]);
    this.reveal();
    this.keep();
    if (read && window.matchMedia("(max-width: 60rem)").matches) this.enter();
  }

  enter() {
    this.article.focus({ preventScroll: true });
    this.article.scrollIntoView({ block: "start" });
  }

  reveal() {
    if (this.active >= 0) {
      const top = this.active * ROW, below = top + ROW - this.list.clientHeight;
      if (this.list.scrollTop > top) this.list.scrollTop = top;
      else if (this.list.scrollTop < below) this.list.scrollTop = below;
    }
    this.draw();
  }

  missing(id) {
    this.item = null;
    this.article.replaceChildren(made("p", "note", `There is no item ${id.join(" · ")} in this page.`));
  }

  async show(row) {
    const { items } = this;
    this.item = row < 0 ? null : row;
    if (row < 0) {
      this.article.replaceChildren();
      return;
    }
    const title = made("h3"), link = items.titled(row, "a", "permalink", 32);
    link.href = addressOf(items.idOf(row), {});
    title.append(link);
    const head = made("div", "title"), body = made("div", "detail");
    head.append(title, made("span", "faint", [items.statusOf(row), items.categoryOf(row)].join(" · ")));
    this.article.replaceChildren(this.beacons(row), head, body);
    const text = await items.textOf(row);
    if (this.item !== row) return;
    if (text === null) body.append(made("p", "note", `The texts of this item are not in this page, which holds those of the ${items.texts.toLocaleString("en")} most worth reading; the records hold all, and ${this.form.dataset.allTexts} packs all.`));
    else body.innerHTML = text;
    body.querySelectorAll(".block").forEach(offered);
  }

  pressed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
    const typing = event.target.closest("input, select, textarea, button, a, summary");
    if (event.key === "Escape" && event.target.closest("#filter, #item")) this.list.focus();
    else if (event.target.closest("input, select, textarea")) return;
    else if (event.key === "/") this.form.elements.q.focus();
    else if (event.key === "?") byId("keys").showModal();
    else if (event.key === "j") this.go(this.active + 1, false);
    else if (event.key === "k") this.go(this.active - 1, false);
    else if (event.key === "Enter" && !typing && this.item !== null) this.enter();
    else if (!this.moved(event)) return;
    event.preventDefault();
  }

  moved(event) {
    if (event.target !== this.list) return false;
    const page = Math.max(1, Math.floor(this.list.clientHeight / ROW) - 1);
    const steps = { ArrowDown: this.active + 1, ArrowUp: this.active - 1, PageDown: this.active + page, PageUp: this.active - page, Home: 0, End: this.rows.length - 1 };
    if (!(event.key in steps)) return false;
    this.go(steps[event.key], false);
    return true;
  }
}

for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const command = button.parentElement.querySelector("code").textContent;
    try {
      await navigator.clipboard.writeText(command);
      button.textContent = "copied";
    } catch {
      window.getSelection().selectAllChildren(button.parentElement.querySelector("code"));
      button.textContent = "selected";
    }
  });
}

async function begin() {
  const index = byId("index");
  if (index === null) return;
  if (typeof DecompressionStream === "undefined") return;
  new Browser(new Items(await unpacked(index), Array.from(document.querySelectorAll("script.chunk")))).begin();
}

begin();
