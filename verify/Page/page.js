// Entry point of the report page. The view that the reader chose is kept in the address and so can be shared:
// #layer=3&oom=100&rel=7&side=truth&rows=all (index of a tensor, both limits, shown comparison, listed rows).
// Keys n and p select the next and the previous row, w the first wrong tensor.

const keepAddress = () => history.replaceState(null, "", `#layer=${view.layer}&oom=${view.oom}&rel=${view.rel}&side=${view.side}&rows=${view.rows}`);
const readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const limit = (name, least) => {
    const number = Number.parseFloat(words.get(name));
    return number >= least && number < Infinity ? number : null;
  };
  const index = Number.parseInt(words.get("layer"), 10);
  view.layer = index >= 0 && index < layers.length ? index : Math.max(firstWrong(), 0);
  view.rows = words.get("rows") === "all" ? "all" : "wrong";
  view.side = words.get("side") === "truth" ? "truth" : "bits";
  view.oom = limit("oom", 1);
  view.rel = limit("rel", 0);
};

const showAll = () => {
  readAddress();
  showOverview();
  showTimeline();
  showLayer();
};
addEventListener("hashchange", showAll);
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.type === "number") return;
  if (event.key === "w" && firstWrong() >= 0) select(firstWrong());
  const step = { n: 1, p: -1 }[event.key];
  if (!step) return;
  const order = orderOfLayers();
  const next = order[order.indexOf(view.layer) + step];
  if (next !== undefined) select(next);
});
showAlarm();
showWarning();
showRun();
showRest();
showAll();
