// The report page. Everything it shows comes from the records in #data; nothing is fetched.
//
// Counts at other limits are sums over the cells of a plane, as Plane::subsetsAt in verify/Metrics adds them up, and
// exact at the edges of the grid, which is where the sliders stop. The view is in the address, so that it can be passed
// on: #layer=3&oom=20&rel=35 (indices of layers and edges).
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const { grid, layers } = data;
const view = { layer: -1, oom: null, rel: null, sort: null, down: false };

const element = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const shown = (value) => {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return String(value);
  return Number.isInteger(value) ? value.toLocaleString("en") : String(Number(value.toPrecision(5)));
};

// --- the plane ---

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

// --- one layer ---

const edgeOf = (edges, limit) => edges.findIndex((edge) => edge >= limit);

const colours = { passed: [0, 114, 178], failed: [213, 94, 0], discarded: [128, 128, 128] };
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

const table = (heads, rows) =>
  element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))));

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

const showHistogram = (title, names, counts) => {
  const most = Math.max(...counts);
  const rows = counts.map((count, i) => [names(i), shown(count),
    element("span", { class: "bar", style: `width:${most ? (200 * Math.log1p(count)) / Math.log1p(most) : 0}px` })]);
  return element("div", {}, element("h3", {}, title), table([title, "elements", "(log)"], rows));
};
const ulpName = (i) => (i < 3 ? String(i) : `${2 ** (i - 2) + 1}–${2 ** (i - 1)}`);

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
    element("div", {}, element("canvas", { id: "plot", class: "plot", role: "img", "aria-label": "relative error (up) by order of magnitude (right)" }),
      element("p", { class: "note" }, "Right: order of magnitude, 1 to 1,000,000 (log). Up: signed relative error, ±0.001 % to ±10,000 % (log on either side of equal).")),
    element("div", {},
      slider("oom", "Order of magnitude up to", grid.oomEdges, view.oom, moved("oom")),
      slider("rel", "Relative error (%) up to", grid.relativeEdges, view.rel, moved("rel")),
      counts,
      element("p", { class: "note" }, `The run used ${shown(layer.oom_limit)} and ${shown(layer.rel_err)} %: ${shown(layer.passed)} passed, ${shown(layer.failed)} failed, ${shown(layer.discarded)} discarded.`
        + (exact ? "" : " One of these lies between two stops of the sliders, which begin at the stop above.")),
      element("div", { id: "buckets" })));
};

const facts = ["status", "reason", "layer", "where", "dtype", "elements", "different", "excused", "undefined", "reference_nan", "reference_inf",
  "target_nan", "target_inf", "max_abs", "mean_abs", "mean_error", "rms", "cosine", "pearson", "sqnr_db", "anchor_value",
  "largest_reference", "largest_target", "output_type", "picture", "evidence"];

const showLayer = () => {
  const place = document.getElementById("layer");
  const layer = layers[view.layer];
  place.replaceChildren();
  if (!layer) return;
  place.append(element("h2", {}, layer.name, ` [${(layer.shape ?? []).join(", ")}]`));
  if (layer.cells) {
    view.oom ??= Math.max(0, edgeOf(grid.oomEdges, layer.oom_limit));
    view.rel ??= Math.max(0, edgeOf(grid.relativeEdges, layer.rel_err));
    place.append(showPlane(layer));
    showCounts(layer);
  }
  const list = facts.filter((name) => layer[name] !== undefined && layer[name] !== null && layer[name] !== "");
  const figures = element("div", {}, element("h3", {}, "Figures"), table(["figure", "value"], list.map((name) => [name, shown(layer[name])])));
  const parts = element("div", { class: "side" }, figures);
  if (layer.worst?.length)
    parts.append(element("div", {}, element("h3", {}, "Largest differences"), table(["position", "reference", "target", "difference", "relative %", "order"],
      layer.worst.map((worst) => [`[${worst.position.join(", ")}]`, ...["reference", "target", "abs", "rel", "oom"].map((name) => shown(worst[name]))]))));
  if (layer.ulps) parts.append(showHistogram("units of the last place", ulpName, layer.ulps));
  if (layer.bits_off) parts.append(showHistogram("8-bit steps off", String, layer.bits_off));
  place.append(parts);
};

// --- all layers ---

const columns = [["name", "tensor"], ["status", "status"], ["elements", "elements"], ["different", "different"], ["failed", "failed"],
  ["discarded", "discarded"], ["max_abs", "max abs"], ["rms", "rms"], ["cosine", "cosine"], ["sqnr_db", "SQNR dB"]];

const asKey = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
const compare = (left, right) => {
  if (left === right) return 0;
  if (left === null || left === undefined) return 1;
  if (right === null || right === undefined) return -1;
  return left < right ? -1 : 1;
};

const orderOfLayers = () => {
  const order = layers.map((_, i) => i);
  if (view.sort)
    order.sort((a, b) => compare(asKey(layers[a][view.sort]), asKey(layers[b][view.sort])) * (view.down ? -1 : 1) || a - b);
  return order;
};

const select = (index) => {
  Object.assign(view, { layer: index, oom: null, rel: null });
  showOverview();
  showLayer();
  keepAddress();
  document.getElementById("layer").scrollIntoView();
};

const showOverview = () => {
  const heads = columns.map(([field, title]) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      Object.assign(view, { sort: field, down: view.sort === field && !view.down });
      showOverview();
    });
    const direction = view.sort === field ? (view.down ? "descending" : "ascending") : "none";
    return element("th", { scope: "col", class: field === "status" ? "words" : "number", "aria-sort": direction }, button);
  });
  const rows = orderOfLayers().map((index) => {
    const layer = layers[index];
    const cells = columns.map(([field]) => {
      if (field === "status") return element("td", { class: `words status ${layer.status}` }, layer.status);
      if (field !== "name") return element("td", {}, shown(layer[field]));
      const button = element("button", { type: "button" }, layer.name);
      button.addEventListener("click", () => select(index));
      return element("td", {}, button);
    });
    return element("tr", { "aria-selected": index === view.layer }, ...cells);
  });
  document.getElementById("overview").replaceChildren(
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
};

const showRun = () => {
  const words = Object.entries(data.summary.statuses).map(([status, count]) => `${count} ${status}`).join(", ");
  document.getElementById("run").textContent = `${data.run.target} against ${data.run.reference}: ${words}`
    + (data.run.exact ? " (every bit has to be equal)" : "");
  const leftOut = data.leftOut.map((record) => element("li", {}, `${record.name}: ${record.reason}`));
  if (leftOut.length)
    document.getElementById("left-out").append(element("h2", {}, "Not compared"), element("ul", {}, ...leftOut));
};

// --- the address ---

const keepAddress = () => history.replaceState(null, "", `#layer=${view.layer}&oom=${view.oom}&rel=${view.rel}`);
const readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const index = (name, count) => {
    const number = Number.parseInt(words.get(name), 10);
    return number >= 0 && number < count ? number : null;
  };
  const firstWrong = layers.findIndex((layer) => layer.status !== "match");
  view.layer = index("layer", layers.length) ?? Math.max(firstWrong, 0);
  view.oom = index("oom", grid.oomEdges.length);
  view.rel = index("rel", grid.relativeEdges.length);
};

const showAll = () => {
  readAddress();
  showOverview();
  showLayer();
};
addEventListener("hashchange", showAll);
showRun();
showAll();
