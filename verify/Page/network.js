// View of the whole network: the run, the table of all tensors, and what was not compared.

const column = (title, of, words = false) => ({ title, of, words });
const field = (name, title) => column(title, (layer) => layer[name]);
const columns = [field("name", "tensor"), column("status", (layer) => layer.status, true),
  ...data.metrics.filter(({ heading }) => heading).map(({ key, heading }) => field(key, heading))];
// Columns that only `tilerig check` fills. Columns without any value are not shown.
const optional = [column("operators", (layer) => layer.onnx_ops?.join(", "), true),
  column("verdict", (layer) => layer.verdict?.class ?? layer.verdict?.answer, true),
  column("where", (layer) => layer.where, true), column("SQNR against the model, dB", (layer) => layer.truth?.sqnr_db),
  column("cycles", (layer) => clockOf(layer)?.cycles), column("cycles alone", (layer) => clockOf(layer)?.alone_cycles),
  column("limited by", (layer) => clockOf(layer)?.bound_by, true),
  column("lost cycles", (layer) => clockOf(layer)?.lost_cycles)];
const clockOf = (layer) => data.clock?.layers.find((entry) => entry.name === layer.layer);
const usedColumns = () => [...columns, ...optional.filter(({ of }) => layers.some((layer) => isGiven(of(layer))))];

// Whether a tensor is wrong by itself (from right inputs), not only because of its layer's wrong inputs.
const isWrong = ({ status }) => status !== "match" && status !== "inherited";
const firstWrong = () => {
  const own = layers.findIndex(isWrong);
  return own >= 0 ? own : layers.findIndex(({ status }) => status !== "match");
};
// Whether the table lists a tensor. By default it lists tensors that are wrong by themselves (from right
// inputs) or, if there are none, all that are not right; in a run without errors all tensors.
const isListed = (layer) => {
  if (view.rows === "all" || firstWrong() < 0) return true;
  return layers.some(isWrong) ? isWrong(layer) : layer.status !== "match";
};

const asKey = (value) => (value === "inf" ? Infinity : value === "-inf" ? -Infinity : value);
const compare = (left, right) => {
  if (left === right) return 0;
  if (left === null || left === undefined) return 1;
  if (right === null || right === undefined) return -1;
  return left < right ? -1 : 1;
};

const orderOfLayers = () => {
  const order = layers.map((_, i) => i).filter((i) => isListed(layers[i]));
  const used = usedColumns().find(({ title }) => title === view.sort);
  if (used)
    order.sort((a, b) => compare(asKey(used.of(layers[a])), asKey(used.of(layers[b]))) * (view.down ? -1 : 1) || a - b);
  return order;
};

const select = (index) => {
  const from = document.activeElement?.closest?.(".strip, .graph"); // which is drawn anew
  Object.assign(view, { layer: index, oom: null, rel: null });
  showOverview();
  showTimeline();
  showLayer();
  keepAddress();
  if (from?.matches(".strip")) {
    document.querySelector(".square[aria-current=true]").focus();
    return;
  }
  document.getElementById("layer").scrollIntoView();
  if (from) document.querySelector(".graph .own")?.focus({ preventScroll: true });
};

const showOverview = () => {
  const used = usedColumns();
  const heads = used.map(({ title, words }) => {
    const button = element("button", { type: "button" }, title);
    button.addEventListener("click", () => {
      Object.assign(view, { sort: title, down: view.sort === title && !view.down });
      showOverview();
    });
    const direction = view.sort === title ? (view.down ? "descending" : "ascending") : "none";
    return element("th", { scope: "col", class: words ? "words" : "number", "aria-sort": direction }, button);
  });
  const rows = orderOfLayers().map((index) => {
    const layer = layers[index];
    const cells = used.map(({ title, of, words }) => {
      if (title === "status") return element("td", { class: `words status ${layer.status}` }, layer.status);
      if (title !== "tensor") return element("td", { class: words ? "words" : "number" }, shown(of(layer)));
      const button = element("button", { type: "button" }, layer.name);
      button.addEventListener("click", () => select(index));
      return element("td", {}, button);
    });
    return element("tr", { "aria-selected": index === view.layer, class: layer.status }, ...cells);
  });
  document.getElementById("overview").replaceChildren(...showStrip(), ...showChoiceOfRows(rows.length),
    element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...rows)));
};

