// Map of the machine's tiles: which of them compute a layer, hold wrong elements, or execute the instruction that made the first
// wrong element wrong.

const tilesPerBlockRow = 2;
// Tiles stand in blocks of 2 x 2 around a router; routers are numbered row by row.
const placeOfTile = (tile, routerColumns) => {
  const router = Math.floor(tile / 4), local = tile % 4;
  return { row: tilesPerBlockRow * Math.floor(router / routerColumns) + Math.floor(local / 2),
    column: tilesPerBlockRow * (router % routerColumns) + (local % 2) };
};

// The result of `tilerig bisect`, if it is about this tensor and about the program that is drawn.
const guiltOf = (layer) => {
  const { debug } = data;
  return debug?.instructions && debug.tensor === layer.name && debug.program_nodes === debug.nodes ? debug : null;
};

const showTileMap = (layer) => {
  const { tiles: count, router_columns: columns } = data.run;
  if (!columns || !layer.tiles?.length) return [];
  const computes = new Set(layer.tiles.map(({ tile }) => tile));
  const errors = new Map((layer.held_by ?? []).map(([tile, elements, different]) => [tile, { elements, different }]));
  const guilt = guiltOf(layer);
  const size = 44, places = Array.from({ length: count }, (_, tile) => placeOfTile(tile, columns));
  const width = size * (1 + Math.max(...places.map(({ column }) => column))), height = size * (1 + Math.max(...places.map(({ row }) => row)));
  const picture = drawn("svg", { class: "tiles", width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
  places.forEach(({ row, column }, tile) => {
    const { different = 0, elements = 0 } = errors.get(tile) ?? {};
    const share = elements ? different / elements : 0;
    const isGuilty = guilt?.tile === tile;
    const words = [`tile ${tile}`, computes.has(tile) ? "computes the layer" : "has no instruction of the layer",
      ...(elements ? [`${shown(different)} of ${shown(elements)} elements are wrong`] : []),
      ...(isGuilty ? ["made the first wrong element wrong"] : [])].join(", ");
    const [x, y] = [column * size, row * size];
    picture.append(drawn("g", { class: `tile${computes.has(tile) ? " computes" : ""}${isGuilty ? " guilty" : ""}` },
      drawn("title", {}, words),
      drawn("rect", { class: "back", x: x + 2, y: y + 2, width: size - 4, height: size - 4 }),
      // The height of the filling is the share of wrong elements; even a single one is visible.
      ...(different ? [drawn("rect", { class: "errors", x: x + 2, y: y + 2 + (size - 4) * (1 - Math.max(share, 0.08)), width: size - 4,
        height: (size - 4) * Math.max(share, 0.08) })] : []),
      drawn("rect", { class: "frame", x: x + 2, y: y + 2, width: size - 4, height: size - 4 }),
      drawn("text", { x: x + size / 2, y: y + size / 2 + 4 }, String(tile))));
  });
  const wrong = [...errors.values()].filter(({ different }) => different).length;
  const words = [`${computes.size} of ${count} tiles compute the layer.`,
    ...(wrong ? [`${wrong} of the ${errors.size} tiles that hold its result hold wrong elements: the height of the filling is their share.`]
      : errors.size ? [`${errors.size} tiles hold its result.`] : []),
    ...(guilt ? [`Tile ${guilt.tile} (bold frame) made the first wrong element wrong.`] : [])].join(" ");
  picture.setAttribute("aria-label", words);
  const parts = [picture, element("p", { class: "note" }, words)];
  if (guilt)
    parts.push(element("p", { class: "note" }, `Instruction ${guilt.instruction} of stage ${guilt.stage}, engine ${guilt.engine}:`),
      element("pre", {}, guilt.instruction_text));
  return [section("Tiles", ...parts)];
};
