// What the layout tests ask of a page. `part` is a selector of the part that is looked at, or null for all of it.
({
  layout(part) {
    const faults = [], style = (el) => getComputedStyle(el);
    const shown = (el) => {
      const box = el.getBoundingClientRect();
      return box.width > 0 && box.height > 0 && style(el).visibility !== "hidden" && style(el).clipPath === "none";
    };
    const scrolls = (el) => ["auto", "scroll"].includes(style(el).overflowX);
    const isInScroll = (el) => {
      for (let up = el.parentElement; up; up = up.parentElement) if (scrolls(up)) return true;
      return false;
    };
    const page = document.documentElement.scrollWidth;
    if (page > innerWidth) faults.push(`the page is ${page} px wide`);
    for (const el of this.elements(part)) {
      if (!shown(el)) continue;
      const box = el.getBoundingClientRect();
      if (!isInScroll(el) && (box.right > innerWidth + 1 || box.left < -1)) faults.push(`outside: ${this.name(el)}`);
      if (!this.hasText(el)) continue;
      const isBox = style(el).display !== "inline" && !["SELECT", "INPUT"].includes(el.tagName) && !scrolls(el);
      if (isBox && el.scrollWidth > el.clientWidth + 1) faults.push(`wider than its box: ${this.name(el)}`);
      const cuts = ["hidden", "clip"].includes(style(el).overflowY);
      if (cuts && el.scrollHeight > el.clientHeight + 1) faults.push(`cut off: ${this.name(el)}`);
    }
    return [...new Set(faults)];
  },

  // The contrast of every text with what is behind it, by WCAG 2.
  contrast(part) {
    const parsed = (text) => {
      const numbers = (text.match(/-?[\d.]+(e-?\d+)?/g) || []).map(Number), alpha = numbers[3] ?? 1;
      const scale = text.startsWith("color(srgb") ? 255 : 1;
      return [...numbers.slice(0, 3).map((x) => x * scale), alpha];
    };
    const over = ([r, g, b, alpha], below) => [r, g, b].map((x, i) => x * alpha + below[i] * (1 - alpha));
    const ground = (el) => {
      const layers = [];
      for (let up = el; up; up = up.parentElement) {
        const color = parsed(getComputedStyle(up).backgroundColor);
        if (color[3] > 0) layers.push(color);
        if (color[3] === 1) break;
      }
      return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
    };
    const light = (rgb) => {
      const [r, g, b] = rgb.map((x) => x / 255).map((x) => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const texts = [...this.elements(part)].filter((el) => this.hasText(el) && el.getClientRects().length && !el.disabled);
    const faults = texts.map((el) => {
      const below = ground(el), text = over(parsed(getComputedStyle(el).color), below);
      const [dark, bright] = [light(text), light(below)].sort((x, y) => x - y);
      return [(bright + 0.05) / (dark + 0.05), el];
    }).filter(([ratio]) => ratio < 4.5);
    return [texts.length, [...new Set(faults.map(([ratio, el]) => `${ratio.toFixed(2)}: ${this.name(el)}`))]];
  },

  elements(part) {
    const all = part ? document.querySelectorAll(`${part}, ${part} *`) : document.body.querySelectorAll("*");
    return [...all].filter((el) => !el.closest("svg, .skip, option, script"));
  },
  hasText: (el) => [...el.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()),
  name: (el) => `${el.tagName.toLowerCase()}.${el.className} "${el.textContent.trim().slice(0, 40)}"`,
})
