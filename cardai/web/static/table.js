"use strict";
// A table's page: shows what the server draws, and says what keys, clicks and touches mean. Which action is legal, the server knows.
document.addEventListener("DOMContentLoaded", () => {
  const part = (id) => document.getElementById(id);
  const table = part("table"), typed = part("typed"), line = typed.querySelector("input");
  const SUITS = "cdhs", RANKS = { 0: "T", 1: "T", t: "T", j: "J", q: "Q", k: "K", a: "A" };
  let socket, at = 0, mine = false, over = false, waiting = true, pending = "", refused = "", retry = 500, adviser = "", confirmed = () => {};

  // -- the wire --
  const connect = () => {
    socket = new WebSocket(location.origin.replace(/^http/, "ws") + table.dataset.socket);
    socket.addEventListener("open", () => { refused = ""; look(); });
    socket.addEventListener("message", (event) => heard(JSON.parse(event.data)));
    socket.addEventListener("close", () => {
      say(refused ? `${refused} This page tries again.` : "The connection is lost. Your match is kept; this page tries again.");
      setTimeout(connect, retry = Math.min(retry * 2, 10000));
    });
  };
  const tell = (does, more) => { if (socket.readyState === 1) socket.send(JSON.stringify({ does, at, ...more })); };
  const look = () => tell("look", { big_blinds: settings.get("amounts") === "blinds", coach: { after: "after", now: "now" }[settings.get("coach")] || "" });
  document.addEventListener("settings", look);
  const write = (words) => { part("said").textContent = words; };
  const say = (words) => { write(words); part("live").textContent = words; };

  const heard = (message) => {
    if (message.kind === "scene") { retry = 500; show(message); }
    else if (message.kind === "refused") refused = message.words;
    else if (message.kind === "work") work(message);
    else if (message.kind === "said") { say(message.words); busy(false); }
    else if (message.kind === "failed") { say(message.words); part("felt").replaceChildren(); }
    else if (message.kind === "advice") advice(message);
  };

  const work = ({ words, done, total, seconds }) => {
    const bar = part("waiting-bar");
    if (!bar) { write(words + " …"); return; }
    part("waiting-words").textContent = words;
    if (total) { bar.max = total; bar.value = done; } else bar.removeAttribute("value");
    part("waiting-time").textContent = `${seconds} s so far. The first time takes up to a minute; then all is kept.`;
  };

  // -- showing --
  const moving = () => settings.get("motion") === "on" && !matchMedia("(prefers-reduced-motion: reduce)").matches;
  const places = () => new Map([...part("felt").querySelectorAll("[data-id]")].map((one) => [one.dataset.id, one.getBoundingClientRect()]));
  const show = (message) => {
    const before = moving() ? places() : null, focused = document.activeElement?.dataset?.key;
    const typing = message.at === at && document.activeElement?.matches?.("form.amount [type=text]") ? document.activeElement.value : null;
    for (const [name, html] of Object.entries(message.parts)) part(name).innerHTML = html;
    if (message.at !== at) part("confirm").close(); // what it asks about is no longer to be decided
    at = message.at; mine = message.mine; over = message.over; waiting = false; pending = "";
    document.body.classList.toggle("mine", mine);
    write(message.said || (over ? "" : "…"));
    part("live").textContent = message.live;
    newest();
    busy(false); sized();
    if (before) move(before);
    const amount = form()?.querySelector("[type=text]");
    if (typing !== null && amount) { amount.value = typing; amount.focus({ preventScroll: true }); amount.dispatchEvent(new Event("input", { bubbles: true })); }
    else if (focused) [...document.querySelectorAll("#actions [data-key]")].find((one) => one.dataset.key === focused)?.focus({ preventScroll: true });
  };
  const move = (before) => {
    const felt = part("felt").getBoundingClientRect();
    for (const one of part("felt").querySelectorAll("[data-id]")) {
      const was = before.get(one.dataset.id), is = one.getBoundingClientRect();
      if (was && Math.hypot(was.x - is.x, was.y - is.y) < 2) continue;
      const from = was ? `translate(${was.x - is.x}px, ${was.y - is.y}px)`
        : `translate(${(felt.x + felt.width / 2 - is.x) / 3}px, ${(felt.y + felt.height / 2 - is.y) / 3}px) scale(.8)`;
      one.animate([{ transform: from, opacity: was ? 1 : 0 }, { transform: "none", opacity: 1 }], { duration: 220, easing: "cubic-bezier(.2,.8,.3,1)" });
    }
  };
  const newest = () => { const log = part("log"); log.scrollTop = log.scrollHeight; };
  addEventListener("resize", newest);
  const busy = (on) => { table.classList.toggle("busy", on); };

  // -- amounts --
  const form = () => document.querySelector("#actions form.amount");
  const written = (total) => {
    const f = form(), blind = +f.dataset.blind, street = total - +f.dataset.offset;
    return blind ? String(+(street / blind).toPrecision(4)) : street.toLocaleString("en");
  };
  const sized = (total) => {
    const f = form();
    if (!f) return;
    const range = f.querySelector("[type=range]"), text = f.querySelector("[type=text]");
    if (total !== undefined) { range.value = total; text.value = written(total).replace(/,/g, ""); }
    f.querySelector("output").textContent = written(+(total ?? range.value)) + (+f.dataset.blind ? " bb" : "");
    f.dataset.total = total ?? range.value;
  };
  const raise = () => {
    const f = form(), total = +f.dataset.total;
    const go = () => act(total);
    if (total && total === +f.dataset.top) ask(`All-in, ${written(total)}${+f.dataset.blind ? " bb" : ""}?`, go); else go();
  };

  // -- acting --
  const act = (action) => { busy(true); tell("act", { action }); };
  const ask = (words, go) => { part("confirm-words").textContent = words; confirmed = go; part("confirm").showModal(); part("confirm-yes").focus(); };
  part("confirm-yes").addEventListener("click", () => { part("confirm").close(); confirmed(); });
  const chosen = () => [...part("felt").querySelectorAll(".slot.can[aria-pressed=true]")];
  const several = () => document.querySelector("#actions [data-play]")?.dataset.several === "1";
  const choose = (slot) => {
    const was = slot.getAttribute("aria-pressed") === "true";
    if (was && !several()) return play();
    if (!several()) for (const other of chosen()) other.setAttribute("aria-pressed", "false");
    slot.setAttribute("aria-pressed", String(!was));
    const button = document.querySelector("#actions [data-play]");
    if (!button) return;
    const names = chosen().map((one) => one.getAttribute("aria-label"));
    button.disabled = !names.length && button.dataset.without !== "1";
    if (!several()) button.firstChild.textContent = names.length ? `${button.dataset.verb} the ${names[0]} ` : `${button.dataset.verb} `;
    part("live").textContent = names.length ? `chosen: ${names.join(", ")}` : "nothing chosen";
  };
  const play = () => {
    const button = document.querySelector("#actions [data-play]");
    if (!button || button.disabled) return false;
    busy(true);
    tell("cards", { cards: chosen().map((one) => +one.dataset.card) });
    return true;
  };
  const clicked = (one) => {
    if (one.disabled) return;
    if (one.dataset.next !== undefined) { busy(true); tell("next"); }
    else if (one.dataset.play !== undefined) play();
    else if (one.dataset.size) { sized(+one.dataset.size); form().querySelector("[type=submit]").focus(); }
    else if (one.dataset.adviser) { adviser = one.dataset.adviser; tell("advise", { text: adviser }); }
    else if (one.dataset.advisers !== undefined) tell("advisers");
    else if (one.dataset.card !== undefined) choose(one);
    else if (one.dataset.action !== undefined) {
      const go = () => act(+one.dataset.action);
      if (one.dataset.confirm) ask(one.dataset.confirm, go); else go();
    }
  };
  document.addEventListener("click", (event) => {
    const one = event.target.closest("[data-action], [data-next], [data-play], [data-size], [data-adviser], [data-advisers], .slot.can");
    if (one && !(one.matches(".slot.can") && !mine)) clicked(one);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    if (event.target === typed) { tell("typed", { text: line.value }); line.value = ""; typed.hidden = true; line.blur(); }
    else if (event.target.matches("form.amount")) raise();
  });
  document.addEventListener("input", (event) => {
    const f = event.target.closest("form.amount");
    if (!f) return;
    const range = f.querySelector("[type=range]");
    if (event.target === range) { sized(+range.value); return; }
    const number = parseFloat(event.target.value.replace(/,/g, "")) * (+f.dataset.blind || 1) + +f.dataset.offset;
    if (Number.isFinite(number)) { f.dataset.total = Math.round(number); range.value = number; f.querySelector("output").textContent = written(Math.round(number)) + (+f.dataset.blind ? " bb" : ""); }
  });

  // -- hints --
  const hint = () => { if (!mine) return; if (adviser) tell("advise", { text: adviser }); else tell("advisers"); say("…"); };
  part("hint").addEventListener("click", hint);
  part("coach").addEventListener("click", () => { if (waiting) return; tell("coach"); say("The coach looks at this hand …"); });
  const advice = ({ title, html }) => {
    part("advice-title").textContent = title;
    part("advice-body").innerHTML = html;
    if (!part("advice").open) part("advice").showModal();
    (part("advice-body").querySelector("button, a") || part("advice-title")).focus();
    part("advice").scrollTop = 0; // what cost most is at the top
    part("live").textContent = part("advice").textContent;
    write("");
  };

  // -- keys --
  // behind a dialog that a button of the bar opened, Enter deals the next hand and does not open it again: the button
  // gives the focus away before the dialog opens, since "close" is told a moment after it has come back
  document.addEventListener("click", (event) => event.target.closest(".bar button")?.blur(), true);
  const buttons = () => [...document.querySelectorAll("#actions button, #felt .slot.can, #felt button.pile:not([disabled])")].filter((one) => !one.disabled && one.offsetParent);
  const walk = (step) => {
    const all = buttons(), from = all.indexOf(document.activeElement);
    if (all.length) all[(from < 0 ? (step > 0 ? 0 : all.length - 1) : (from + step + all.length) % all.length)].focus();
  };
  const card = (key) => {
    const slots = [...part("felt").querySelectorAll(".slot.can")].filter((one) => !one.dataset.key);
    if (pending) {
      const found = slots.filter((one) => one.dataset.rank === pending && one.dataset.suit === key.toLowerCase());
      pending = ""; say("");
      if (found.length) { choose(found[0]); found[0].focus(); return true; }
    }
    const rank = RANKS[key] || key, same = slots.filter((one) => one.dataset.rank === rank);
    if (same.length === 1) { choose(same[0]); same[0].focus(); return true; }
    if (same.length) { pending = rank; say(`Which? ${same.map((one) => one.dataset.suit + " " + one.getAttribute("aria-label")).join(", ")}`); return true; }
    return false;
  };
  const keyed = (key) => [...document.querySelectorAll("#actions [data-key], #felt [data-key], .bar [data-key]")].filter((one) => (one.dataset.key === key || one.dataset.also?.includes(key)) && !one.disabled);
  document.addEventListener("keydown", (event) => {
    const dialog = document.querySelector("dialog[open]");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (dialog) {
      const one = [...dialog.querySelectorAll("[data-key]")].find((b) => b.dataset.key === event.key);
      if (one) { one.click(); event.preventDefault(); }
      else if (["Escape", "?", "h", "q"].includes(event.key)) { dialog.close(); event.preventDefault(); }
      return;
    }
    if (document.activeElement?.closest("dialog")) document.activeElement.blur(); // it closed this very moment
    const target = event.target.closest("dialog") ? document.body : event.target;
    const within = target.closest("input, select, textarea");
    if (within) {
      if (event.key === "Escape") { within.blur(); typed.hidden = true; event.preventDefault(); }
      // in an amount letters still mean what they do elsewhere: f folds
      if (!within.closest("form.amount") || !/^[a-zA-Z/?:]$/.test(event.key)) return;
    }
    const key = event.key;
    if (pending && SUITS.includes(key.toLowerCase())) { card(key); event.preventDefault(); }
    else if (key === "Enter") {
      if (target.closest("button, a")) return;
      const one = document.querySelector("#actions [data-next], #actions [data-play]:not([disabled])");
      if (one) { one.click(); event.preventDefault(); }
    } else if (key === "Escape") {
      for (const slot of chosen()) slot.setAttribute("aria-pressed", "false");
      pending = ""; document.activeElement?.blur();
    } else if (key === "ArrowRight" || key === "ArrowLeft") { walk(key === "ArrowRight" ? 1 : -1); event.preventDefault(); }
    else if (key === ":") { typed.hidden = false; line.focus(); event.preventDefault(); }
    else if (key === "?") { part("rules").showModal(); event.preventDefault(); }
    else if (key === "h") { hint(); event.preventDefault(); }
    else if (key === "r" && form()) { const text = form().querySelector("[type=text]"); text.focus(); text.select(); event.preventDefault(); }
    else if (key.length === 1 && key !== " ") {
      const [one, ...others] = keyed(key);
      if (others.length) { // several bets: none is made that was not meant
        const all = [one, ...others], next = all[(all.indexOf(document.activeElement) + 1) % all.length];
        next.focus();
        say(`${key} could be ${all.map((each) => each.firstChild.textContent.trim()).join(", ")}: Enter takes the one that is marked.`);
        event.preventDefault();
      } else if (one) { one.click(); event.preventDefault(); }
      else if (!card(key) && mine) say(`${key} means nothing here: ? tells the keys.`);
    }
  });
  connect();
});
