"use strict";
// Keys click what carries them; without this file every button and link still works.

const typing = (element) => element.closest("input:not([type=hidden]), textarea, select");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    const area = event.target.closest("textarea");
    if (area && event.key === "Enter") area.form.requestSubmit();
    return;
  }
  const field = typing(event.target);
  if (field) {
    if (event.key === "Escape") field.blur();
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const rows = [...document.querySelectorAll("a.row")];
  if (rows.length && ["j", "k", "ArrowDown", "ArrowUp"].includes(event.key)) {
    const step = event.key === "j" || event.key === "ArrowDown" ? 1 : -1;
    const place = rows.indexOf(document.activeElement);
    const next = place < 0 ? 0 : Math.min(Math.max(place + step, 0), rows.length - 1);
    rows[next].focus();
    event.preventDefault();
    return;
  }
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (typing(target)) {
    target.focus();
    if (target.select) target.select();
  } else {
    target.click();
  }
});

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) document.getElementById(opener.dataset.open).showModal();
});

document.addEventListener("change", (event) => {
  if (event.target.matches("select[data-submit]")) event.target.form.requestSubmit();
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault(); // a key held down decides once
  form.dataset.sent = "yes";
});

window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});

const waiting = document.querySelector("[data-poll]");
if (waiting) {
  const look = async () => {
    const answer = await fetch(waiting.dataset.poll);
    const status = await answer.json();
    if (status.state !== "running") return location.reload();
    waiting.querySelector("[data-stage]").textContent = status.stage;
    waiting.querySelector("[data-seconds]").textContent = status.seconds;
    return setTimeout(look, 500);
  };
  setTimeout(look, 500);
}
