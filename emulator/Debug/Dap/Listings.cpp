#include "emulator/Debug/Dap/Listings.h"

#include "isa/Assembly/Printer.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig::emulator {

std::optional<uint32_t> Listing::itemAt(uint32_t line) const {
  // The item that contains the line is the last one that begins at or before it.
  const auto after = std::ranges::upper_bound(lines, line);
  if (after == lines.begin())
    return lines.empty() ? std::nullopt : std::optional<uint32_t>(0);
  return static_cast<uint32_t>(after - lines.begin()) - 1;
}

std::optional<std::pair<uint32_t, uint32_t>> Listings::tileOf(int source) const {
  if (source < 2)
    return {};
  const auto index = static_cast<uint32_t>(source - 2);
  const uint32_t stage = index / program.tiles;
  if (stage >= program.stages.size() || !std::holds_alternative<DeviceStage>(program.stages[stage].work))
    return {};
  return std::pair(stage, index % program.tiles);
}

std::string Listings::nameOf(int source) const {
  if (source == layers)
    return "layers";
  const auto [stage, tile] = *tileOf(source);
  return fmt::format("stage {} tile {}.trasm", stage, tile);
}

const Listing &Listings::of(int source) const {
  const auto at = made.find(source);
  if (at != made.end())
    return at->second;
  const auto place = tileOf(source);
  return made.emplace(source, place ? makeTile(place->first, place->second) : makeLayers()).first->second;
}

Listing Listings::makeLayers() const {
  Listing listing{nameOf(layers), {}, {}};
  for (const proto::Layer &layer : program.metadata.layers()) {
    listing.lines.push_back(static_cast<uint32_t>(listing.lines.size()) + 1);
    listing.text += fmt::format("{} {} {} ({}): {}\n", layer.id() + 1, layer.kind(), layer.name(),
                                layer.where(), fmt::join(layer.onnx_nodes(), ", "));
  }
  return listing;
}

Listing Listings::makeTile(uint32_t stage, uint32_t tile) const {
  Listing listing{nameOf(sourceOf(stage, tile)), {}, {}};
  uint32_t line = 1;
  for (const Instruction &instruction : std::get<DeviceStage>(program.stages[stage].work).tiles[tile]) {
    listing.lines.push_back(line);
    const size_t begin = listing.text.size();
    listing.text += "    ";
    printInstruction(instruction, 4, listing.text);
    listing.text += '\n';
    line += static_cast<uint32_t>(
        std::count(listing.text.begin() + static_cast<std::ptrdiff_t>(begin), listing.text.end(), '\n'));
  }
  return listing;
}

Json Listings::asJson(int source) const { return {{"name", nameOf(source)}, {"sourceReference", source}}; }

} // namespace tilerig::emulator
