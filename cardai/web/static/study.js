"use strict";
// The study's pages: a spot's form with its range editors, the solving that goes on, the grid and the hands of a decision.
document.addEventListener("DOMContentLoaded", () => {
  const one = (chosen, within = document) => within.querySelector(chosen);
  const all = (chosen, within = document) => [...within.querySelectorAll(chosen)];
  const sent = async (address, fields) => {
    const answer = await fetch(address, { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(fields) });
    return answer.ok ? answer.json() : { wrong: await answer.text() };
  };
  const later = (work, wait) => { let timer; return () => { clearTimeout(timer); timer = setTimeout(work, wait); }; };

  // -- copying the command
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const code = button.parentElement.querySelector("code");
    try { await navigator.clipboard.writeText(code.textContent); } catch {
      const range = document.createRange(); // a page that is not served securely: selected, and copied the older way
      range.selectNodeContents(code); getSelection().removeAllRanges(); getSelection().addRange(range); document.execCommand("copy");
    }
    button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });

  // -- walking a grid by arrows: one of its cells is in the order of Tab
  for (const grid of all(".grid13")) grid.addEventListener("keydown", (event) => {
    const cells = all("button.cell", grid), at = cells.indexOf(event.target), step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13, Home: -at, End: 168 - at }[event.key];
    if (at < 0 || step === undefined) return;
    event.preventDefault();
    if ((step === -1 && at % 13 === 0) || (step === 1 && at % 13 === 12) || !cells[at + step]) return;
    cells[at].tabIndex = -1; cells[at + step].tabIndex = 0; cells[at + step].focus();
  });

  for (const way of all(".way")) way.scrollLeft = way.scrollWidth; // what is now stands at its end

  // -- solving: the words and the curve are told anew until it is over
  const progress = one("#progress");
  if (progress && progress.dataset.underWay === "1") {
    let seen = "", wait = 400;
    const ask = async () => {
      try {
        const answer = await fetch(`${progress.dataset.state}${progress.dataset.state.includes("?") ? "&" : "?"}seen=${seen}`);
        if (!answer.ok) return location.replace(progress.dataset.spot); // it was let go: its page says so
        const found = await answer.json();
        wait = 400;
        if (found.over) return location.replace(progress.dataset.spot);
        progress.innerHTML = found.html;
        if (found.glimpse) { seen = found.seen; one("#glimpse").innerHTML = found.glimpse; }
      } catch { wait = Math.min(2 * wait, 30000); } // the next one may come through
      setTimeout(ask, wait);
    };
    setTimeout(ask, 150);
    document.addEventListener("keydown", (event) => { if (event.key === "s" && !event.target.closest("input, textarea")) one("[data-key=s]")?.click(); });
  }

  // -- a decision: a class of hands, and all hands by a column
  const panel = one("#class"), table = one("#hands");
  if (panel && table) {
    const rows = all("tbody tr", table), usual = panel.innerHTML;
    let kept = "";
    const show = (name) => {
      const own = rows.filter((row) => row.dataset.class === name);
      panel.innerHTML = own.length ? "" : usual;
      if (!own.length) return;
      const made = document.createElement("table"), head = table.tHead.cloneNode(true), body = document.createElement("tbody");
      made.createCaption().textContent = `${name}: ${own.length} hand${own.length > 1 ? "s" : ""}`;
      for (const button of all("button", head)) button.replaceWith(...button.childNodes);
      body.append(...own.map((row) => {
        const copy = row.cloneNode(true);
        if (lockForm) { copy.tabIndex = 0; copy.setAttribute("aria-pressed", "false"); copy.title = "Lock this hand"; }
        return copy;
      }));
      made.append(head, body); panel.append(made);
    };
    // Of a class, one hand is chosen to be locked: by a click, or by Tab and Enter.
    const lockForm = one("#lock-form");
    const single = (row) => {
      for (const other of all("tr[data-hand]", panel)) other.setAttribute("aria-pressed", String(other === row && row.getAttribute("aria-pressed") !== "true"));
      const chosen = one("tr[aria-pressed=true]", panel);
      lock(chosen ? chosen.dataset.hand : kept, chosen ? chosen.dataset.hand : "");
      if (chosen) lockForm.closest("details").open = true;
    };
    panel.addEventListener("click", (event) => { const row = event.target.closest("tr[data-hand]"); if (row && lockForm) { if (!kept) keep(row.dataset.class); single(one(`tr[data-hand="${row.dataset.hand}"]`, panel)); } });
    panel.addEventListener("keydown", (event) => { const row = event.target.closest("tr[data-hand]"); if (row && lockForm && ["Enter", " "].includes(event.key)) { event.preventDefault(); row.click(); one(`tr[data-hand="${row.dataset.hand}"]`, panel)?.focus(); } });
    // A lock is filled in with the class that was chosen, and with what its hands do now.
    let touched = false;
    const lock = (name, hand = "") => {
      const form = lockForm, own = rows.filter((row) => (hand ? row.dataset.hand === hand : !name || row.dataset.class === name));
      if (!form || !own.length) return;
      one("#lock-hands").value = name; touched = Boolean(name);
      all("[name^=share]", form).forEach((field, k) => {
        let total = 0, taken = 0;
        for (const row of own) { const weight = Number(row.cells[1].dataset.v); total += weight; taken += weight * Number(row.cells[4 + k].dataset.v); }
        field.value = String(Math.round(10000 * taken / total) / 100);
      });
    };
    if (lockForm) {
      const shares = () => all("[name^=share]", lockForm), list = one(".lock-list", lockForm);
      lockForm.addEventListener("input", () => { touched = true; });
      lockForm.addEventListener("click", (event) => {
        const always = event.target.closest("[data-always]"), add = event.target.closest("[data-add]"), gone = event.target.closest("[data-gone]");
        if (always) { touched = true; shares().forEach((field, k) => { field.value = k === Number(always.dataset.always) ? "100" : "0"; }); }
        if (gone) gone.closest("li").remove();
        if (!add) return;
        const given = shares().map((field) => Number(field.value.replace("%", "")) || 0), total = given.reduce((a, b) => a + b, 0);
        if (!total || given.some((share) => share < 0)) return;
        const words = add.dataset.add.split(" ").map((token, k) => [token, given[k] / total]).filter((pair) => pair[1] > 0).map((pair) => `${pair[0]}=${Number(pair[1].toFixed(6))}`);
        const hands = one("#lock-hands").value.trim(), text = `${one("[name=line]", lockForm).value}:${hands ? ` ${hands}:` : ""} ${words.join(" ")}`;
        const item = document.createElement("li"), code = document.createElement("code"), field = document.createElement("input"), away = document.createElement("button");
        code.textContent = text; field.type = "hidden"; field.name = "lock"; field.value = text;
        away.type = "button"; away.className = "plain"; away.dataset.gone = ""; away.textContent = "Leave it out";
        item.append(code, " ", away, field); list.append(item);
        one("#lock-hands").value = ""; touched = false;
      });
      lockForm.addEventListener("submit", () => { // what is only filled in is no lock, where some are listed
        if (list.children.length && !touched) for (const field of [...shares(), one("#lock-hands")]) field.disabled = true;
      });
    }
    const keep = (name) => {
      kept = kept === name ? "" : name;
      for (const cell of all(".left .cell")) cell.setAttribute("aria-pressed", String(cell.dataset.class === kept));
      show(kept || name);
      lock(kept);
    };
    const grid = one(".left .grid13");
    grid.addEventListener("pointerover", (event) => { const cell = event.target.closest(".cell"); if (cell && !kept && event.pointerType === "mouse") show(cell.dataset.class); });
    grid.addEventListener("focusin", (event) => { if (!kept) show(event.target.dataset.class); });
    grid.addEventListener("click", (event) => { const cell = event.target.closest(".cell"); if (cell) keep(cell.dataset.class); });
  }
  for (const sorted of all("table.sorted")) {
    const heads = all("thead th", sorted);
    const body = sorted.tBodies[0], first = [...body.rows];
    heads.forEach((head, column) => one("button", head)?.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => { const cell = row.cells[column]; return cell.dataset.v !== undefined ? Number(cell.dataset.v) : column ? cell.textContent : first.length - first.indexOf(row); };
      const order = (a, b) => (typeof a === "number" ? a - b : a.localeCompare(b));
      body.append(...[...body.rows].map((row) => [key(row), row]).sort((a, b) => (down ? order(b[0], a[0]) : order(a[0], b[0]))).map((pair) => pair[1]));
    }));
  }

  for (const field of all("[data-filter]")) field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of one(`#${field.dataset.filter}`).tBodies[0].rows) { const text = `${row.textContent} ${row.dataset.text || ""}`.toLowerCase(); row.hidden = !words.every((word) => text.includes(word)); }
  });

  // -- a room's hands: the file goes as it is
  const hands = one("#hands-form");
  if (hands) hands.addEventListener("submit", async (event) => {
    event.preventDefault();
    const file = one("[name=file]", hands).files[0], wrong = one(".problem", hands), button = one("button", hands);
    if (!file) return;
    const given = new URLSearchParams({ file: file.name, hero: one("[name=hero]", hands).value, recent: one("[name=recent]", hands).checked ? "1" : "" });
    button.disabled = true; wrong.textContent = "";
    try {
      const found = await (await fetch(`${hands.dataset.to}?${given}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file })).json();
      if (found.review) return location.assign(found.review);
      wrong.textContent = found.wrong;
    } catch { wrong.textContent = "The file could not be sent."; }
    button.disabled = false;
  });

  // -- the form
  const form = one("#spot-form");
  if (!form) return;
  const takes = one("#takes");
  let checked = 0;
  const check = later(async () => {
    const number = ++checked;
    const found = await sent(form.dataset.check, new FormData(form)).catch(() => ({ wrong: "" }));
    if (number !== checked) return; // the form says something else by now
    takes.textContent = found.found ? found.found.words : found.wrong; takes.classList.toggle("problem", !found.found);
    if (found.found?.command) one(".command code").textContent = found.found.command;
  }, 350);
  form.addEventListener("input", check);

  const board = one("[name=board]", form) || document.createElement("input"), deck = all(".deck [data-card]", form);
  const cards = () => (board.value.match(/(10|[2-9TJQKA])[cdhs]/gi) || []).map((card) => card.replace("10", "T").slice(0, -1).toUpperCase() + card.slice(-1).toLowerCase());
  const marked = () => { const held = cards(); for (const button of deck) button.setAttribute("aria-pressed", String(held.includes(button.dataset.card))); };
  for (const button of deck) button.addEventListener("click", () => {
    const held = cards(), card = button.dataset.card;
    board.value = (held.includes(card) ? held.filter((other) => other !== card) : held.length < 5 ? [...held, card] : held).join("");
    marked(); check();
  });
  board.addEventListener("input", marked);
  marked();

  for (const editor of all("[data-editor]", form)) {
    const text = one("textarea", editor), weight = one("[data-weight]", editor), cells = all(".cell", editor), wrong = one("[data-wrong]", editor);
    let held = new Array(169).fill(0), painting = null, asked = 0;
    const fill = (cell, share) => {
      const bar = one("rect", cell);
      bar.setAttribute("y", 100 - 100 * share); bar.setAttribute("height", 100 * share);
      cell.classList.toggle("full", share > 0.55);
      cell.setAttribute("aria-label", `${cell.dataset.class}: weight ${Math.round(100 * share)} %`);
    };
    // The server reads ranges, and writes them: a part behind others replaces what they say of the same hands.
    const read = async (wanted, normal) => {
      const number = ++asked, found = await sent(form.dataset.range, { range: wanted }).catch(() => ({ wrong: "The range cannot be read now." }));
      if (number !== asked) return;
      wrong.textContent = found.wrong || "";
      if (!found.found) return;
      held = found.found.weights;
      if (normal) text.value = found.found.text;
      one("[data-count]", editor).textContent = `${found.found.count} hands`;
      cells.forEach((cell, k) => fill(cell, held[k]));
      check();
    };
    const put = (wanted, normal) => { text.value = wanted; read(wanted, normal); };
    const typed = later(() => read(text.value, false), 300);
    text.addEventListener("input", typed);
    weight.addEventListener("input", (event) => { one("output", editor).textContent = `${weight.value} %`; event.stopPropagation(); });
    for (const button of all("[data-put]", editor)) button.addEventListener("click", () => put(button.dataset.put, false));

    one("[data-named]", editor)?.addEventListener("change", (event) => { if (event.target.value) put(event.target.value, false); });

    const paint = (cell) => {
      const k = cells.indexOf(cell);
      if (k < 0 || painting.done.has(k)) return;
      painting.done.add(k); held[k] = painting.share; fill(cell, painting.share);
    };
    const begin = (cell) => {
      const share = weight.value / 100, now = held[cells.indexOf(cell)];
      painting = { done: new Set(), share: Math.abs(now - share) < 0.005 ? 0 : share };
      paint(cell);
    };
    const end = () => {
      if (!painting) return;
      const parts = [...painting.done].map((k) => `${cells[k].dataset.class}:${painting.share}`);
      painting = null;
      if (held.every((share) => share === 0)) return put("", false);
      const before = text.value.trim();
      put((before ? [before, ...parts] : parts).join(","), true);
    };
    const grid = one(".editor", editor);
    grid.addEventListener("pointerdown", (event) => {
      const cell = event.target.closest(".cell");
      if (!cell || event.button) return;
      event.preventDefault(); cell.focus();
      begin(cell);
      try { grid.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone */ }
    });
    grid.addEventListener("pointermove", (event) => { if (painting) { const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(".cell"); if (under) paint(under); } });
    grid.addEventListener("pointerup", end);
    grid.addEventListener("pointercancel", () => { if (painting) { painting = null; read(text.value, false); } }); // a finger that scrolls the page paints nothing
    grid.addEventListener("keydown", (event) => { if ([" ", "Enter"].includes(event.key) && event.target.closest(".cell")) { event.preventDefault(); begin(event.target); end(); } });
    read(text.value, false);
  }
});
