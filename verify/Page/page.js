// The whole page. The view is in the address, so that it can be passed on: #layer=3&oom=20&rel=35&side=truth (indices of
// layers and edges). Keys n and p lead to the next layer and the one before.

const keepAddress = () => history.replaceState(null, "", `#layer=${view.layer}&oom=${view.oom}&rel=${view.rel}&side=${view.side}`);
const readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const index = (name, count) => {
    const number = Number.parseInt(words.get(name), 10);
    return number >= 0 && number < count ? number : null;
  };
  const firstWrong = layers.findIndex((layer) => layer.status !== "match");
  view.layer = index("layer", layers.length) ?? Math.max(firstWrong, 0);
  view.side = words.get("side") === "truth" ? "truth" : "bits";
  view.oom = index("oom", grid.oomEdges.length);
  view.rel = index("rel", grid.relativeEdges.length);
};

const showAll = () => {
  readAddress();
  showOverview();
  showTimeline();
  showLayer();
};
addEventListener("hashchange", showAll);
addEventListener("keydown", (event) => {
  const step = { n: 1, p: -1 }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  const order = orderOfLayers();
  const next = order[order.indexOf(view.layer) + step];
  if (next !== undefined) select(next);
});
showAlarm();
showRun();
showRest();
showAll();
