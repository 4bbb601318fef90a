"use strict";
document.documentElement.classList.add("drawn");
for (const box of document.querySelectorAll("[data-figure]")) {
  const figure = JSON.parse(document.getElementById(box.dataset.figure).textContent);
  Plotly.newPlot(box, figure.data, figure.layout, { responsive: true, displayModeBar: false });
}
// Paper has another width than the window.
const redraw = () => document.querySelectorAll("[data-figure]").forEach((box) => Plotly.Plots.resize(box));
addEventListener("beforeprint", redraw);
addEventListener("afterprint", redraw);
