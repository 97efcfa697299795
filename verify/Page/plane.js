// The histogram of a tensor's elements by relative error and order of magnitude (the plane), and the numbers
// of discarded, passed and failed elements for limits that the reader of the page chooses.
//
// The numbers are sums over cells of the histogram, like Plane::subsetsAt in verify/Metrics. They are exact
// at the edges of bins, where the sliders stop, and at the limits of the run. If another limit cuts a bin,
// only a range can be stated: from elements certainly within the limit to those possibly within it.

// How a limit cuts the bins of the histogram. `whole` is the number of bins that lie completely within the
// limit. `share` is the part of the next bin that lies within it, on a logarithmic scale. The last bin has no
// upper end, so its share is always below 1.
const cutAt = (edges, limit) => {
  const next = edges.findIndex((edge) => edge >= limit);
  if (edges[next] === limit) return { whole: next + 1, share: 0 };
  if (limit === 0) return { whole: 0, share: 0 };
  if (limit === Infinity) return { whole: edges.length + 2, share: 0 };
  const whole = next < 0 ? edges.length : next;
  const share = whole === 0 ? limit / edges[0]
    : whole === edges.length ? 1 - edges[whole - 1] / limit
      : Math.log(limit / edges[whole - 1]) / Math.log(edges[whole] / edges[whole - 1]);
  return { whole, share: Math.min(Math.max(share, 0.1), 0.9) };
};
const cutsAt = (limits) => ({ across: cutAt(grid.oomEdges, limits.oom), beyond: cutAt(grid.relativeEdges, limits.rel) });
const shareWithin = (bin, { whole, share }) => (bin < whole ? 1 : bin === whole ? share : 0);

const binOfRow = (row) => (row < grid.equalRow ? grid.equalRow - 1 - row : row - grid.equalRow - 1);
// Each row of the histogram is an interval of relative errors. Returns the share of the row's interval that lies
// within the limit.
const rowShare = (row, beyond) => {
  if (row === grid.equalRow || row === grid.undefinedRow) return row === grid.equalRow ? 1 : 0;
  return shareWithin(binOfRow(row), beyond);
};

// Calls visit(row, column, count) for each non-empty cell of a histogram. The list stores each cell as the
// difference of its index to that of the cell before, and its count.
const forEachCell = (list, visit) => {
  let cell = 0;
  for (let i = 0; i < list.length; i += 2) {
    cell += list[i];
    visit(Math.floor(cell / grid.columns), cell % grid.columns, list[i + 1]);
  }
};

// The subsets (discarded, passed, failed) to which elements of a histogram cell may belong. cutAt() says how
// the two limits cut the bins: `across` for the order of magnitude, `beyond` for the relative error.
const subsetsOf = (row, column, { across, beyond }) => {
  const inLimit = shareWithin(column, across), passing = rowShare(row, beyond);
  return [...(inLimit < 1 ? ["discarded"] : []), ...(inLimit > 0 && passing > 0 ? ["passed"] : []),
    ...(inLimit > 0 && passing < 1 ? ["failed"] : [])];
};

const isOfRun = (layer, limits) => limits.oom === asKey(layer.oom_limit) && limits.rel === asKey(layer.rel_err);
// Number of discarded, passed and failed elements for limits that the reader chooses, as a range [least,
// most].
const countsAt = (layer, limits) => {
  const exact = (count) => [count, count];
  if (isOfRun(layer, limits))
    return { discarded: exact(layer.discarded), passed: exact(layer.passed), failed: exact(layer.failed) };
  const cuts = cutsAt(limits);
  const counts = { discarded: [0, 0], passed: exact(layer.non_finite_agreeing), failed: exact(layer.non_finite_differing) };
  const add = (subset, count, surely) => {
    counts[subset][0] += surely ? count : 0;
    counts[subset][1] += count;
  };
  forEachCell(layer.cells, (row, column, count) => {
    const subsets = subsetsOf(row, column, cuts);
    for (const subset of subsets) add(subset, count, subsets.length === 1);
  });
  forEachCell(layer.excusedCells, (row, column, count) => add("passed", count, true));
  if (limits.oom === asKey(layer.oom_limit)) counts.discarded = exact(layer.discarded);
  return counts;
};
const shownRange = ([least, most]) => (least === most ? shown(least) : `${shown(least)}–${shown(most)}`);

