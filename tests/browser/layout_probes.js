/* What a reader would call a fault of the layout; each function returns descriptions of what it finds. */
({
overflowing: () => {
  const found = [], shown = node => node.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
  const scrolls = node => { for (let up = node; up; up = up.parentElement) {
    const kind = getComputedStyle(up).overflowX; if (kind === "auto" || kind === "scroll") return true; } return false; };
  const name = node => `${node.tagName}.${node.className.baseVal ?? node.className} "${node.textContent.slice(0, 40)}"`;
  if (document.documentElement.scrollWidth > innerWidth) found.push(`page ${document.documentElement.scrollWidth}`);
  for (const node of document.querySelectorAll("body *:not(script):not(style):not(svg *)")) {
    if (!shown(node) || node.closest(".unseen,caption,.skip,.pick")) continue;
    const box = node.getBoundingClientRect();
    if (!scrolls(node) && box.width && box.right > innerWidth + 1) found.push(`beyond the window: ${name(node)}`);
    const style = getComputedStyle(node);
    if (style.overflowX === "hidden" && node.scrollWidth > node.clientWidth + 1) found.push(`clipped: ${name(node)}`);
    if (style.overflowY === "hidden" && node.scrollHeight > node.clientHeight + 1) found.push(`cut: ${name(node)}`);
    if (style.display !== "inline" && style.overflowX === "visible" && node.clientWidth && node.scrollWidth > node.clientWidth + 2
        && !node.matches("table,thead,tbody,tr,svg,select,option") && !scrolls(node)) found.push(`wider than its box: ${name(node)}`);
  }
  return found.slice(0, 12);
},
overlapping: () => {
  const found = [];
  for (const svg of document.querySelectorAll("svg:not(.strip)")) {
    if (!svg.checkVisibility()) continue;
    const frame = svg.getBoundingClientRect();
    const labels = [...svg.querySelectorAll("text")].filter(node => node.checkVisibility()).map(node => [node.textContent, node.getBoundingClientRect()]);
    labels.forEach(([text, a], i) => {
      if (a.left < frame.left - 2 || a.right > frame.right + 2 || a.top < frame.top - 2 || a.bottom > frame.bottom + 2)
        found.push(`"${text}" leaves its picture`);
      for (const [other, b] of labels.slice(i + 1))
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3)
          found.push(`"${text}" and "${other}"`);
    });
  }
  return found.slice(0, 12);
},
pale: () => {
  const pen = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d", {willReadFrequently: true});
  const known = new Map();
  const rgba = color => {
    if (!known.has(color)) { pen.clearRect(0, 0, 1, 1); pen.fillStyle = color; pen.fillRect(0, 0, 1, 1); known.set(color, [...pen.getImageData(0, 0, 1, 1).data]); }
    return known.get(color);
  };
  const light = ([r, g, b]) => { const [x, y, z] = [r, g, b].map(c => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * x + 0.7152 * y + 0.0722 * z; };
  const ground = node => { for (let up = node; up; up = up.parentElement) { const color = rgba(getComputedStyle(up).backgroundColor); if (color[3] > 250) return color; } return [255, 255, 255, 255]; };
  const worst = new Map();
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let seen = 0;
  while (nodes.nextNode()) {
    const node = nodes.currentNode.parentElement;
    if (!nodes.currentNode.data.trim() || node.closest("script,style,title,noscript,.unseen,.skip,caption,[disabled]") || !node.checkVisibility()) continue;
    const style = getComputedStyle(node), text = rgba(node.namespaceURI.endsWith("svg") ? style.fill : style.color), behind = ground(node);
    const key = `${text} ${behind}`;
    if (worst.has(key)) continue;
    seen++;
    const [a, b] = [light(text), light(behind)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
    worst.set(key, [ratio, `${ratio.toFixed(2)} ${node.tagName}.${node.className.baseVal ?? node.className} "${nodes.currentNode.data.trim().slice(0, 30)}"`]);
  }
  return [seen, [...worst.values()].filter(([ratio]) => ratio < 4.5).map(([, words]) => words)];
}
})
