// The picture in the page stays until its chart is drawn, and wherever it cannot be.
const settings = {
  mode: "vega-lite",
  renderer: "svg", // colours are variables of the page, so that light and dark need no second drawing
  ast: true, // expressions are interpreted, never made into code
  actions: false,
  defaultStyle: false,
  tooltip: { disableDefaultStyle: true },
};

const draw = async (figure) => {
  const specification = JSON.parse(figure.querySelector("script").textContent);
  // a narrow page gets a narrower chart, not a smaller one; the axes need some room beside it
  specification.width = Math.min(specification.width, figure.clientWidth - 60);
  const place = document.createElement("div");
  place.className = "chart";
  await vegaEmbed(place, specification, settings);
  figure.querySelector(".chart").replaceWith(place);
};

const all = [...document.querySelectorAll("figure.plot")].map(draw);
Promise.allSettled(all).then((ends) => {
  for (const end of ends) if (end.reason) console.error(end.reason);
  document.documentElement.dataset.charts = ends.every((end) => !end.reason) ? "drawn" : "failed";
});
