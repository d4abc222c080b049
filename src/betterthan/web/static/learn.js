"use strict";
// The lesson: points that can be dragged, or moved with the arrow keys, and three summaries that follow.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const TOP = 20, HEIGHT = 260, LEFT = 50, STEP = 115, MOST = 20;
  const plot = document.getElementById("plot");
  const rows = [...document.querySelectorAll("#summaries tbody tr")];
  const systems = rows.map((row) => row.dataset.system);
  const figure = rows.map((row) => [...row.querySelectorAll("[data-score]")].map((cell) => Number(cell.textContent)));
  let scores = figure.map((row) => [...row]);

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const median = (values) => {
    const sorted = [...values].sort((x, y) => x - y), half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  };
  const winsOf = () => scores.map((a) => scores.map((b) => a === b ? 0 : a.reduce((n, x, j) => n + (x > b[j] ? 1 : x === b[j] ? 0.5 : 0), 0)));

  // Strengths exist if from every system one can reach every other along wins (Ford 1957).
  const connected = (wins) => wins.every((_, start) => {
    const seen = new Set([start]), open = [start];
    while (open.length) {
      const i = open.pop();
      wins[i].forEach((count, j) => { if (count > 0 && !seen.has(j)) { seen.add(j); open.push(j); } });
    }
    return seen.size === wins.length;
  });

  // Hunter (2004), Eq. 3: minorise and maximise; shares of 1.
  const bradleyTerry = (wins) => {
    if (!connected(wins)) return null;
    let share = wins.map(() => 1 / wins.length);
    for (let round = 0; round < 10000; round += 1) {
      const next = share.map((own, i) => {
        const won = wins[i].reduce((sum, count) => sum + count, 0);
        const met = share.reduce((sum, other, j) => j === i ? sum : sum + (wins[i][j] + wins[j][i]) / (own + other), 0);
        return won / met;
      });
      const total = next.reduce((sum, value) => sum + value, 0);
      const scaled = next.map((value) => value / total);
      const change = Math.max(...scaled.map((value, i) => Math.abs(value - share[i])));
      share = scaled;
      if (change < 1e-12) break;
    }
    return share;
  };

  const made = (name, attributes, parent) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  };
  const x = (j, i) => LEFT + 50 + j * STEP + (i - 1) * 22;
  const y = (score) => TOP + HEIGHT * (1 - score / MOST);

  for (let score = 0; score <= MOST; score += 5) {
    made("line", { class: "axis", x1: LEFT, x2: 630, y1: y(score), y2: y(score) }, plot);
    made("text", { x: LEFT - 8, y: y(score) + 4, "text-anchor": "end" }, plot).textContent = score;
  }
  figure[0].forEach((_, j) => { made("text", { x: x(j, 1), y: TOP + HEIGHT + 26, "text-anchor": "middle" }, plot).textContent = `segment ${j + 1}`; });

  const lines = systems.map((_, i) => made("polyline", { class: `line l${i}` }, plot));
  const points = systems.map((system, i) => scores[i].map((score, j) => {
    const group = made("g", {}, plot);
    const dot = made("circle", { class: `point s${i}`, r: 11, tabindex: 0, role: "slider", "aria-label": `${system}, segment ${j + 1}`, "aria-valuemin": 0, "aria-valuemax": MOST, "aria-orientation": "vertical" }, group);
    const letter = made("text", { class: "in", "text-anchor": "middle" }, group);
    letter.textContent = system;
    dot.addEventListener("keydown", (event) => keyed(event, i, j));
    dot.addEventListener("pointerdown", (event) => { event.preventDefault(); dot.focus(); dot.setPointerCapture(event.pointerId); });
    dot.addEventListener("pointermove", (event) => { if (dot.hasPointerCapture(event.pointerId)) set(i, j, fromPointer(event)); });
    return { dot, letter };
  }));

  const fromPointer = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(plot.getScreenCTM().inverse());
    return MOST * (1 - (at.y - TOP) / HEIGHT);
  };
  const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 5, PageDown: -5 };
  const keyed = (event, i, j) => {
    const wanted = event.key === "Home" ? 0 : event.key === "End" ? MOST : event.key in steps ? scores[i][j] + steps[event.key] : null;
    if (wanted === null) return;
    event.preventDefault();
    set(i, j, wanted);
  };
  const set = (i, j, score) => {
    scores[i][j] = Math.min(MOST, Math.max(0, Math.round(score)));
    draw();
  };

  const order = (values) => {
    const sorted = systems.map((system, i) => [system, values[i]]).sort((p, q) => q[1] - p[1]);
    const near = (p, q) => Math.abs(p - q) < 1e-9;
    return sorted.map(([system, value], i) => i === 0 ? system : (near(value, sorted[i - 1][1]) ? " = " : " > ") + system).join("");
  };

  const draw = () => {
    points.forEach((row, i) => row.forEach(({ dot, letter }, j) => {
      dot.setAttribute("cx", x(j, i)); dot.setAttribute("cy", y(scores[i][j])); dot.setAttribute("aria-valuenow", scores[i][j]);
      letter.setAttribute("x", x(j, i)); letter.setAttribute("y", y(scores[i][j]) + 4);
    }));
    lines.forEach((line, i) => line.setAttribute("points", scores[i].map((score, j) => `${x(j, i)},${y(score)}`).join(" ")));
    const wins = winsOf(), share = bradleyTerry(wins), means = scores.map(mean), medians = scores.map(median);
    rows.forEach((row, i) => {
      [...row.querySelectorAll("[data-score]")].forEach((cell, j) => { cell.textContent = scores[i][j]; });
      row.querySelector("[data-mean]").textContent = means[i].toFixed(2);
      row.querySelector("[data-median]").textContent = medians[i].toFixed(2);
      row.querySelector("[data-share]").textContent = share ? share[i].toFixed(3) : "–";
    });
    [...document.querySelectorAll("#wins tbody tr")].forEach((row, i) => [...row.querySelectorAll("td")].forEach((cell, j) => { cell.textContent = i === j ? "–" : wins[i][j]; }));
    const third = share ? order(share) : "no strengths exist, because somebody wins or loses every time";
    document.getElementById("words").textContent = `Mean: ${order(means)}. Median: ${order(medians)}. Bradley–Terry: ${third}.`;
  };

  const lessons = {
    figure: () => { scores = figure.map((row) => [...row]); },
    outlier: () => { scores[0][4] = MOST; scores[1][4] = 0; },
    swap: () => { const row = scores[2]; [row[0], row[4]] = [row[4], row[0]]; },
  };
  for (const button of document.querySelectorAll("[data-lesson]")) button.addEventListener("click", () => { lessons[button.dataset.lesson](); draw(); });

  plot.removeAttribute("hidden");
  draw();
})();
