"use strict";
// Everything here only makes comfortable what works without it: dropping files, sorting, keys, following a run.
(() => {
  for (const part of document.querySelectorAll(".scripted")) part.hidden = false;

  const form = document.getElementById("upload");
  if (form) {
    const input = form.querySelector("input[type=file]");
    const chosen = document.getElementById("chosen");
    const say = () => {
      const files = [...input.files];
      if (!files.length) return;
      const size = files.reduce((sum, file) => sum + file.size, 0);
      const names = files.slice(0, 5).map((file) => file.name).join(", ");
      chosen.textContent = `${files.length} file${files.length === 1 ? "" : "s"}, ${(size / 1048576).toFixed(1)} MB: ${names}${files.length > 5 ? ", …" : ""}`;
    };
    input.addEventListener("change", say);
    for (const kind of ["dragenter", "dragover"]) form.addEventListener(kind, (event) => { event.preventDefault(); form.classList.add("over"); });
    for (const kind of ["dragleave", "drop"]) form.addEventListener(kind, () => form.classList.remove("over"));
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer || !event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      say();
    });
  }

  // Segments: arrow keys, or j and k, follow the links to the next and the previous one.
  const reading = document.getElementById("reading");
  if (reading) {
    const ways = { ArrowRight: "next", j: "next", ArrowLeft: "prev", k: "prev" };
    document.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.defaultPrevented) return;
      if (event.target.closest("input, select, textarea, .scroll")) return;
      const link = ways[event.key] && reading.querySelector(`a[rel=${ways[event.key]}]`);
      if (!link) return;
      event.preventDefault();
      window.location.assign(link.href);
    });
    const list = document.querySelector(".reader .list"), here = list && list.querySelector("tr.here");
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
  }

  // Tables: a click on a heading sorts by its column, by number where cells have one.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0], headings = [...table.tHead.rows[0].cells];
    const key = (row, column) => {
      const cell = row.cells[column], choice = cell.querySelector("select");
      const text = choice ? choice.selectedOptions[0].textContent : cell.textContent.trim();
      const number = cell.dataset.v !== undefined ? Number(cell.dataset.v) : Number(text.replace(/,/g, "").replace("−", "-"));
      return text !== "" && !Number.isNaN(number) ? number : text;
    };
    const compared = (x, y) => typeof x === "number" && typeof y === "number" ? x - y
      : typeof x === typeof y ? x.localeCompare(y, "en", { numeric: true }) : typeof x === "number" ? -1 : 1;
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") === "ascending";
        for (const other of headings) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = [...body.rows].map((row) => [key(row, column), row]);
        rows.sort(([x], [y]) => down ? compared(y, x) : compared(x, y));
        body.append(...rows.map(([, row]) => row));
      });
    });
  }

  const progress = document.getElementById("progress");
  if (progress) {
    const label = document.getElementById("label");
    const bar = document.getElementById("bar");
    const source = new EventSource(progress.dataset.events);
    const reload = () => { source.close(); window.location.reload(); };
    source.addEventListener("progress", (event) => {
      const now = JSON.parse(event.data);
      if (!now.on_the_way) { reload(); return; }
      const text = now.total ? `${now.label}, ${now.done} of ${now.total}` : now.label;
      if (label.textContent !== text) label.textContent = text;
      if (now.total) { bar.max = now.total; bar.value = now.done; } else bar.removeAttribute("value");
    });
    // The server was restarted or has too many listeners: ask again by loading the page.
    source.addEventListener("error", () => { source.close(); setTimeout(reload, 2000); });
  }
})();
