// The plane: counts at other limits are sums over its cells, as Plane::subsetsAt in verify/Metrics adds them up, and exact
// at the edges of the grid, which is where the sliders stop.

const binOfRow = (row) => (row < grid.equalRow ? grid.equalRow - 1 - row : row - grid.equalRow - 1);
const isWithin = (row, rel) => {
  if (row === grid.equalRow || row === grid.undefinedRow) return row === grid.equalRow;
  return binOfRow(row) <= rel;
};

// Calls visit(row, column, count) for the cells of a list of steps and counts.
const forEachCell = (list, visit) => {
  let cell = 0;
  for (let i = 0; i < list.length; i += 2) {
    cell += list[i];
    visit(Math.floor(cell / grid.columns), cell % grid.columns, list[i + 1]);
  }
};

const subsetOf = (row, column, oom, rel) => {
  if (column > oom) return "discarded";
  return isWithin(row, rel) ? "passed" : "failed";
};

const countsAt = (layer, oom, rel) => {
  const counts = { discarded: 0, passed: layer.non_finite_agreeing, failed: layer.non_finite_differing };
  forEachCell(layer.cells, (row, column, count) => { counts[subsetOf(row, column, oom, rel)] += count; });
  forEachCell(layer.excusedCells, (row, column, count) => { counts.passed += count; });
  return counts;
};

// [of all, within the limit] for each bucket, the last of which takes the rest.
const bucketsAt = (layer, oom) => {
  const edges = layer.buckets.map((bucket) => (bucket.up_to === null ? Infinity : grid.relativeEdges.indexOf(bucket.up_to)));
  const counts = edges.map(() => [0, 0]);
  const bucketOf = (row) => {
    if (row === grid.undefinedRow) return edges.length - 1;
    return row === grid.equalRow ? 0 : edges.findIndex((edge) => binOfRow(row) <= edge);
  };
  const add = (bucket, count, inLimit) => {
    counts[bucket][0] += count;
    counts[bucket][1] += inLimit ? count : 0;
  };
  for (const list of [layer.cells, layer.excusedCells])
    forEachCell(list, (row, column, count) => add(bucketOf(row), count, column <= oom));
  add(0, layer.non_finite_agreeing, true);
  add(edges.length - 1, layer.non_finite_differing, true);
  return counts;
};

const edgeOf = (edges, limit) => edges.findIndex((edge) => edge >= limit);

const rank = { discarded: 0, passed: 1, failed: 2 };

// A dot of a row of the grid is two pixels high and that of a column four wide; large positive errors are on top.
const draw = (canvas, layer, oom, rel) => {
  const context = canvas.getContext("2d");
  canvas.width = grid.columns * 4;
  canvas.height = grid.rows * 2;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const cells = new Map();
  const put = (row, column, count, subset) => {
    const key = row * grid.columns + column;
    const old = cells.get(key) ?? { row, column, count: 0, subset };
    cells.set(key, { row, column, count: old.count + count, subset: rank[subset] > rank[old.subset] ? subset : old.subset });
  };
  forEachCell(layer.cells, (row, column, count) => put(row, column, count, subsetOf(row, column, oom, rel)));
  forEachCell(layer.excusedCells, (row, column, count) => put(row, column, count, "passed"));
  const most = Math.max(1, ...[...cells.values()].map((cell) => cell.count));
  for (const { row, column, count, subset } of cells.values()) {
    const darkness = 0.3 + 0.7 * Math.log1p(count) / Math.log1p(most);
    context.fillStyle = `rgb(${colours[subset].map((part) => Math.round(255 - (255 - part) * darkness)).join()})`;
    context.fillRect(column * 4, (grid.rows - 1 - row) * 2, 4, 2);
  }
  context.fillStyle = "#000";
  context.fillRect((oom + 1) * 4, 0, 1, canvas.height);
  for (const row of [grid.equalRow + 2 + rel, grid.equalRow - 1 - rel])
    context.fillRect(0, (grid.rows - row) * 2, canvas.width, 1);
};

