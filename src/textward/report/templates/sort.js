"use strict";
// Each head of a sortable table becomes a button; ties keep their order.
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "descending";
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "ascending" : "descending");
      const key = (row) => row.cells[column].dataset.key;
      const numeric = head.dataset.kind === "number";
      const order = (a, b) => (numeric ? Number(key(a)) - Number(key(b)) : key(a).localeCompare(key(b)));
      const rows = [...table.tBodies[0].rows].sort((a, b) => (down ? order(a, b) : order(b, a)));
      table.tBodies[0].append(...rows);
    });
  });
}
