#include "verify/Check/InstructionPlaces.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilerig::verify {

namespace {

constexpr size_t mostRanges = 64; // largest number of ranges of instructions that a record lists

bool holds(const proto::Piece &piece, const Json &position) {
  for (int axis = 0; axis < piece.begin_size(); ++axis) {
    const auto at = position[static_cast<size_t>(axis)].get<int64_t>();
    if (at < piece.begin(axis) || at >= piece.begin(axis) + piece.extent(axis))
      return false;
  }
  return true;
}

// Tile that holds an element; null if it is in DDR.
Json tileOf(const proto::Tensor &placement, const Json &position) {
  for (const proto::Piece &piece : placement.pieces())
    if (holds(piece, position))
      return piece.ddr() ? Json() : Json(piece.tile());
  return Json();
}

} // namespace

void addInstructionPlaces(const Program &program, const std::string &tensor, Json &record) {
  const auto placement = std::ranges::find(program.metadata.tensors(), tensor, &proto::Tensor::name);
  if (placement == program.metadata.tensors().end() || !record.contains("worst") || record["worst"].empty())
    return;
  std::set<uint32_t> tiles;
  for (Json &worst : record["worst"]) {
    worst["tile"] = tileOf(*placement, worst["position"]);
    if (!worst["tile"].is_null())
      tiles.insert(worst["tile"].get<uint32_t>());
  }
  Json ranges = Json::array();
  uint64_t more = 0;
  for (const proto::DebugRange &range : program.metadata.debug()) {
    if (range.layer() != placement->layer() || (!tiles.empty() && !tiles.contains(range.tile())))
      continue;
    if (ranges.size() == mostRanges)
      ++more;
    else
      ranges.push_back({{"stage", program.stages[range.stage()].name},
                        {"tile", range.tile()},
                        {"primitive", range.primitive()},
                        {"begin", range.begin()},
                        {"end", range.end()}});
  }
  record["instructions"] = std::move(ranges);
  record["more_instructions"] = more;
}

void addTiles(const Program &program, const std::string &tensor, Json &record) {
  const auto placement = std::ranges::find(program.metadata.tensors(), tensor, &proto::Tensor::name);
  if (placement == program.metadata.tensors().end())
    return;
  // First and last instruction that belongs to the layer, by stage (part of the program) and tile.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<uint32_t, uint32_t>> spans;
  for (const proto::DebugRange &range : program.metadata.debug()) {
    if (range.layer() != placement->layer())
      continue;
    auto &[begin, end] =
        spans.try_emplace({range.stage(), range.tile()}, range.begin(), range.end()).first->second;
    begin = std::min(begin, range.begin());
    end = std::max(end, range.end());
  }
  Json tiles = Json::array();
  for (const auto &[place, span] : spans)
    tiles.push_back({{"stage", program.stages[place.first].name},
                     {"tile", place.second},
                     {"begin", span.first},
                     {"end", span.second}});
  record["tiles"] = std::move(tiles);
}

} // namespace tilerig::verify
