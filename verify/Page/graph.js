// Drawing of the network around a tensor: two steps back, the tensors from which it is computed, and two steps ahead, those that are
// computed from it. And a strip that shows all tensors at once.

// An element of an SVG drawing.
const drawn = (tag, attributes = {}, ...children) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
// Makes an element of the page or of a drawing a button.
const asButton = (made, act) => {
  made.setAttribute("tabindex", "0");
  made.setAttribute("role", "button");
  made.addEventListener("click", act);
  made.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act();
  });
  return made;
};

const indexOfTensor = new Map(layers.map(({ name }, index) => [name, index]));
const readBy = layers.map(() => []);
layers.forEach(({ sources }, index) => {
  for (const source of new Set(sources ?? [])) readBy[indexOfTensor.get(source)]?.push(index);
});
const sourcesOf = (index) => [...new Set((layers[index].sources ?? []).map((name) => indexOfTensor.get(name)))]
  .filter((source) => source !== undefined);

const kindOfStatus = (status) => ({ match: "match", inherited: "inherited" }[status] ?? "wrong");

const stepsAround = 2, mostInRow = 6;
// The tensors around one, from row to row along the flow of data. A row may leave out tensors; `more` counts them.
const rowsAround = (index) => {
  const shown = new Set([index]);
  for (const next of [sourcesOf, (one) => readBy[one]]) {
    let at = [index];
    for (let step = 0; step < stepsAround; ++step) {
      at = [...new Set(at.flatMap(next))].filter((one) => !shown.has(one));
      at.forEach((one) => shown.add(one));
    }
  }
  // A tensor is below all of its sources. Records are in the order of the program, so sources have lower indices.
  const rowOf = new Map(), rows = [];
  for (const one of [...shown].sort((a, b) => a - b)) {
    const row = Math.max(0, ...sourcesOf(one).filter((source) => rowOf.has(source)).map((source) => rowOf.get(source) + 1));
    rowOf.set(one, row);
    (rows[row] ??= []).push(one);
  }
  // Of a long row, the tensor itself is shown, then those that are wrong by themselves.
  const rankOf = (one) => (one === index ? 0 : kindOfStatus(layers[one].status) === "wrong" ? 1 : 2);
  return rows.map((tensors) => {
    const first = [...tensors].sort((a, b) => rankOf(a) - rankOf(b) || a - b);
    return { tensors: first.slice(0, mostInRow).sort((a, b) => a - b), more: Math.max(0, tensors.length - mostInRow) };
  });
};

const shortened = (text, most) => (text.length <= most ? text : `${text.slice(0, most / 2 - 1)}…${text.slice(text.length - most / 2)}`);

const boxWidth = 176, boxHeight = 40, gapAcross = 16, gapDown = 34, detour = 48;
// An edge to the next row leads from the lower side to the upper side of the boxes. A longer one goes around the rows between, from
// right side to right side.
const edgeBetween = (from, to) => {
  if (to.y - from.y > boxHeight + gapDown) {
    const start = [from.x + boxWidth, from.y + boxHeight / 2], end = [to.x + boxWidth, to.y + boxHeight / 2];
    const outside = Math.max(start[0], end[0]) + detour;
    return `M${start}C${outside} ${start[1]} ${outside} ${end[1]} ${end}`;
  }
  const start = [from.x + boxWidth / 2, from.y + boxHeight], end = [to.x + boxWidth / 2, to.y];
  const middle = (start[1] + end[1]) / 2;
  return `M${start}C${start[0]} ${middle} ${end[0]} ${middle} ${end}`;
};

const showGraph = (index) => {
  const rows = rowsAround(index);
  if (rows.length < 2) return [];
  const widest = Math.max(...rows.map(({ tensors, more }) => tensors.length + (more ? 0.5 : 0)));
  const width = widest * (boxWidth + gapAcross) + gapAcross + 2 * detour, height = rows.length * (boxHeight + gapDown);
  const placeOf = new Map();
  rows.forEach(({ tensors, more }, row) => tensors.forEach((tensor, column) => {
    const own = (tensors.length + (more ? 0.5 : 0)) * (boxWidth + gapAcross) - gapAcross;
    placeOf.set(tensor, { x: (width - own) / 2 + column * (boxWidth + gapAcross), y: row * (boxHeight + gapDown) + gapDown / 2 });
  }));
  const picture = drawn("svg", { class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "group",
    "aria-label": "the network around this tensor" });
  for (const [tensor, { x, y }] of placeOf)
    for (const source of sourcesOf(tensor)) {
      const from = placeOf.get(source);
      if (!from) continue;
      picture.append(drawn("path", { class: "edge", d: edgeBetween(from, { x, y }) }));
    }
  for (const [tensor, { x, y }] of placeOf) {
    const { name, status, onnx_ops: ops } = layers[tensor];
    const box = drawn("g", { class: `box ${kindOfStatus(status)}${tensor === index ? " own" : ""}` },
      drawn("title", {}, `${name}: ${status}`),
      drawn("rect", { x, y, width: boxWidth, height: boxHeight, rx: 4 }),
      drawn("text", { x: x + boxWidth / 2, y: y + 16 }, `${{ match: "✓", inherited: "↳", wrong: "✗" }[kindOfStatus(status)]} ${shortened(name, 22)}`),
      drawn("text", { class: "ops", x: x + boxWidth / 2, y: y + 32 }, shortened((ops ?? []).join(", "), 26)));
    picture.append(asButton(box, () => select(tensor)));
  }
  rows.forEach(({ tensors, more }) => {
    if (!more) return;
    const { x, y } = placeOf.get(tensors.at(-1));
    picture.append(drawn("text", { class: "more", x: x + boxWidth + gapAcross, y: y + boxHeight / 2 + 4 }, `+ ${more}`));
  });
  return [section("Network around this tensor", picture, element("p", { class: "note" },
    "Data flow downwards. ✓ right; ✗ wrong from right inputs, or not comparable; ↳ wrong because of its inputs."))];
};

// All tensors as small squares, in the order of the program.
const showStrip = () => {
  if (layers.length < 2) return [];
  const squares = layers.map(({ name, status }, index) => {
    const square = element("span", { class: `square ${kindOfStatus(status)}`, title: `${name}: ${status}`,
      "aria-label": `${name}: ${status}`, "aria-current": index === view.layer });
    asButton(square, () => select(index));
    square.setAttribute("tabindex", index === view.layer ? "0" : "-1"); // the strip is one stop of the tab key
    return square;
  });
  const strip = element("div", { class: "strip", role: "group", "aria-label": "all tensors; the arrow keys select the next and the previous one" }, ...squares);
  strip.addEventListener("keydown", ({ key }) => {
    const next = view.layer + ({ ArrowRight: 1, ArrowLeft: -1 }[key] ?? 0);
    if (next !== view.layer && layers[next]) select(next);
  });
  return [strip];
};
