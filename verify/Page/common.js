// Data, view state and helpers for document elements that all parts of the report page share.
//
// Everything shown comes from the records in #data; nothing is fetched. embed.cmake concatenates the parts in
// its order.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const { grid, layers } = data;
// If the compiler translated a layer wrongly, the tensor of that layer is not right although its status is
// `match`: device and oracle agree on a result that differs from the original model's.
const namesOfWrong = (kind) => new Set(data[kind].filter(({ status }) => status !== "match").map(({ name }) => name));
const statedWrongly = { emitted: namesOfWrong("emitted"), rounded: namesOfWrong("rounded") };
for (const layer of layers) {
  const kinds = Object.keys(statedWrongly).filter((kind) => statedWrongly[kind].has(layer.name));
  if (layer.status === "match" && kinds.length) layer.status = `wrong as ${kinds.join(" and ")}`;
}
// What the reader of the report page chose to see.
// rows: "wrong" (only tensors that are wrong from right inputs, if there are any) or "all" tensors.
// side: "bits" (device against oracle, or the only comparison) or "truth" (device against the original model).
const view = { layer: -1, side: "bits", oom: null, rel: null, rows: "wrong", sort: null, down: false };

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

// Numbers are right-aligned in their column, words and bars left-aligned.
const isNumber = (cell) => typeof cell === "string" && /^([-–+]?[\d.,]+|–|-?inf|nan)\b|^–?$/i.test(cell);
const table = (heads, rows, kind = "") => {
  const words = heads.flatMap((_, i) => (rows.every((row) => isNumber(row[i])) ? [] : [`words-${i + 1}`]));
  return element("table", { class: [kind, ...words].join(" ") },
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))));
};

const section = (title, ...children) => element("div", {}, element("h3", {}, title), ...children);
const colours = { passed: [0, 114, 178], failed: [213, 94, 0], discarded: [128, 128, 128] };

