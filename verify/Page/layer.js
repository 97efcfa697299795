// View of one layer in the report page: picture and maps of the errors of its tensor, metrics, verdict,
// decisions of the compiler, and instructions.

const hasTruth = (layer) => Boolean(layer.truth?.cells);
// The record of the comparison that the reader of the page chose: device against oracle, or device against
// the original model.
const sideOf = (layer) => (view.side === "truth" && hasTruth(layer) ? { ...layer, ...layer.truth } : layer);

const showHistogram = (title, names, counts) => {
  const most = Math.max(...counts);
  const rows = counts.map((count, i) => [names(i), shown(count),
    element("span", { class: "bar", style: `width:${most ? (200 * Math.log1p(count)) / Math.log1p(most) : 0}px` })]);
  return element("div", {}, element("h3", {}, title), table([title, "elements", "(log)"], rows));
};
const ulpName = (i) => (i < 3 ? String(i) : `${2 ** (i - 2) + 1}–${2 ** (i - 1)}`);

const showSides = (layer) => {
  const choice = (side, words) => {
    const input = element("input", { type: "radio", name: "side", id: `side-${side}` });
    input.checked = view.side === side;
    input.addEventListener("change", () => {
      Object.assign(view, { side, oom: null, rel: null });
      showLayer();
      keepAddress();
      document.getElementById(`side-${side}`).focus();
    });
    return element("label", { class: "choice" }, input, " ", words);
  };
  return element("fieldset", {}, element("legend", {}, "Compare the device's tensor with"),
    choice("bits", "the oracle (the exact result, bit for bit)"),
    choice("truth", "the original model in floats"));
};

// The fields of a record that describe the layer (`fields`), and the metrics that are shown side by side for
// all comparisons of the layer (`figures`).
const fields = ["status", "reason", "layer", "kind", "onnx_ops", "onnx_nodes", "where", "dtype", "stored_type", "scale",
  "zero_point", "macs", "output_type", "sources", "picture", "evidence"];
const figures = [...data.metrics.map(({ key }) => key), "anchor_value", "largest_reference", "largest_target"];
const inWords = (value) => (Array.isArray(value) ? value.join(", ") : shown(value));
const isGiven = (value) => value !== undefined && value !== null && value !== "" && value.length !== 0;

const showFields = (layer) => section("Layer", table(["field", "value"],
  fields.filter((name) => isGiven(layer[name])).map((name) => [name, inWords(layer[name])]), "fields"));

const showFigures = (layer) => {
  const comparisons = [["isolated", "isolated"], ["noise", "oracle against model"], ["truth", "device against model"]]
    .filter(([name]) => layer[name]);
  const names = figures.filter((name) => isGiven(layer[name]));
  const heads = ["metric", comparisons.length ? "device against oracle" : "value", ...comparisons.map(([, title]) => title)];
  const rowOf = (name) =>
    [name, shown(layer[name]), ...comparisons.map(([comparison]) => shown(layer[comparison][name]))];
  return section("Figures", table(heads, names.map(rowOf)));
};

const showWorst = (layer) => {
  const onTiles = layer.worst.some((worst) => isGiven(worst.tile));
  const heads = ["position", "index", "reference", "target", "difference", "relative %", "order"];
  const names = ["index", "reference", "target", "abs", "rel", "oom"];
  for (const list of onTiles ? [heads, names] : []) list.push("tile");
  return section("Largest differences", table(heads,
    layer.worst.map((worst) => [`[${worst.position.join(", ")}]`, ...names.map((name) => shown(worst[name]))])));
};