// Number of elements in each bucket (range) of the relative error: of all elements, and of those within the
// limit of the order of magnitude (least and most). The last bucket holds larger and undefined errors.
const bucketsAt = (layer, limits) => {
  const edges = layer.buckets.map((bucket) => (bucket.up_to === null ? Infinity : grid.relativeEdges.indexOf(bucket.up_to)));
  const counts = edges.map(() => ({ all: 0, inLimit: [0, 0] }));
  const { across } = cutsAt(limits);
  const bucketOf = (row) => {
    if (row === grid.undefinedRow) return edges.length - 1;
    return row === grid.equalRow ? 0 : edges.findIndex((edge) => binOfRow(row) <= edge);
  };
  const add = (bucket, count, share) => {
    counts[bucket].all += count;
    counts[bucket].inLimit[0] += share === 1 ? count : 0;
    counts[bucket].inLimit[1] += share > 0 ? count : 0;
  };
  for (const list of [layer.cells, layer.excusedCells])
    forEachCell(list, (row, column, count) => add(bucketOf(row), count, shareWithin(column, across)));
  add(0, layer.non_finite_agreeing, 1);
  add(edges.length - 1, layer.non_finite_differing, 1);
  if (limits.oom === asKey(layer.oom_limit))
    layer.buckets.forEach((bucket, i) => { counts[i].inLimit = [bucket.in_limit, bucket.in_limit]; });
  return counts;
};

const edgeOf = (edges, limit) => edges.findIndex((edge) => edge >= limit);

const dot = { width: 8, height: 4 };
// Draws a cell of the histogram. If a limit cuts the cell, the parts on both sides of the limit are drawn
// separately.
const drawCell = (context, row, column, cuts, colourOf) => {
  const across = Math.round(shareWithin(column, cuts.across) * dot.width);
  const within = Math.round(rowShare(row, cuts.beyond) * dot.height);
  const left = column * dot.width, top = (grid.rows - 1 - row) * dot.height;
  const part = (subset, x, y, width, height) => {
    context.fillStyle = colourOf(subset);
    context.fillRect(x, y, width, height);
  };
  const upwards = row >= grid.equalRow;
  part("discarded", left + across, top, dot.width - across, dot.height);
  part("passed", left, upwards ? top + dot.height - within : top, across, within);
  part("failed", left, upwards ? top : top + within, across, dot.height - within);
};

const drawLines = (context, { across, beyond }) => {
  const pixels = ({ whole, share }, size) => whole * size + Math.round(share * size);
  const reach = pixels(beyond, dot.height), equalTop = (grid.rows - 1 - grid.equalRow) * dot.height;
  const { width, height } = context.canvas;
  context.fillStyle = "#000";
  context.fillRect(pixels(across, dot.width), 0, 1, height);
  context.fillRect(0, equalTop - reach - 1, width, 1);
  context.fillRect(0, equalTop + dot.height + reach, width, 1);
};

// Draws the histogram of a tensor's elements by relative error and order of magnitude, with large positive
// errors at the top. Elements that are only a few 8-bit steps off are drawn as passed, even beyond the
// limits.
const draw = (canvas, layer, limits) => {
  const context = canvas.getContext("2d");
  canvas.width = grid.columns * dot.width;
  canvas.height = grid.rows * dot.height;
  context.fillStyle = "#fff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  const cells = new Map();
  const put = (name) => (row, column, count) => {
    const key = row * grid.columns + column;
    const cell = cells.get(key) ?? { row, column, limited: 0, excused: 0 };
    cell[name] += count;
    cells.set(key, cell);
  };
  forEachCell(layer.cells, put("limited"));
  forEachCell(layer.excusedCells, put("excused"));
  const most = Math.max(1, ...[...cells.values()].map(({ limited, excused }) => limited + excused));
  const cuts = cutsAt(limits);
  for (const { row, column, limited, excused } of cells.values()) {
    const darkness = 0.3 + 0.7 * Math.log1p(limited + excused) / Math.log1p(most);
    const shade = (subset) => `rgb(${colours[subset].map((part) => Math.round(255 - (255 - part) * darkness)).join()})`;
    drawCell(context, row, column, cuts, (subset) => shade(!limited || (excused && subset === "discarded") ? "passed" : subset));
  }
  drawLines(context, cuts);
};

