// Timing of the layers: timeline, slowest layers, and the critical path of the program.

const layerButton = (name) => {
  const index = layers.findIndex((layer) => layer.layer === name);
  if (index < 0) return name;
  const button = element("button", { type: "button" }, name);
  button.addEventListener("click", () => select(index));
  return button;
};

// The most frequent reason for which a layer is stalled, in words.
const stallWords = ({ stalled_cycles: stalled }) => {
  const [reason, cycles] = Object.entries(stalled ?? {}).reduce((a, b) => (b[1] > a[1] ? b : a), ["", 0]);
  return cycles ? reason.replaceAll("_", " ") : "";
};

const slowestCount = 10;
const showSlowest = ({ cycles, layers: entries }) => {
  const slowest = [...entries].sort((a, b) => b.cycles - a.cycles).slice(0, slowestCount);
  const rowOf = (entry) => [layerButton(entry.name), shown(entry.cycles), asPercent(entry.cycles / cycles),
    shown(entry.alone_cycles), shown(entry.bound_cycles), entry.bound_by ?? "", shown(entry.lost_cycles), stallWords(entry)];
  return [element("h3", {}, `The ${slowest.length} layers that take longest`),
    table(["layer", "cycles", "share of the program", "cycles alone", "lower bound", "limited by", "lost cycles", "main cause of stalls"], slowest.map(rowOf)),
    element("p", { class: "note" }, "Cycles alone: if no other layer runs at the same time. Lower bound: time of the "
      + "multiplications at the peak rate of all tiles, or of the DDR transfers at full bandwidth, whichever is longer. "
      + "Lost cycles: cycles beyond the lower bound. Layers overlap, so shares may add up to more than 100 %.")];
};

const showCriticalPath = ({ critical_path: path, cycles }) => {
  if (!path?.length) return [];
  const rowOf = ({ name, cycles: own, links }) => [layerButton(name), shown(own), asPercent(own / cycles), shown(links)];
  return [element("h3", {}, "Critical path"),
    table(["layer", "cycles", "share of the program", "instructions"], path.map(rowOf)),
    element("p", { class: "note" }, "The critical path is the chain of instructions that ends last; each of its instructions begins as soon as the "
      + "one before permits it. The table lists the layers of these instructions, the longest part first. Only a change that "
      + "shortens one of these parts makes the program faster.")];
};

// Draws a bar for each layer from its first to its last cycle.
const showTimeline = () => {
  const clock = data.clock;
  if (!clock) return;
  const statusOf = (name) => {
    const own = layers.filter((layer) => layer.layer === name);
    return own.find((layer) => layer.status !== "match")?.status ?? own[0]?.status;
  };
  const share = (cycles) => `${((100 * cycles) / clock.cycles).toFixed(3)}%`;
  const rows = clock.layers.map((entry) => {
    const index = layers.findIndex((layer) => layer.layer === entry.name);
    const status = statusOf(entry.name);
    const bar = element("div", {
      class: `run ${status && status !== "match" ? "wrong" : ""} ${entry.where}`,
      style: `margin-left:${share(entry.begin)};width:${share(entry.cycles)}`,
    });
    const cells = [layerButton(entry.name), shown(entry.begin), shown(entry.cycles), shown(entry.bound_cycles)];
    return element("tr", { "aria-selected": index >= 0 && index === view.layer },
      ...cells.map((cell) => element("td", {}, cell)), element("td", { class: "track" }, bar));
  });
  const heads = ["layer", "first cycle", "cycles", "lower bound", "time"].map((head) => element("th", { scope: "col" }, head));
  document.getElementById("timeline").replaceChildren(element("h2", {}, `Timeline: ${shown(clock.cycles)} cycles`),
    ...showSlowest(clock), ...showCriticalPath(clock),
    element("h3", {}, "All layers"),
    element("table", { class: "timeline" }, element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows)));
};