const asPercent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
// Table that shows, for each class of bugs, how many wrong elements the hypotheses of the class explain.
const showAttribution = ({ elements, failed, replayed, classes, unexplained }, bar) => {
  const rowOf = (name, part, by) =>
    [name, asPercent(part.share), shown(part.failed), shown(part.elements), by, bar(part.share)];
  const rows = classes.map((part) => rowOf(part.class, part, part.explained_by.map(({ words }) => words).join("; ")));
  const looked = replayed < elements ? ` (${shown(replayed)} evenly chosen wrong elements were examined)` : "";
  return [
    element("p", {}, `Explanations of the ${shown(elements)} wrong elements, ${shown(failed)} of which failed${looked}:`),
    table(["class", "share", "failed elements", "wrong elements", "explained by", ""],
      [...rows, rowOf("unexplained", unexplained, "")]),
  ];
};
// The classifier's verdict on a tensor that is wrong although its layer's inputs are right, with the
// reasons for the verdict.
const showVerdict = ({ answer, reason, top, attribution, evidence, missing }) => {
  if (answer === "cannot_say") return section("Verdict", element("p", {}, `cannot say: ${reason}`));
  const heaviest = Math.max(...evidence.map(({ weight }) => weight));
  const bar = (share) => element("span", { class: "bar", style: `width:${200 * share}px` });
  const children = [
    element("p", {}, answer === "unknown" ? "an unknown bug, most similar to" : "named by the classifier"),
    table(["class", "description", "probability", "failed elements explained", "suspected parts", ""], top.map((one) => [one.class, one.words,
      asPercent(one.probability), shown(one.attributed), one.suspects.join(", "), bar(one.probability)])),
  ];
  if (attribution) children.push(...showAttribution(attribution, bar));
  if (evidence.length)
    children.push(element("p", {}, `Evidence for ${top[0].class}:`), table(["evidence", "what it shows", "weight", ""],
      evidence.map(({ name, words, weight }) => [name, words, shown(weight), bar(weight / heaviest)])));
  if (missing.length) children.push(element("p", {}, `Information that was not available: ${missing.join("; ")}`));
  return section("Verdict", ...children);
};

const showDecisions = (layer) =>
  section("Decisions of the compiler", table(["decision", "why"], Object.entries(layer.decisions), "fields"));

const showTiles = (layer) => {
  const children = [];
  if (layer.instructions?.length) {
    const rowOf = (range) => [range.stage, shown(range.tile), range.primitive, shown(range.begin), shown(range.end)];
    children.push(element("p", {}, "Instructions on the tiles that hold the largest differences:"),
      table(["stage", "tile", "primitive", "from", "to"], layer.instructions.map(rowOf)));
    if (layer.more_instructions) children.push(element("p", {}, `and ${shown(layer.more_instructions)} more ranges`));
  }
  const tiles = table(["stage", "tile", "first instruction", "end"],
    layer.tiles.map((span) => [span.stage, shown(span.tile), shown(span.begin), shown(span.end)]));
  const count = new Set(layer.tiles.map((span) => span.tile)).size;
  const words = `${count} ${count === 1 ? "tile computes" : "tiles compute"} the layer`;
  children.push(element("details", {}, element("summary", {}, words), tiles));
  return section("Tiles and instructions", ...children);
};

const showLayer = () => {
  const place = document.getElementById("layer");
  const layer = layers[view.layer];
  place.replaceChildren();
  if (!layer) return;
  const side = sideOf(layer);
  place.append(element("h2", {}, layer.name, ` [${(layer.shape ?? []).join(", ")}]`));
  if (layer.reason) place.append(element("p", {}, layer.reason));
  if (layer.verdict) place.append(showVerdict(layer.verdict));
  place.append(element("div", { class: "side" }, ...showGraph(view.layer), ...showTileMap(layer)));
  const maps = element("div", { class: "side" });
  if (side.error_map) maps.append(showMap(layer, side.error_map));
  if (side.channel_profile) maps.append(showProfile(layer, side.channel_profile));
  if (hasTruth(layer)) place.append(showSides(layer));
  place.append(maps);
  if (side.cells) {
    view.oom ??= asKey(side.oom_limit);
    view.rel ??= asKey(side.rel_err);
    place.append(showPlane(side));
    showCounts(side);
  }
  const parts = element("div", { class: "side" });
  if (side.worst?.length) parts.append(showWorst(side));
  parts.append(showFigures(layer), showFields(layer));
  if (side.ulps) parts.append(showHistogram("error in units in the last place", ulpName, side.ulps));
  if (side.bits_off) parts.append(showHistogram("error in 8-bit steps", String, side.bits_off));
  if (layer.decisions && Object.keys(layer.decisions).length) parts.append(showDecisions(layer));
  if (layer.tiles?.length) parts.append(showTiles(layer));
  place.append(parts);
};