// Positions of the edges of the histogram's bins in the picture, in percent of its width or height.
const percentAcross = (column) => (100 * (column + 1)) / grid.columns;
const percentDown = (row) => 100 * (1 - row / grid.rows);

// Labels each power of 10 of the order of magnitude and, because space is scarce, each power of 100 of the
// relative error.
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

// Makes a slider for a limit, which stops at the edges of the histogram's bins, and a field in which any
// number can be entered.
const limitInput = (name, text, edges, least) => {
  const number = element("input", { type: "number", id: `${name}-number`, min: least, step: "any", value: view[name],
    "aria-label": `${text}, any number` });
  const stop = () => (edgeOf(edges, view[name]) < 0 ? edges.length - 1 : edgeOf(edges, view[name]));
  const slider = element("input", { type: "range", id: name, min: 0, max: edges.length - 1, step: 1, value: stop(),
    "aria-valuetext": view[name] });
  const choose = (limit) => {
    view[name] = limit;
    slider.setAttribute("aria-valuetext", limit);
    showCounts(sideOf(layers[view.layer]));
    keepAddress();
  };
  slider.addEventListener("input", () => {
    number.value = edges[slider.value];
    choose(edges[slider.value]);
  });
  number.addEventListener("input", () => {
    if (number.value === "" || !number.checkValidity()) return;
    choose(Number(number.value));
    slider.value = stop();
  });
  return element("label", { class: "limit" }, text, " ", slider, " ", number);
};

const showCounts = (layer) => {
  const counts = countsAt(layer, view);
  for (const [subset, range] of Object.entries(counts)) document.getElementById(`count-${subset}`).textContent = shownRange(range);
  draw(document.getElementById("plot"), layer, view);
  const buckets = bucketsAt(layer, view);
  document.getElementById("buckets").replaceChildren(table(["relative error up to", "all", "within the limit"],
    layer.buckets.map((bucket, i) => [bucket.up_to === null ? "more, or undefined" : `${bucket.up_to} %`, shown(buckets[i].all), shownRange(buckets[i].inLimit)])));
  const ranges = [...Object.values(counts), ...buckets.map(({ inLimit }) => inLimit)];
  document.getElementById("ranges").textContent = ranges.every(([least, most]) => least === most) ? ""
    : "A limit lies inside a bin of the histogram, so some counts are known only as ranges. Run the command "
      + "again with "
      + `--oom-limit ${view.oom} --rel-err ${view.rel} to count exactly.`;
};

const showPlane = (layer) => {
  const counts = element("dl", { class: "counts", "aria-live": "polite" });
  for (const subset of ["passed", "failed", "discarded"])
    counts.append(element("dt", { class: subset }, subset), element("dd", { id: `count-${subset}` }));
  return element("div", { class: "side" },
    element("div", {}, showAxes(element("canvas", { id: "plot", class: "plot", role: "img", "aria-label": "relative error (vertical) by order of magnitude (horizontal)" })),
      element("p", { class: "note" }, "Horizontal: order of magnitude, 1 to 1,000,000 (log). Vertical: signed relative error, ±0.001 % to ±10,000 % (log), with equal elements in the middle row.")),
    element("div", {},
      limitInput("oom", "Order of magnitude up to", grid.oomEdges, 1),
      limitInput("rel", "Relative error (%) up to", grid.relativeEdges, 0),
      counts,
      element("p", { class: "note", id: "ranges" }),
      element("p", { class: "note" }, `The run used the limits ${shown(layer.oom_limit)} and ${shown(layer.rel_err)} %: ${shown(layer.passed)} passed, ${shown(layer.failed)} failed, ${shown(layer.discarded)} discarded.`),
      element("div", { id: "buckets" })));
};