// For a run with errors: a choice of the rows that the table of tensors lists, and a button to the first
// wrong tensor.
const showChoiceOfRows = (count) => {
  const first = firstWrong();
  if (first < 0) return [];
  const input = element("input", { type: "checkbox", id: "all-rows" });
  input.checked = view.rows === "all";
  input.addEventListener("change", () => {
    view.rows = input.checked ? "all" : "wrong";
    showOverview();
    keepAddress();
    document.getElementById("all-rows").focus();
  });
  const jump = element("button", { type: "button", id: "first-wrong" }, `First wrong: ${layers[first].name}`);
  jump.addEventListener("click", () => select(first));
  const hidden = layers.length - count;
  return [element("p", {}, jump), element("label", { class: "choice" }, input,
    hidden ? ` show all ${layers.length} tensors; ${hidden} that match or inherit an error are hidden`
      : ` show all ${layers.length} tensors`)];
};

// Summary in words of how many emitted layers were checked and are wrong: computed in floats (records
// "emitted") or in their precision (records "rounded").
const wordsOfModel = (kind) => {
  const count = data.summary[kind], wrong = data.summary[`${kind}_wrong`];
  return count ? [`${count} layers checked as ${kind}: ${wrong ? `${wrong} wrong` : "all right"}`] : [];
};

// Summary in words of the further steps of a check of several runs (--loop), records "step".
const wordsOfSteps = () => {
  const count = data.steps.length, wrong = data.summary.step_wrong;
  return count ? [`${count} further ${count === 1 ? "step" : "steps"} checked: ${wrong ? `${wrong} wrong` : "all right"}`] : [];
};

// The verdict on the network in words, if a layer is to blame.
const verdictWords = () => {
  const { answer, layer, class: name, probabilities, proved } = data.verdict ?? {};
  if (proved || !layer) return [];
  if (answer === "cannot_say") return [`verdict on ${layer}: cannot say`];
  return [`verdict on ${layer}: ${answer === "unknown" ? "an unknown bug, most similar to " : ""}${name} (${asPercent(probabilities[name])})`];
};

const showRun = () => {
  const title = `tilerig ${data.run.command ?? "verify"}${data.run.model ? `: ${data.run.model.split("/").pop()}` : ""}`;
  document.getElementById("title").textContent = title;
  document.title = title;
  const words = Object.entries(data.summary.statuses).map(([status, count]) => `${count} ${status}`).join(", ");
  document.getElementById("run").textContent = `${data.run.target} against ${data.run.reference}: ${words}`
    + [data.run.exact ? " (every bit must be equal)" : "", ...wordsOfModel("emitted"), ...wordsOfModel("rounded"),
      ...wordsOfSteps(), ...verdictWords()].join("; ");
  const known = ["precision", "machine", "tiles", "inputs", "not_finite", "warnings", "calibration", "program", "thresholds", "map", "by_beats",
    "not_isolated", "not_timed", "faults", "injected"].filter((name) => isGiven(data.run[name]));
  if (known.length)
    document.getElementById("run").after(table(["run", ""],
      known.map((name) => [name.replaceAll("_", " "), inWords(data.run[name])]), "fields"));
};

const showRest = () => {
  const place = document.getElementById("rest");
  const list = (title, lines) => {
    if (lines.length)
      place.append(element("h2", {}, title), element("ul", {}, ...lines.map((line) => element("li", {}, line))));
  };
  if (data.emitted.length) {
    const rowOf = (layer) =>
      [layer.name, layer.status, shown(layer.elements), shown(layer.max_abs), shown(layer.bound), layer.reason];
    place.append(element("h2", {}, "Emitted layers in floats, compared with the original model"),
      table(["tensor", "status", "elements", "max abs", "bound", "reason"], data.emitted.map(rowOf)));
  }
  if (data.rounded.length) {
    const rowOf = (layer) => [layer.name, layer.kind, layer.status, shown(layer.elements), shown(layer.max_abs),
      shown(layer.bound), shown(layer.worst), layer.reason];
    place.append(element("h2", {}, "Emitted layers in their precision, compared with the same layers in floats"),
      table(["tensor", "layer", "status", "elements", "largest error", "bound", "error / bound", "reason"],
        data.rounded.map(rowOf)));
  }
  if (data.steps.length) {
    const mostListed = 100;
    const wrong = data.steps.filter((step) => step.status !== "match");
    const listed = data.steps.length > mostListed ? wrong.slice(0, mostListed) : data.steps;
    const rowOf = (step) => [step.step, step.status, step.first_wrong ?? "", step.reason];
    place.append(element("h2", {}, `Further steps (--loop)${listed === data.steps ? "" : `, the first ${listed.length} of ${wrong.length} wrong ones`}`),
      table(["step", "status", "first wrong tensor", "reason"], listed.map(rowOf)));
  }
  list("Changes since the baseline",
    data.changes.map((record) => `${record.name}: ${record.change}, was ${record.before}, is ${record.now}`));
  list("Not compared", data.leftOut.map((record) => `${record.name}: ${record.reason}`));
};
