// What a mark of a chart stands for is in its description; the pointer shows it.
const tip = document.createElement("div");
tip.id = "tip";
tip.hidden = true;
tip.setAttribute("aria-hidden", "true"); // screen readers have the description itself
document.body.append(tip);

const markBelow = (event) =>
  event.target.closest && event.target.closest("figure.plot [role=graphics-symbol][aria-label]");

const place = (event) => {
  const gap = 14;
  const left = Math.min(event.clientX + gap, innerWidth - tip.offsetWidth - 4);
  const above = event.clientY - tip.offsetHeight - gap;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${above < 4 ? event.clientY + gap : above}px`;
};

const show = (event) => {
  const mark = markBelow(event);
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.getAttribute("aria-label");
  place(event);
};

document.addEventListener("pointerover", show);
document.addEventListener("pointermove", (event) => tip.hidden || place(event));
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
// what is folded is printed too
addEventListener("beforeprint", () => {
  for (const part of document.querySelectorAll("details:not([open])")) {
    part.open = true;
    part.dataset.folded = "";
  }
});
addEventListener("afterprint", () => {
  for (const part of document.querySelectorAll("details[data-folded]")) part.open = false;
});
