
"use strict";
// Sorting, filtering and saving. Without it the page is the same, with plain tables.
(() => {
  const all = (selector, root = document) => Array.from(root.querySelectorAll(selector));
  const FEWEST_ROWS = 25;

  // What is sorted and hidden as one: a row; in lists of checks a check with its notes, within its kind.
  function units(table) {
    if (!table.matches(".listed")) return Array.from(table.tBodies, (body) => [body, Array.from(body.rows).filter((row) => !row.matches(".fixed")), null]);
    const parts = [];
    for (const body of table.tBodies) {
      if (body.matches(".fixed") && parts.length) parts.at(-1)[2] = body;
      if (body.matches(".fixed") || !parts.length) parts.push([table, [], null]);
      if (!body.matches(".fixed")) parts.at(-1)[1].push(body);
    }
    return parts;
  }

  const cell = (unit, column) => (unit.rows ? unit.rows[0] : unit).cells[column];
  const key = (unit, column) => {
    const found = cell(unit, column);
    return found ? (found.dataset.v ?? found.textContent).trim() : "";
  };

  function order(table, column, down) {
    for (const [parent, items, next] of units(table)) {
      const keys = new Map(items.map((unit) => [unit, key(unit, column)]));
      const isNumber = (unit) => !Number.isNaN(parseFloat(keys.get(unit)));
      const numeric = items.filter(isNumber).length > items.length / 2 &&
        items.some((unit) => cell(unit, column)?.matches(".number"));
      items.sort((a, b) => {
        if (numeric && isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1;
        const gap = numeric ? parseFloat(keys.get(a)) - parseFloat(keys.get(b)) || 0
          : keys.get(a).localeCompare(keys.get(b), "en", { numeric: true });
        return down ? -gap : gap;
      });
      for (const unit of items) parent.insertBefore(unit, next);
    }
  }

  function sortable(table) {
    const heads = Array.from(table.tHead.rows[0].cells);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        order(table, column, down);
      });
    });
  }

  function filterable(table) {
    const box = table.closest(".scroll");
    const tools = document.createElement("div");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const said = document.createElement("output");
    tools.className = "tools";
    input.type = "search";
    input.setAttribute("aria-label", `Filter: ${box.getAttribute("aria-label")}`);
    label.append("Filter ", input);
    tools.append(label, said);
    box.before(tools);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0, total = 0;
      for (const [, items] of units(table)) {
        for (const unit of items) {
          const text = unit.textContent.toLowerCase();
          unit.hidden = !words.every((word) => text.includes(word));
          shown += !unit.hidden;
          total += 1;
        }
      }
      said.textContent = words.length ? `${shown} of ${total}` : "";
    });
  }

  function save(name, type, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  function savable(place) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Figure as SVG";
    button.addEventListener("click", () => {
      const drawn = place.closest("figure").querySelector("svg");
      save(`${place.dataset.name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(drawn));
    });
    place.prepend(button);
  }

  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.matches("details")) target.open = true;
  }

  for (const table of all("table:not(.plain)")) {
    sortable(table);
    if (units(table).reduce((sum, [, items]) => sum + items.length, 0) >= FEWEST_ROWS) filterable(table);
  }
  all(".take").forEach(savable);
  // Browsers leave buttons out where they repeat the heads of tables on paper.
  addEventListener("beforeprint", () => all("th button").forEach((one) => one.replaceWith(...one.childNodes)));
  addEventListener("afterprint", () => all("table:not(.plain)").forEach(sortable));
  addEventListener("hashchange", reveal);
  reveal();
})();
