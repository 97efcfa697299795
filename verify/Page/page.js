// The whole page. The view is in the address, so that it can be passed on: #layer=3&oom=100&rel=7&side=truth (the layer's
// index and both limits). Keys n and p lead to the next layer and the one before.

const keepAddress = () => history.replaceState(null, "", `#layer=${view.layer}&oom=${view.oom}&rel=${view.rel}&side=${view.side}`);
const readAddress = () => {
  const words = new URLSearchParams(location.hash.slice(1));
  const limit = (name, least) => {
    const number = Number.parseFloat(words.get(name));
    return number >= least && number < Infinity ? number : null;
  };
  const index = Number.parseInt(words.get("layer"), 10);
  const firstWrong = layers.findIndex((layer) => layer.status !== "match");
  view.layer = index >= 0 && index < layers.length ? index : Math.max(firstWrong, 0);
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
