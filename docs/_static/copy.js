// A "Copy" button on every code block. Copies what can be run: prompts and outputs are left out.
(() => {
  const commands = (text) => {
    const lines = text.replace(/\n$/, "").split("\n");
    if (lines.some((line) => line.startsWith(">>> "))) {
      return lines.filter((line) => /^(>>>|\.\.\.)( |$)/.test(line)).map((line) => line.slice(4)).join("\n");
    }
    if (lines[0].startsWith("$ ")) {
      const kept = [];
      let goesOn = false;
      for (const line of lines) {
        if (line.startsWith("$ ") || goesOn) {
          kept.push(line.replace(/^\$ /, ""));
          goesOn = line.endsWith("\\");
        }
      }
      return kept.join("\n");
    }
    return lines.join("\n");
  };

  const copy = async (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    // Pages opened from a file have no clipboard in some browsers.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const block of document.querySelectorAll("div.highlight")) {
      const pre = block.querySelector("pre");
      if (!pre) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.setAttribute("aria-label", "Copy code");
      button.addEventListener("click", async () => {
        try {
          await copy(commands(pre.textContent));
          button.textContent = "Copied";
        } catch {
          button.textContent = "Not copied";
        }
        setTimeout(() => { button.textContent = "Copy"; }, 1500);
      });
      block.append(button);
    }
  });
})();
