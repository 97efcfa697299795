// What all parts of the page use: the data, the view, and how elements of the document are made.
//
// Everything it shows comes from the records in #data; nothing is fetched. Parts are joined in the order of embed.cmake.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const { grid, layers } = data;
// A tensor that matches what the compiler stated wrongly is not right: device and oracle agree on something else than
// the model.
const namesOfWrong = (kind) => new Set(data[kind].filter(({ status }) => status !== "match").map(({ name }) => name));
const statedWrongly = { emitted: namesOfWrong("emitted"), rounded: namesOfWrong("rounded") };
for (const layer of layers) {
  const kinds = Object.keys(statedWrongly).filter((kind) => statedWrongly[kind].has(layer.name));
  if (layer.status === "match" && kinds.length) layer.status = `wrong as ${kinds.join(" and ")}`;
}
// rows: wrong (by themselves, if any are) or all.
// side: bits (device against oracle, or the only comparison there is) or truth (device against the model).
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

// Numbers stand at the right of their column, words and bars at the left.
const isNumber = (cell) => typeof cell === "string" && /^([-–+]?[\d.,]+|–|-?inf|nan)\b|^–?$/i.test(cell);
const table = (heads, rows, kind = "") => {
  const words = heads.flatMap((_, i) => (rows.every((row) => isNumber(row[i])) ? [] : [`words-${i + 1}`]));
  return element("table", { class: [kind, ...words].join(" ") },
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))))));
};

const section = (title, ...children) => element("div", {}, element("h3", {}, title), ...children);
const colours = { passed: [0, 114, 178], failed: [213, 94, 0], discarded: [128, 128, 128] };

