#include "emulator/Debug/Dap/Listings.h"

#include <fmt/format.h>

namespace tilerig::emulator {

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
  return made.emplace(source, place ? listTile(program, place->first, place->second) : makeLayers())
      .first->second;
}

Listing Listings::makeLayers() const {
  Listing listing;
  for (const proto::Layer &layer : program.metadata.layers()) {
    listing.lines.push_back(static_cast<uint32_t>(listing.lines.size()) + 1);
    listing.text += fmt::format("{} {} {} ({}): {}\n", layer.id() + 1, layer.kind(), layer.name(),
                                layer.where(), fmt::join(layer.onnx_nodes(), ", "));
  }
  return listing;
}

Json Listings::asJson(int source) const { return {{"name", nameOf(source)}, {"sourceReference", source}}; }

} // namespace tilerig::emulator
