"use strict";
(() => {
  const one = (selector, from = document) => from.querySelector(selector);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const make = (name, attributes = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const draw = (name, attributes = {}, ...children) => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes))
      node.setAttribute(key, typeof value === "number" ? value.toFixed(1) : value);
    node.append(...children);
    return node;
  };
  const payload = JSON.parse(one("#payload").textContent);
  all(".scripted").forEach(node => { node.hidden = false; });

  // Copy whatever stands in a frame of code.
  all(".copies pre, .code pre").forEach(frame => {
    const button = make("button", {type: "button", class: "copy"}, "Copy");
    button.addEventListener("click", async () => {
      let done = true;
      try { await navigator.clipboard.writeText(frame.textContent); }
      catch { getSelection().selectAllChildren(frame); done = document.execCommand("copy"); }
      button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
    });
    frame.after(button);
  });

  // Sort a table by a column; numbers by their value and not by how they are written.
  all("table.data").forEach(table => {
    all("thead th:not(.marks)", table).forEach((head, column) => {
      const button = make("button", {type: "button"}, head.textContent);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("th", table).forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows].map(row => {
          const cell = row.cells[column];
          return [cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v), row];
        });
        rows.sort(([a], [b]) => {
          const order = typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, {numeric: true});
          return down ? -order : order;
        });
        body.append(...rows.map(([, row]) => row));
        all("tr.rule", table).forEach(row => row.classList.remove("rule"));
      });
    });
  });
  const contains = (node, words) => node.textContent.toLowerCase().includes(words.toLowerCase());
  all("[data-filter]").forEach(field => field.addEventListener("input", () => {
    all("tbody tr", document.getElementById(field.dataset.filter)).forEach(row => { row.hidden = !contains(row, field.value); });
  }));
  all(".segments").forEach(list => {
    const reason = one("[data-reason]", list), words = one("[data-segment-filter]", list);
    const apply = () => all("li", list).forEach(row => {
      const fits = !reason.value || row.dataset.why.split(" ").includes(reason.value);
      row.hidden = !(fits && contains(row, words.value));
    });
    reason.addEventListener("input", apply);
    words.addEventListener("input", apply);
  });

  // Downloads: the results as JSON, each of them as CSV.
  const save = (name, type, text) => {
    const link = make("a", {download: name, href: URL.createObjectURL(new Blob([text], {type}))});
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  all("[data-download]").forEach(button => button.addEventListener("click", () => {
    const name = button.dataset.download;
    if (name === "json") save("results.json", "application/json", one("#results").textContent);
    else save(`${name}.csv`, "text/csv", payload.csv[name]);
  }));

  // Which section is being read.
  const marks = new Map(all("nav a").map(link => [link.getAttribute("href").slice(1), link]));
  const seen = new IntersectionObserver(entries => entries.forEach(entry => {
    const link = marks.get(entry.target.id);
    if (link) link.classList.toggle("here", entry.isIntersecting);
  }), {rootMargin: "-20% 0px -70% 0px"});
  all("main > section").forEach(section => seen.observe(section));

  if (!payload.scores) return;

  // Scores are sixteen-bit steps between the smallest and the largest; the last step is a missing one.
  const {systems, segments, low, step, higher, unit, digits} = payload.scores;
  const unpacked = text => new DataView(Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer);
  const view = unpacked(payload.scores.values);
  const n = segments.length;
  const score = (system, segment) => {
    const at = view.getUint16(2 * (system * n + segment), true);
    return at === 65535 ? NaN : low + at * step;
  };
  // Effects and p-values are matrices of four-byte numbers, row after row.
  const matrix = text => { const held = unpacked(text); return (a, b) => held.getFloat32(4 * (a * systems.length + b), true); };
  const tests = payload.tests.map(test => ({...test, effect: matrix(test.effect), p: matrix(test.p), adjusted: matrix(test.adjusted)}));
  const number = (value, decimals = digits) => Number.isFinite(value) ? value.toFixed(decimals).replace("-", "−") : "–";
  const probability = p => Number.isNaN(p) ? "–" : p < 0.0001 ? "<0.0001" : p.toFixed(4);
  const scale = (from, to, start, end) => value => start + (value - from) / ((to - from) || 1) * (end - start);
  const short = (name, most = 24) => name.length <= most ? name : name.slice(0, most - 1) + "…";
  const rounds = (from, to, most) => {
    const power = 10 ** Math.floor(Math.log10((to - from) / most));
    for (const size of [1, 2, 5, 10, 20, 50]) {
      const first = Math.ceil(from / (size * power) - 1e-9), last = Math.floor(to / (size * power) + 1e-9);
      if (last - first + 1 <= most) return Array.from({length: last - first + 1}, (_, k) => Number(((first + k) * size * power).toPrecision(12)));
    }
    return [];
  };
  const median = values => { const s = [...values].sort((a, b) => a - b), h = s.length >> 1; return s.length % 2 ? s[h] : (s[h - 1] + s[h]) / 2; };
  const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;
  const text = (words, attributes) => draw("text", attributes, words);
  const picture = (width, height, title, kind) => {
    const node = draw("svg", {viewBox: `0 0 ${width} ${height}`, width: String(width), class: `picture ${kind}`, role: "img"});
    node.append(draw("title", {}, title));
    return node;
  };

  const paired = (a, b) => {
    const found = [];
    for (let s = 0; s < n; s++) {
      const first = score(a, s), second = score(b, s);
      if (!Number.isNaN(first) && !Number.isNaN(second)) found.push({s, first, second, gain: higher ? first - second : second - first});
    }
    return found;
  };

  const scatter = (a, b, found) => {
    const side = 360, left = 58, top = 50, margin = 44, end = left + side, floor = top + side, bins = 40;
    let from = Math.min(...found.map(p => Math.min(p.first, p.second))), to = Math.max(...found.map(p => Math.max(p.first, p.second)));
    const room = 0.04 * (to - from) || 0.5; from -= room; to += room;
    const x = scale(from, to, left, end), y = scale(from, to, floor, top);
    const svg = picture(end + margin + 8, floor + 44, `Scores of ${systems[a]} (up) against ${systems[b]} (right)`, "scatter");
    const above = found.filter(p => p.first > p.second).length, below = found.filter(p => p.first < p.second).length;
    if (above !== below) svg.append(draw("path", {class: "half", d: `M${left} ${floor}L${end} ${top}L${above > below ? `${left} ${top}` : `${end} ${floor}`}Z`}));
    svg.append(draw("rect", {class: "frame", x: left, y: top, width: side, height: side}), draw("path", {class: "diagonal", d: `M${left} ${floor}L${end} ${top}`}));
    for (const value of rounds(from, to, 6)) svg.append(
      text(String(value).replace("-", "−"), {x: x(value), y: floor + 16, class: "tick", "text-anchor": "middle"}),
      text(String(value).replace("-", "−"), {x: left - 7, y: y(value) + 4, class: "tick", "text-anchor": "end"}));
    svg.append(text(`${short(systems[b])} (${short(unit, 18)})`, {x: left + side / 2, y: floor + 36, class: "label", "text-anchor": "middle"}),
      text(`${short(systems[a])} (${short(unit, 18)})`, {transform: `translate(14 ${top + side / 2}) rotate(-90)`, class: "label", "text-anchor": "middle"}));
    const points = draw("g", {class: "points"}), places = new Map();
    for (const p of found) { const key = `${p.second} ${p.first}`; places.set(key, [...(places.get(key) || []), p]); }
    if (places.size <= 1000) {
      const most = Math.max(...[...places.values()].map(list => list.length));
      for (const list of places.values()) {
        const dot = draw("circle", {cx: x(list[0].second), cy: y(list[0].first), r: 2.2 + 5.8 * Math.sqrt((list.length - 1) / Math.max(most - 1, 1))});
        dot.found = list; points.append(dot);
      }
    } else {
      const cells = new Map(), cell = value => Math.min(bins - 1, Math.floor((value - from) / (to - from) * bins));
      for (const p of found) { const key = cell(p.second) * bins + cell(p.first); cells.set(key, [...(cells.get(key) || []), p]); }
      const most = Math.max(...[...cells.values()].map(list => list.length)), width = side / bins;
      for (const [key, list] of cells) {
        const rect = draw("rect", {x: left + Math.floor(key / bins) * width, y: floor - (key % bins + 1) * width, width, height: width, opacity: (0.12 + 0.88 * Math.sqrt(list.length / most)).toFixed(2)});
        rect.found = list; points.append(rect);
      }
    }
    svg.append(points);
    for (const [kind, of] of [["mean", mean], ["median", median]]) {
      const across = x(of(found.map(p => p.second))), up = y(of(found.map(p => p.first)));
      svg.append(draw("path", {class: kind, d: `M${across.toFixed(1)} ${top - margin}V${floor}M${left} ${up.toFixed(1)}H${end + margin}`}));
    }
    const bars = draw("g", {class: "margin"}), width = side / bins;
    for (const [key, upright] of [["second", true], ["first", false]]) {
      const counts = new Array(bins).fill(0);
      for (const p of found) counts[Math.min(bins - 1, Math.floor((p[key] - from) / (to - from) * bins))]++;
      const most = Math.max(...counts);
      counts.forEach((count, i) => {
        const size = (margin - 6) * count / most;
        if (count) bars.append(upright ? draw("rect", {x: left + i * width, y: top - 4 - size, width: width - 0.6, height: size})
          : draw("rect", {x: end + 4, y: floor - (i + 1) * width, width: size, height: width - 0.6}));
      });
    }
    const better = higher ? [a, b] : [b, a];
    svg.append(bars, text(`${short(systems[better[0]])} better`, {x: left + 8, y: top + 18, class: "corner"}),
      text(`${short(systems[better[1]])} better`, {x: end - 8, y: floor - 10, class: "corner", "text-anchor": "end"}));
    return svg;
  };

  const histogram = (a, found) => {
    const width = 420, height = 210, floor = height - 44, gains = found.map(p => p.gain);
    const span = Math.max(...gains, 0) - Math.min(...gains, 0);
    let size = 1;
    if (span > 0) { const power = 10 ** Math.floor(Math.log10(span / 60)); size = [1, 2, 5, 10].map(s => s * power).find(s => span / s <= 58); }
    const bars = new Map();
    for (const gain of gains) if (gain) { const bar = Math.sign(gain) * Math.ceil(Math.abs(gain) / size - 1e-6); bars.set(bar, (bars.get(bar) || 0) + 1); }
    const tied = gains.filter(gain => gain === 0).length;
    const reach = Math.max(1, ...[...bars.keys()].map(Math.abs)) * size;
    const x = scale(-reach, reach, 20, width - 20), y = scale(0, Math.max(1, tied, ...bars.values()), floor, 18);
    const svg = picture(width, height, `Paired differences of ${systems[a]}`, "bars");
    svg.append(draw("path", {class: "zero", d: `M12 ${floor}H${width - 12}`}));
    for (const [bar, count] of bars) {
      const start = x((bar > 0 ? bar - 1 : bar) * size), end = x((bar > 0 ? bar : bar + 1) * size);
      svg.append(draw("rect", {class: bar > 0 ? "win" : "loss", x: start + 0.4, y: y(count), width: Math.max(end - start - 0.8, 0.8), height: floor - y(count)}));
    }
    if (tied) svg.append(draw("rect", {class: "tie", x: x(0) - 2.5, y: y(tied), width: 5, height: floor - y(tied)}));
    for (const value of rounds(-reach, reach, 7)) svg.append(text(String(value).replace("-", "−"), {x: x(value), y: height - 28, class: "tick", "text-anchor": "middle"}));
    svg.append(draw("path", {class: "mean", d: `M${x(mean(gains)).toFixed(1)} 6V${floor}`}), draw("path", {class: "median", d: `M${x(median(gains)).toFixed(1)} 6V${floor}`}),
      text(`difference in ${short(unit, 18)}; right: ${short(systems[a])} better`, {x: width / 2, y: height - 8, class: "label", "text-anchor": "middle"}));
    return svg;
  };

  // The segments behind a dot, a cell, or a pair.
  const listed = (list, a, b, where) => {
    const shown = list.slice(0, 12).map(p => {
      const known = document.getElementById(`segment-${p.s}`);
      const id = known ? make("a", {class: "id", href: `#segment-${p.s}`}, segments[p.s]) : make("span", {class: "id"}, segments[p.s]);
      const head = make("p", {class: "head"}, id, make("span", {class: "why"}, `${systems[a]} ${number(p.first)}, ${systems[b]} ${number(p.second)}`), make("span", {class: "gap"}, number(p.gain)));
      const row = make("li", {}, head), texts = payload.texts && payload.texts.segments[p.s];
      if (texts) {
        const lines = make("dl", {dir: "auto"});
        const put = (label, words) => { if (words !== null && words !== undefined) lines.append(make("dt", {}, label), make("dd", {dir: "auto"}, words)); };
        payload.texts.labels.forEach((label, i) => { if (i < payload.texts.shared || label === systems[a] || label === systems[b]) put(label, texts[i]); });
        row.append(lines);
      }
      return row;
    });
    const rest = list.length > 12 ? `, of which 12 are shown` : "";
    where.replaceChildren(make("p", {class: "dim"}, `${list.length} segment${list.length === 1 ? "" : "s"}${rest}:`), make("div", {class: "segments"}, make("ol", {}, ...shown)));
  };
  const clickable = (svg, a, b, where) => {
    svg.classList.add("clickable");
    svg.addEventListener("click", event => {
      const dot = event.target;
      if (!dot.found) return;
      all(".hit", svg).forEach(node => node.classList.remove("hit"));
      dot.classList.add("hit");
      listed(dot.found, a, b, where);
    });
  };

  const cells = (head, rows) => make("div", {class: "scroll"}, make("table", {class: "data"},
    make("thead", {}, make("tr", {}, ...head.map((words, i) => make("th", {scope: "col", class: i ? "n" : "l"}, words)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map((words, i) => make("td", {class: i ? "n" : "l"}, words)))))));
  const area = one("#pair-view"), selectA = one("#pair-a"), selectB = one("#pair-b");
  const show = (a, b) => {
    selectA.value = a; selectB.value = b;
    if (a === b) { area.replaceChildren(make("p", {class: "dim"}, "Choose two different systems.")); return; }
    const found = paired(a, b);
    if (!found.length) { area.replaceChildren(make("p", {class: "dim"}, "No segment has a score of both.")); return; }
    const svg = scatter(a, b, found), below = make("div", {"aria-live": "polite"});
    clickable(svg, a, b, below);
    const wins = found.filter(p => p.gain > 0).length, losses = found.filter(p => p.gain < 0).length;
    const told_by = tests.map(test => [test.name, number(test.effect(a, b), test.digits), probability(test.p(a, b)), probability(test.adjusted(a, b))]);
    const words = payload.words[`${a} ${b}`] || payload.words[`${b} ${a}`];
    const told = make("div", {}, histogram(a, found), make("p", {}, `${systems[a]} better on ${wins} segments, ${systems[b]} on ${losses}, equal on ${found.length - wins - losses}.`), cells(["test", "effect", "p", "p adjusted"], told_by));
    if (words) told.append(make("p", {class: "why"}, words.join(" ")));
    const sorted = [...found].sort((p, q) => q.gain - p.gain), extremes = make("p", {class: "tools"});
    for (const [label, list] of [[`Largest wins of ${systems[a]}`, sorted.filter(p => p.gain > 0)], [`Largest losses of ${systems[a]}`, [...sorted].reverse().filter(p => p.gain < 0)]]) {
      const button = make("button", {type: "button"}, short(label, 44));
      button.addEventListener("click", () => listed(list, a, b, below));
      extremes.append(button);
    }
    told.append(extremes);
    area.replaceChildren(make("div", {class: "two"}, make("div", {}, svg, make("p", {class: "dim"}, "Click a dot to see its segments.")), told), below);
  };
  [selectA, selectB].forEach(select => select.addEventListener("input", () => show(Number(selectA.value), Number(selectB.value))));
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#pair-']");
    const found = link && /^#pair-(\d+)-(\d+)$/.exec(link.getAttribute("href"));
    if (!found) return;
    event.preventDefault();
    show(Number(found[1]), Number(found[2]));
    history.replaceState(null, "", link.getAttribute("href"));
    one("#any-pair").scrollIntoView();
    selectA.focus({preventScroll: true});
  });

  // With a script every cell opens its pair, unless a server has a page for it.
  all("#matrix tbody tr").forEach((row, i) => all("td", row).forEach((cell, j) => {
    const link = one("a", cell);
    if (i === j || (link && !link.getAttribute("href").startsWith("#"))) return;
    const opens = make("a", {href: `#pair-${i}-${j}`}, cell.textContent);
    cell.replaceChildren(opens);
  }));

  // The picture that is already there: its dots find their segments by their place.
  const still = one("#top-pair svg.scatter");
  if (still && payload.top) {
    const [a, b] = payload.top, twin = scatter(a, b, paired(a, b)), below = make("div", {"aria-live": "polite"});
    still.replaceWith(twin);
    clickable(twin, a, b, below);
    one("#top-pair").after(below);
  }
  const asked = /^#pair-(\d+)-(\d+)$/.exec(location.hash);
  if (asked) { show(Number(asked[1]), Number(asked[2])); one("#any-pair").scrollIntoView(); }
  else area.replaceChildren(make("p", {class: "dim"}, "Click a cell of the matrix, or choose two systems."));
})();