// Where edges of the grid lie in the picture, in percent of its width and height.
const percentAcross = (column) => (100 * (column + 1)) / grid.columns;
const percentDown = (row) => 100 * (1 - row / grid.rows);

// A few edges by name: of all, the picture has room for every hundredfold one.
const showAxes = (canvas) => {
  const tick = (kind, style, words) => element("span", { class: `tick ${kind}`, style, "aria-hidden": "true" }, words);
  const across = grid.oomEdges.flatMap((edge, column) => (Number.isInteger(Math.log10(edge))
    ? [tick("across", `left:${percentAcross(column)}%`, edge.toLocaleString("en"))] : []));
  const down = grid.relativeEdges.flatMap((edge, bin) => (Number.isInteger(Math.log10(edge) / 2) && edge >= 0.01
    ? [tick("down", `top:${percentDown(grid.equalRow + 2 + bin)}%`, `+${edge.toLocaleString("en")} %`),
      tick("down", `top:${percentDown(grid.equalRow - 1 - bin)}%`, `−${edge.toLocaleString("en")} %`)] : []));
  return element("div", { class: "axes" }, canvas, ...across, ...down,
    tick("down", `top:${percentDown(grid.equalRow + 0.5)}%`, "equal"), tick("title", "", "order of magnitude"),
    tick("upright title", "", "relative error"));
};

const slider = (id, text, edges, value, changed) => {
  const output = element("output", { for: id }, edges[value]);
  const input = element("input", { type: "range", id, min: 0, max: edges.length - 1, step: 1, value });
  input.addEventListener("input", () => {
    output.textContent = edges[input.value];
    input.setAttribute("aria-valuetext", edges[input.value]);
    changed(Number(input.value));
  });
  return element("label", {}, text, " ", input, " ", output);
};

const showCounts = (layer) => {
  const counts = countsAt(layer, view.oom, view.rel);
  for (const subset of Object.keys(rank)) document.getElementById(`count-${subset}`).textContent = shown(counts[subset]);
  draw(document.getElementById("plot"), layer, view.oom, view.rel);
  const buckets = bucketsAt(layer, view.oom);
  document.getElementById("buckets").replaceChildren(table(["relative error up to", "all", "in the limit"],
    layer.buckets.map((bucket, i) => [bucket.up_to === null ? "more, or undefined" : `${bucket.up_to} %`, shown(buckets[i][0]), shown(buckets[i][1])])));
};

const showPlane = (layer) => {
  const moved = (name) => (value) => { view[name] = value; showCounts(layer); keepAddress(); };
  const counts = element("dl", { class: "counts", "aria-live": "polite" });
  for (const subset of ["passed", "failed", "discarded"])
    counts.append(element("dt", { class: subset }, subset), element("dd", { id: `count-${subset}` }));
  const exact = grid.oomEdges.includes(layer.oom_limit) && grid.relativeEdges.includes(layer.rel_err);
  return element("div", { class: "side" },
    element("div", {}, showAxes(element("canvas", { id: "plot", class: "plot", role: "img", "aria-label": "relative error (up) by order of magnitude (right)" })),
      element("p", { class: "note" }, "Right: order of magnitude, 1 to 1,000,000 (log). Up: signed relative error, ±0.001 % to ±10,000 % (log on either side of equal).")),
    element("div", {},
      slider("oom", "Order of magnitude up to", grid.oomEdges, view.oom, moved("oom")),
      slider("rel", "Relative error (%) up to", grid.relativeEdges, view.rel, moved("rel")),
      counts,
      element("p", { class: "note" }, `The run used ${shown(layer.oom_limit)} and ${shown(layer.rel_err)} %: ${shown(layer.passed)} passed, ${shown(layer.failed)} failed, ${shown(layer.discarded)} discarded.`
        + (exact ? "" : " One of these lies between two stops of the sliders, which begin at the stop above.")),
      element("div", { id: "buckets" })));
};

