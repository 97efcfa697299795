// Error maps of a tensor, over the image and by channel (verify/Evidence/ErrorMap.h).

const levelOfLargest = 30, notFiniteLevel = 35;
const levelsOf = (letters) => [...letters].map((letter) => Number.parseInt(letter, 36));
const levelName = (level) => {
  if (level === 0) return "equal";
  if (level === notFiniteLevel) return "NaN or infinite only in reference or target";
  return `below 2^${level - levelOfLargest} of the largest`;
};
// Least and largest level of error in a map. Levels between these are drawn from light to dark, so that maps
// are readable without colours.
const rangeOf = (levels) => {
  const known = levels.filter((level) => level > 0 && level !== notFiniteLevel);
  return { least: Math.min(...known), most: Math.max(...known) };
};
const shareOf = (level, { least, most }) => (level === notFiniteLevel ? 1 : (level - least + 1) / (most - least + 1));
const shadeOf = (level, range) => {
  if (level === 0 || level === notFiniteLevel) return level ? "#000" : "#fff";
  const share = shareOf(level, range);
  const part = (full) => Math.round(share < 0.6 ? 255 - (255 - full) * (share / 0.6) : full * (1 - (share - 0.6)));
  return `rgb(${colours.failed.map(part).join()})`;
};

// Seams between tiles along both axes of the map, as the indices at which the part of another tile begins;
// the seam is drawn before that index.
const seamsOf = (layer) => {
  const axes = layer.shape?.length ?? 0, seams = layer.seams ?? [];
  if (axes === 0) return { down: [], across: [] };
  return { down: axes === 4 ? seams[2] ?? [] : [], across: seams[axes - 1] ?? [] };
};

const drawMap = (canvas, map, seams) => {
  const scale = Math.max(1, Math.floor(384 / Math.max(map.height, map.width)));
  const height = Math.min(384, map.height * scale), width = Math.min(384, map.width * scale);
  Object.assign(canvas, { height, width });
  const context = canvas.getContext("2d");
  const levels = levelsOf(map.levels), range = rangeOf(levels);
  levels.forEach((level, i) => {
    const row = Math.floor(i / map.columns), column = i % map.columns;
    const top = Math.floor((row * height) / map.rows), left = Math.floor((column * width) / map.columns);
    context.fillStyle = shadeOf(level, range);
    context.fillRect(left, top, Math.ceil(width / map.columns), Math.ceil(height / map.rows));
  });
  context.fillStyle = "#0072b2";
  for (const seam of seams.down) context.fillRect(0, Math.round((seam * height) / map.height), width, 1);
  for (const seam of seams.across) context.fillRect(Math.round((seam * width) / map.width), 0, 1, height);
};

const mapInWords = (map) => {
  const levels = levelsOf(map.levels);
  const most = Math.max(...levels), cell = levels.indexOf(most);
  const place = (index, cells, size) => {
    const first = Math.ceil((index * size) / cells), last = Math.ceil(((index + 1) * size) / cells) - 1;
    return first === last ? String(first) : `${first}–${last}`;
  };
  const row = place(Math.floor(cell / map.columns), map.rows, map.height);
  const column = place(cell % map.columns, map.columns, map.width);
  const differing = levels.filter((level) => level > 0).length;
  return `Largest error ${levelName(most)}, first at row ${row}, column ${column}; `
    + `${differing} of ${levels.length} cells differ.`;
};

const showMap = (layer, map) => {
  const canvas = element("canvas", { id: "map", class: "map", role: "img", "aria-label": mapInWords(map) });
  const seams = seamsOf(layer);
  drawMap(canvas, map, seams);
  const count = seams.down.length + seams.across.length;
  return section("Error over the image", canvas, element("p", { class: "note" }, mapInWords(map),
    ` Each cell shows the largest error of all channels, from light (${levelName(rangeOf(levelsOf(map.levels)).least)}) to dark; `,
    count ? `blue lines are the seams between tiles, ${count} of them.` : "there are no seams in the image."));
};

const showProfile = (layer, profile) => {
  const levels = levelsOf(profile.levels), range = rangeOf(levels);
  const perBar = profile.channels / levels.length;
  const seams = new Set((layer.seams?.[1] ?? []).map((seam) => Math.floor((seam * levels.length) / profile.channels)));
  const bars = levels.flatMap((level, i) => {
    const first = Math.ceil(i * perBar), last = Math.ceil((i + 1) * perBar) - 1;
    const words = `channel ${first === last ? first : `${first}–${last}`}: ${levelName(level)}, `
      + `${shown(profile.failed[i])} failed, mean ${shown(profile.mean_error[i])} of the largest`;
    const height = level ? Math.round(100 * shareOf(level, range)) : 0;
    const bar = element("span", { class: profile.failed[i] ? "failing" : "", style: `height:${height}px`, title: words });
    return seams.has(i) ? [element("i"), bar] : [bar];
  });
  const wrong = levels.filter((level) => level > 0).length;
  const failing = profile.failed.filter((count) => count > 0).length;
  const words = `${wrong} of ${levels.length} ${perBar > 1 ? "groups of channels" : "channels"} differ, `
    + `${failing} have elements that fail.`;
  return section("Error by channel",
    element("div", { id: "profile", class: "profile", role: "img", "aria-label": words }, ...bars),
    element("p", { class: "note" }, words,
      " The height of a bar is its largest error (log); striped bars have elements that fail.",
      seams.size ? " Blue lines are the seams between tiles." : ""));
};
