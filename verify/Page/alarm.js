// The top of the page: problems that the table of tensors may not show, and accuracy that is lost without a
// bug.

const placeWords = ({ words }) => element("li", {}, words);
// The synchronisation that is missing at a race or at a wait.
const orderWords = ({ added, proves_program: isEnough }) => element("li", {}, "What is missing: ",
  added.map(({ instruction, before, tile }) => `'${instruction}' before instruction ${before} of tile ${tile}`).join(" and "),
  isEnough ? "; the program is then proved." : "; other problems remain.");
// A space-time diagram. As an image it can neither run scripts nor change the style of the page.
// The file beside the page has the instructions as tooltips, too.
const showDiagram = (svg, file, words) => element("a", { href: file ?? "" }, element("img", { class: "diagram",
  alt: `The order of the steps around: ${words}`, src: `data:image/svg+xml,${encodeURIComponent(svg)}` }));
const showFinding = ({ kind, reason, places, clocks = [], missing_order: order, diagram, picture }) =>
  element("li", { class: "finding" }, `${kind}: ${reason}`,
    element("ul", {}, ...places.map(placeWords), ...clocks.map(placeWords), ...(order ? [orderWords(order)] : [])),
    ...(diagram ? [showDiagram(diagram, picture, places.map(({ words }) => words).join("; "))] : []));

const totalOf = (counts) => Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0);
// Shows the first few findings of the analyser and the traps. The others are in a collapsed list, whose title
// states their number.
const showFindings = () => {
  const most = 5, findings = data.findings;
  if (!findings.length) return [];
  const total = totalOf(data.program?.findings) + totalOf(data.program?.traps);
  const parts = [element("ul", {}, ...findings.slice(0, most).map(showFinding))];
  const rest = findings.slice(most);
  if (rest.length)
    parts.push(element("details", {}, element("summary", {}, `${total - most} more`),
      element("ul", {}, ...rest.map(showFinding)),
      total > findings.length ? `The analyser counted ${total - findings.length} more, but recorded only the first ones of each kind.` : ""));
  return parts;
};

const describeCounts = (counts) => Object.entries(counts).map(([kind, count]) => `${shown(count)} ${kind}`).join(", ");

// The proved class of the bug in words: one class, or several classes of which one must be right.
const proofWords = ({ answer, classes, class: name, layer, probabilities, proved_by: by }) => {
  const on = layer ? ` on ${layer}` : "";
  if (answer !== "one_of") return `Verdict${on}: ${name}, proved by the ${by}`;
  const shares = [...classes].sort((a, b) => probabilities[b] - probabilities[a])
    .map((it) => `${it} (${asPercent(probabilities[it])})`);
  return `Verdict${on}: proved by the ${by} to be one of ${shares.join(", ")}`;
};

// Where the network begins to fail, as `tilerig bisect` has found it (--debug).
const debugWords = ({ layer, onnx_op: op, shortest, nodes, primitive, tile, engine, stage, instructions, clears, program_nodes: length, reproducer, reproducer_nodes: few }) => {
  const items = [`the shortest network that fails has the first ${shortest} of ${nodes} nodes`];
  if (instructions) {
    const [begin, end] = instructions;
    items.push(`made wrong by ${primitive} on tile ${tile}, engine ${engine}, instruction${end - begin > 1 ? `s ${begin} to ${end - 1}` : ` ${begin}`} of stage ${stage}${length === nodes ? "" : " of that shorter network"}`);
  }
  if (typeof clears === "boolean")
    items.push(clears ? "with its right values, everything behind it is right" : "with its right values, something behind it is still wrong");
  if (reproducer) items.push(`a network of ${few} ${few === 1 ? "node" : "nodes"} that fails in the same way: ${reproducer}`);
  return ["First failing layer: ", layerButton(layer), ` (${op})`, element("ul", {}, ...items.map((words) => element("li", {}, words)))];
};

// Another layer with a bug of its own, beside the one that the verdict on the network blames.
const otherBugWords = ({ layer, answer, class: name, reason, probabilities, proved_by: by }) => ["Another bug", ...(layer ? [" on ", layerButton(layer)] : []), ": ",
  by ? `${name}, proved by the ${by}` : answer === "cannot_say" ? `cannot say: ${reason}`
    : `${answer === "unknown" ? "an unknown bug, most similar to " : ""}${name} (${asPercent(probabilities[name])})`];

const showAlarm = () => {
  const parts = [];
  const say = (...words) => parts.push(element("div", { class: "alarm" }, ...words));
  if (data.verdict?.proved) say(proofWords(data.verdict));
  if (data.program) {
    const { name, status, findings = {}, traps = {} } = data.program;
    const counts = [totalOf(findings) ? `the analyser found ${describeCounts(findings)}` : "",
      totalOf(traps) ? `the emulator met ${describeCounts(traps)}` : ""].filter((words) => words);
    say(`${name}: ${status}${counts.length ? `: ${counts.join("; ")}` : ""}`, ...showFindings());
  }
  for (const other of data.verdict?.others ?? []) say(...otherBugWords(other));
  if (data.debug?.error) say(`The first failing layer was not found: ${data.debug.error}`);
  if (data.debug?.layer) say(...debugWords(data.debug));
  for (const [kind, names] of Object.entries(statedWrongly))
    if (names.size) say(`${names.size} layers are ${kind} wrongly: ${[...names].join(", ")}`);
  document.getElementById("alarm").replaceChildren(...parts);
};

// Shows accuracy that is lost to the precision without a bug.
const showWarning = () => {
  const { poor, of, below_db: limit, worst, worst_db: decibels, lost_at: places, advice } = data.accuracy ?? {};
  if (!poor) return;
  document.getElementById("warning").replaceChildren(element("div", { class: "warning" },
    `The precision costs accuracy (this is not a bug): ${poor} of ${of} tensors have a signal-to-noise ratio below ${limit} dB `
    + `against the original model; the lowest is ${worst} with ${typeof decibels === "number" ? decibels.toFixed(1) : decibels} dB. `
    + `Accuracy is lost ${places.length ? `at ${places.join(", ")}` : "gradually"}.`, element("br"), `What to do: ${advice}.`));
};
