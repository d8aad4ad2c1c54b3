"use strict";
// What a person chose, on every page: kept in this browser alone.
(() => {
  const usual = { theme: "auto", suits: "two", motion: "on", amounts: "chips", coach: "asked" };
  const get = (name) => { try { return localStorage.getItem("cardai-" + name) || usual[name]; } catch { return usual[name]; } };
  const apply = () => { for (const name in usual) document.documentElement.dataset[name] = get(name); };
  apply();
  window.settings = { get };
  document.addEventListener("DOMContentLoaded", () => {
    for (const select of document.querySelectorAll("[data-setting]")) {
      select.value = get(select.dataset.setting);
      select.addEventListener("change", () => {
        try { localStorage.setItem("cardai-" + select.dataset.setting, select.value); } catch { /* a browser that keeps nothing */ }
        apply();
        document.documentElement.dataset[select.dataset.setting] = select.value;
        document.dispatchEvent(new CustomEvent("settings"));
      });
    }
    document.addEventListener("click", (event) => {
      const target = event.target.closest("[data-open], [data-close]");
      if (!target) return;
      if (target.dataset.open !== undefined) document.getElementById(target.dataset.open).showModal();
      else target.closest("dialog").close();
    });
    const list = document.querySelector(".ladder, .tiles");
    if (list) document.addEventListener("keydown", (event) => {
      if (!["ArrowDown", "ArrowUp"].includes(event.key) || document.querySelector("dialog[open]")) return;
      const all = [...document.querySelectorAll(".surprise button, .ladder button, .tiles a, .kept a")].filter((one) => one.offsetParent);
      const at = all.indexOf(document.activeElement);
      all[(at + (event.key === "ArrowDown" ? 1 : -1) + all.length) % all.length]?.focus();
      event.preventDefault();
    });
  });
})();
