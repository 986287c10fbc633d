"use strict";
// Keys click what carries them; without this file every button and link still works.

const FIELDS = "input:not([type=hidden]), textarea, select, [contenteditable]";
const BURST = 500; // ms: a letter so soon after one that is no key belongs to a word
let lastOther = -Infinity; // when a letter that is no key was typed outside of a field
let sent = false; // a form is on its way: nothing more is decided on this page

const fieldOf = (element) => element.closest(FIELDS);
const isTick = (element) => element.matches("input[type=checkbox]");

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    const area = event.target.closest("textarea");
    if (area && event.key === "Enter" && !event.repeat) area.form.requestSubmit();
    return;
  }
  const field = fieldOf(event.target);
  if (field && event.key === "Escape") field.blur();
  if ((field && !isTick(field)) || document.querySelector("dialog[open]")) return;
  if (moveInList(event)) return;
  if (field) return; // a tick box is a field: it takes no key but those of the list
  pressKey(event);
});

function moveInList(event) {
  const rows = [...document.querySelectorAll("#many a.row")];
  if (!rows.length) return false;
  const row = event.target.closest("tr");
  const place = row ? rows.indexOf(row.querySelector("a.row")) : -1;
  if (["j", "k", "ArrowDown", "ArrowUp"].includes(event.key)) {
    const step = event.key === "j" || event.key === "ArrowDown" ? 1 : -1;
    const next = place < 0 ? 0 : Math.min(Math.max(place + step, 0), rows.length - 1);
    rows[next].focus();
  } else if (event.key.toLowerCase() === "x" && place >= 0 && !event.repeat) {
    pick(ticks()[place], !ticks()[place].checked, event.shiftKey);
  } else {
    return false;
  }
  event.preventDefault();
  return true;
}

function pressKey(event) {
  if (event.key === "Enter" && event.target.closest("a, button, summary")) return;
  const target = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (!target) {
    if (event.key.length === 1) lastOther = event.timeStamp;
    return;
  }
  if (fieldOf(target)) {
    event.preventDefault();
    target.focus();
    if (target.select) target.select();
    return;
  }
  const inWord = /^[a-z]$/i.test(event.key) && event.timeStamp - lastOther < BURST;
  if (inWord) lastOther = event.timeStamp;
  if (event.repeat || inWord || sent) return;
  event.preventDefault();
  target.click();
}

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-open]");
  if (opener) document.getElementById(opener.dataset.open).showModal();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (sent) event.preventDefault(); // one decision for each page
  sent = true;
});

window.addEventListener("pageshow", () => {
  sent = false;
  showPicked();
});

// ------------------------------------------------------------------- selecting many in the queue

const ticks = () => [...document.querySelectorAll("#many input[name=pick]")];
const pickAll = document.querySelector("[data-pick-all]");
const pickPage = document.querySelector("[data-pick-page]");
let lastTick = null; // where a range begins

function pick(tick, checked, isRange) {
  const all = ticks();
  const from = isRange && lastTick ? all.indexOf(lastTick) : all.indexOf(tick);
  const to = all.indexOf(tick);
  for (const own of all.slice(Math.min(from, to), Math.max(from, to) + 1)) own.checked = checked;
  lastTick = tick;
  showPicked();
}

function showPicked() {
  const all = ticks();
  if (!all.length) return;
  const onPage = all.filter((tick) => tick.checked).length;
  const isAll = Boolean(pickAll && pickAll.checked);
  const number = isAll ? Number(pickAll.dataset.pickAll) : onPage;
  const words = number ? `${number.toLocaleString("en")} selected` : "";
  document.querySelector("[data-picked]").textContent = words;
  for (const button of document.querySelectorAll("[data-needs-pick]")) button.disabled = !number;
  pickPage.checked = onPage === all.length;
  pickPage.indeterminate = onPage > 0 && onPage < all.length;
  for (const tick of all) tick.closest("tr").classList.toggle("chosen", isAll || tick.checked);
}

for (const part of document.querySelectorAll("[data-scripted]")) part.hidden = false;

document.addEventListener("click", (event) => {
  if (event.target.matches("#many input[name=pick]")) {
    pick(event.target, event.target.checked, event.shiftKey);
  }
});

document.addEventListener("change", (event) => {
  const changed = event.target;
  if (changed.matches("select[data-submit]")) changed.form.requestSubmit();
  if (changed === pickPage) for (const tick of ticks()) tick.checked = changed.checked;
  if (changed === pickPage || changed === pickAll) showPicked();
});

showPicked();

// ---------------------------------------------------------------- an alignment at work, followed

const waiting = document.querySelector("[data-poll]");
if (waiting) {
  const part = (name) => waiting.querySelector(`[data-${name}]`);
  const look = async () => {
    try {
      const answer = await fetch(waiting.dataset.poll);
      const status = await answer.json();
      if (status.state !== "running") return location.reload();
      part("percent").value = status.percent;
      part("number").textContent = status.percent;
      part("stage").textContent = status.stage;
      part("seconds").textContent = status.seconds;
    } catch {
      part("stage").textContent = "the app does not answer";
    }
    return setTimeout(look, 500);
  };
  setTimeout(look, 500);
}
