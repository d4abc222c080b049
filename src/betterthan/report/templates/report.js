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

  // Copy the text of a frame of code.
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
    all("thead th:not(.marks)", table).forEach(head => {
      if (!head.textContent) return;
      const button = make("button", {type: "button"}, ...head.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        all("th", table).forEach(other => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const body = table.tBodies[0];
        const rows = [...body.rows].map(row => {
          const cell = row.cells[head.cellIndex];
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
    const rows = all("tbody tr", document.getElementById(field.dataset.filter));
    rows.forEach(row => { row.hidden = !contains(row, field.value); });
    const matches = one("[data-matches]", field.closest(".tools"));
    if (matches) matches.textContent = field.value ? `${rows.filter(row => !row.hidden).length} of ${rows.length}` : "";
  }));

  // A table or picture that is wider than its box says so, until it is scrolled to its end.
  const wide = all(".scroll").map(box => {
    const hint = make("p", {class: "hint", "aria-hidden": "true"}, "Scroll sideways for more →");
    hint.hidden = true;
    box.before(hint);
    return [box, hint];
  });
  const hints = () => wide.forEach(([box, hint]) => { hint.hidden = box.scrollWidth <= box.clientWidth + 2; });
  hints();
  addEventListener("resize", hints);
  all(".pick").forEach(choice => choice.addEventListener("change", hints));
  all("details").forEach(part => part.addEventListener("toggle", hints));

  // Sections collapse one by one, or all at once; a link into a closed part opens it.
  const parts = all("main > section > details.part"), foldAll = one(".fold-all");
  if (foldAll) foldAll.addEventListener("click", () => {
    const open = parts.every(part => !part.open);
    parts.forEach(part => { part.open = open; });
    foldAll.textContent = open ? "Collapse all" : "Expand all";
  });
  const reveal = id => {
    const target = id && document.getElementById(id);
    for (let node = target; node; node = node.parentElement) if (node.tagName === "DETAILS") node.open = true;
    const part = target && one(":scope > details.part", target);
    if (part) part.open = true;
  };
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#']");
    if (link) reveal(link.getAttribute("href").slice(1));
  });
  addEventListener("beforeprint", () => all("details.part").forEach(part => { part.open = true; }));
  reveal(location.hash.slice(1));

  // Segments are read one at a time; what is shown stays in the address.
  all("[data-reader]").forEach(list => {
    const reason = one("[data-reason]", list), words = one("[data-segment-filter]", list), asList = one("[data-list]", list);
    const rows = all(":scope > ol > li", list), place = one("[data-place]", list), buttons = all("[data-step]", list);
    const section = list.closest("section");
    let current = rows[0];
    const fitting = () => rows.filter(row => (!reason.value || row.dataset.why.split(" ").includes(reason.value)) && contains(row, words.value));
    const show = keep => {
      const shown = fitting();
      if (!shown.includes(current)) current = shown[0];
      rows.forEach(row => { row.hidden = !shown.includes(row); row.classList.toggle("shown", row === current); });
      list.classList.toggle("one", !asList.checked);
      const at = shown.indexOf(current);
      place.textContent = shown.length ? `${at + 1} of ${shown.length}` : "none";
      buttons.forEach(button => { button.disabled = !shown[at + Number(button.dataset.step)]; });
      if (!keep) return;
      const state = new URLSearchParams();
      if (reason.value) state.set("show", reason.value);
      if (words.value) state.set("find", words.value);
      if (asList.checked) state.set("list", "1");
      if (current) state.set("at", current.id);
      history.replaceState(null, "", `#${section.id}?${state}`);
    };
    const step = by => {
      const shown = fitting(), next = shown[shown.indexOf(current) + by];
      if (!next) return;
      current = next;
      show(true);
      if (asList.checked) current.scrollIntoView({block: "nearest"});
    };
    const follow = () => {
      const [id, query] = location.hash.slice(1).split("?");
      const row = rows.find(one => one.id === id);
      if (row) { reason.value = words.value = ""; current = row; show(false); return; }
      if (id !== section.id || !query) return;
      const state = new URLSearchParams(query);
      reason.value = state.get("show") || "";
      words.value = state.get("find") || "";
      asList.checked = state.has("list");
      current = rows.find(one => one.id === state.get("at")) || rows[0];
      show(false);
      section.scrollIntoView();
    };
    [reason, words, asList].forEach(field => field.addEventListener("input", () => show(true)));
    buttons.forEach(button => button.addEventListener("click", () => step(Number(button.dataset.step))));
    document.addEventListener("keydown", event => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.target.closest("input,select,textarea,.scroll,.matrix,pre")) return;
      const box = section.getBoundingClientRect();
      if (box.top > innerHeight * 0.6 || box.bottom < innerHeight * 0.3) return;
      event.preventDefault();
      step(by);
    });
    addEventListener("hashchange", follow);
    show(false);
    follow();
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

  // In a matrix only one cell takes part in the order of tabs; arrow keys move between cells.
  all(".matrix").forEach(table => {
    const body = table.tBodies[0], links = () => all("a", body);
    const describe = cell => {
      if (!table.classList.contains("tiny") || cell.dataset.told) return;
      const row = cell.parentElement, column = table.tHead.rows[0].cells[cell.cellIndex];
      cell.dataset.told = "1";
      cell.title = `${row.cells[0].title} against ${one("abbr", column).title}: ${cell.title}, ${cell.classList.contains("b") ? "significant" : "not significant"}`;
      const link = one("a", cell);
      if (link) link.setAttribute("aria-label", cell.title);
    };
    const hold = link => { links().forEach(other => { other.tabIndex = other === link ? 0 : -1; }); };
    table.addEventListener("mouseover", event => { const cell = event.target.closest("td:not(.self)"); if (cell) describe(cell); });
    table.addEventListener("focusin", event => { const cell = event.target.closest("td"); if (cell) { describe(cell); hold(event.target); } });
    table.addEventListener("keydown", event => {
      const by = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key], cell = event.target.closest("td");
      if (!by || !cell) return;
      event.preventDefault();
      let row = cell.parentElement.sectionRowIndex, column = cell.cellIndex, next = null;
      do {
        row += by[0]; column += by[1];
        next = body.rows[row] && body.rows[row].cells[column];
      } while (next && !one("a", next));
      if (next && next.tagName === "TD") one("a", next).focus();
    });
    table.holdFirst = () => { const first = links()[0]; if (first) hold(first); };
    table.holdFirst();
  });

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
  const short = (name, most = 24) => {
    const tail = Math.floor((most - 1) / 2);
    return name.length <= most ? name : `${name.slice(0, most - 1 - tail)}…${name.slice(-tail)}`;
  };
  const thousands = value => String(value).replace("-", "−").replace(/\B(?=(\d{3})+$)/g, ",");
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
    const padding = 0.04 * (to - from) || 0.5; from -= padding; to += padding;
    const x = scale(from, to, left, end), y = scale(from, to, floor, top);
    const svg = picture(end + margin + 8, floor + 44, `Scores of ${systems[a]} (up) against ${systems[b]} (right)`, "scatter");
    const above = found.filter(p => p.first > p.second).length, below = found.filter(p => p.first < p.second).length;
    if (above !== below) svg.append(draw("path", {class: "half", d: `M${left} ${floor}L${end} ${top}L${above > below ? `${left} ${top}` : `${end} ${floor}`}Z`}));
    svg.append(draw("rect", {class: "frame", x: left, y: top, width: side, height: side}), draw("path", {class: "diagonal", d: `M${left} ${floor}L${end} ${top}`}));
    for (const value of rounds(from, to, 6)) svg.append(
      text(thousands(value), {x: x(value), y: floor + 16, class: "tick", "text-anchor": "middle"}),
      text(thousands(value), {x: left - 7, y: y(value) + 4, class: "tick", "text-anchor": "end"}));
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
    for (const value of rounds(-reach, reach, 7)) svg.append(text(thousands(value), {x: x(value), y: height - 28, class: "tick", "text-anchor": "middle"}));
    svg.append(draw("path", {class: "mean", d: `M${x(mean(gains)).toFixed(1)} 6V${floor}`}), draw("path", {class: "median", d: `M${x(median(gains)).toFixed(1)} 6V${floor}`}),
      text(`difference in ${short(unit, 18)}; right: ${short(systems[a])} better`, {x: width / 2, y: height - 8, class: "label", "text-anchor": "middle"}));
    return svg;
  };

  // Which words of a text another one does not have, in order: a longest common subsequence.
  const words = line => /\s/.test(line.trim()) ? line.match(/\s+|\S+/g) || [] : [...line];
  const differing = (line, other) => {
    const first = words(line), second = words(other), rows = first.length, columns = second.length, common = [];
    if (rows * columns > 360000) return first.map(() => false);
    for (let i = rows; i >= 0; i--) {
      common[i] = new Uint16Array(columns + 1);
      if (i < rows) for (let j = columns - 1; j >= 0; j--) common[i][j] = first[i] === second[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
    const differs = first.map(() => true);
    for (let i = 0, j = 0; i < rows && j < columns;) {
      if (first[i] === second[j]) { differs[i++] = false; j++; }
      else if (common[i + 1][j] >= common[i][j + 1]) i++;
      else j++;
    }
    return differs;
  };
  const told = (line, reference, other) => {
    const node = make("p", {class: "said", dir: "auto"}), r = reference ? differing(line, reference) : [], o = other ? differing(line, other) : [];
    words(line).forEach((word, i) => {
      const kind = (r[i] ? "r" : "") + (o[i] ? "o" : "");
      node.append(kind && word.trim() ? make("mark", {class: kind}, word) : word);
    });
    return node;
  };

  // The segments behind a dot, a cell, or a pair.
  const listed = (list, a, b, where) => {
    const shown = list.slice(0, 12).map(p => {
      const known = document.getElementById(`segment-${p.s}`);
      const id = known ? make("a", {class: "id", href: `#segment-${p.s}`}, segments[p.s]) : make("span", {class: "id"}, segments[p.s]);
      const row = make("li", {}, make("p", {class: "head"}, id, make("span", {class: "gap"}, number(p.gain)))), texts = payload.texts && payload.texts.segments[p.s];
      const line = {};
      if (texts) {
        const lines = make("dl", {});
        payload.texts.labels.forEach((label, i) => {
          if (i >= payload.texts.shared) line[label] = texts[i];
          else if (texts[i] !== null && texts[i] !== undefined) lines.append(make("dt", {}, label), make("dd", {dir: "auto"}, texts[i]));
        });
        row.append(lines);
      }
      const reference = texts && payload.texts.reference !== null ? texts[payload.texts.reference] : null;
      const side = (system, other, value) => make("div", {}, make("p", {class: "who"}, systems[system], make("b", {}, number(value))),
        ...(line[systems[system]] ? [told(line[systems[system]], reference, line[systems[other]])] : []));
      row.append(make("div", {class: "pair"}, side(a, b, p.first), side(b, a, p.second)));
      return row;
    });
    const rest = list.length > 12 ? ", of which 12 are shown" : "";
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

  // Right and wrong of both, where all scores are.
  const cases = (a, b, found, where) => {
    const right = higher ? 1 : 0, of = (x, y) => found.filter(p => (p.first === right) === x && (p.second === right) === y);
    const list = [of(true, true), of(true, false), of(false, true), of(false, false)];
    const cell = rows => {
      const button = make("button", {type: "button", class: "count"}, String(rows.length));
      button.addEventListener("click", () => listed(rows, a, b, where));
      return rows.length ? button : "0";
    };
    return cells(["", `${systems[b]} right`, `${systems[b]} wrong`], [[`${systems[a]} right`, cell(list[0]), cell(list[1])], [`${systems[a]} wrong`, cell(list[2]), cell(list[3])]]);
  };

  const cells = (head, rows) => make("div", {class: "scroll"}, make("table", {class: "data"},
    make("thead", {}, make("tr", {}, ...head.map((words, i) => make("th", {scope: "col", class: i ? "n" : "l"}, words)))),
    make("tbody", {}, ...rows.map(row => make("tr", {}, ...row.map((words, i) => make("td", {class: i ? "n" : "l"}, words)))))));
  const area = one("#pair-view"), selectA = one("#pair-a"), selectB = one("#pair-b");
  const show = (a, b) => {
    selectA.value = a; selectB.value = b;
    if (a === b) { area.replaceChildren(make("p", {class: "dim"}, "Choose two different systems.")); return; }
    const found = paired(a, b);
    if (!found.length) { area.replaceChildren(make("p", {class: "dim"}, "No segment has scores of both systems.")); return; }
    const below = make("div", {"aria-live": "polite"}), svg = payload.binary ? cases(a, b, found, below) : scatter(a, b, found);
    if (!payload.binary) clickable(svg, a, b, below);
    const wins = found.filter(p => p.gain > 0).length, losses = found.filter(p => p.gain < 0).length;
    const results = tests.map(test => [test.name, number(test.effect(a, b), test.digits), probability(test.p(a, b)), probability(test.adjusted(a, b))]);
    const sentences = payload.words[`${a} ${b}`] || payload.words[`${b} ${a}`];
    const side = make("div", {}, ...(payload.binary ? [] : [histogram(a, found)]), make("p", {}, `${systems[a]} better on ${wins} segments, ${systems[b]} on ${losses}, equal on ${found.length - wins - losses}.`), cells(["test", "effect", "p", "p adjusted"], results));
    if (sentences) side.append(make("ul", {class: "why"}, ...sentences.map(sentence => make("li", {}, sentence))));
    const sorted = [...found].sort((p, q) => q.gain - p.gain), extremes = make("p", {class: "tools"});
    for (const [label, list] of [[`Largest wins of ${systems[a]}`, sorted.filter(p => p.gain > 0)], [`Largest losses of ${systems[a]}`, [...sorted].reverse().filter(p => p.gain < 0)]]) {
      const button = make("button", {type: "button"}, short(label, 44));
      button.addEventListener("click", () => listed(list, a, b, below));
      extremes.append(button);
    }
    side.append(extremes);
    const click = payload.binary ? "Click a number to see its segments." : "Click a dot to see its segments.";
    area.replaceChildren(make("div", {class: "two"}, make("div", {}, make("div", {class: "scroll", tabindex: "0"}, svg), make("p", {class: "dim"}, click)), side), below);
  };
  if (area) [selectA, selectB].forEach(select => select.addEventListener("input", () => show(Number(selectA.value), Number(selectB.value))));
  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#pair-']");
    const found = link && /^#pair-(\d+)-(\d+)$/.exec(link.getAttribute("href"));
    if (!found || !area) return;
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
  all("#matrix").forEach(table => table.holdFirst());

  // The picture that is already there: its dots find their segments by their place.
  const still = one("#top-pair svg.scatter");
  if (still && payload.top && !payload.binary) {
    const [a, b] = payload.top, twin = scatter(a, b, paired(a, b)), below = make("div", {"aria-live": "polite"});
    still.replaceWith(twin);
    clickable(twin, a, b, below);
    one("#top-pair").after(below);
  }
  const linked = /^#pair-(\d+)-(\d+)$/.exec(location.hash);
  if (linked && area) { show(Number(linked[1]), Number(linked[2])); one("#any-pair").scrollIntoView(); }
})();
