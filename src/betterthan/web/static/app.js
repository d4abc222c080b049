"use strict";
// Everything here only makes comfortable what works without it: dropping files, and following a run.
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
