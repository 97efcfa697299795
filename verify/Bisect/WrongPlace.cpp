#include "verify/Bisect/WrongPlace.h"

#include "isa/Instructions/Access.h"
#include "isa/Program/StoredType.h"

#include <algorithm>
#include <cstring>

namespace tilerig::verify {

namespace {

// Index of the first element in which two tensors of one type and shape differ; nothing if none does.
std::optional<int64_t> firstDifference(const Tensor &right, const Tensor &wrong) {
  if (right.dtype() != wrong.dtype() || right.shape() != wrong.shape() || right.elementCount() == 0)
    return {};
  const std::span<const std::byte> first = right.bytes(), second = wrong.bytes();
  const auto [at, other] = std::ranges::mismatch(first, second);
  if (at == first.end())
    return {};
  const auto bytes = static_cast<int64_t>(first.size()) / right.elementCount();
  return (at - first.begin()) / bytes;
}

std::vector<int64_t> positionOf(int64_t index, const Shape &shape) {
  std::vector<int64_t> position(shape.size());
  for (size_t axis = shape.size(); axis-- > 0;) {
    position[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return position;
}

// A byte in a memory of the machine.
struct Location {
  MemoryId memory = ddrMemory;
  uint64_t address = 0;
  uint32_t readyAt = 0; // index of the instruction of the tile before which the byte is complete; 0: the end
};

// Where the element at a position is stored; nothing if no piece holds it.
std::optional<Location> locationOf(const proto::Tensor &placement, const std::vector<int64_t> &position) {
  for (const proto::Piece &piece : placement.pieces()) {
    Location location{piece.ddr() ? ddrMemory : ocmOf(piece.tile()), piece.address(), piece.ready_at()};
    bool isInside = static_cast<size_t>(piece.begin_size()) == position.size();
    for (int axis = 0; isInside && axis < piece.begin_size(); ++axis) {
      const int64_t offset = position[static_cast<size_t>(axis)] - piece.begin(axis);
      isInside = offset >= 0 && offset < piece.extent(axis);
      location.address += static_cast<uint64_t>(offset) * piece.stride(axis);
    }
    if (isInside)
      return location;
  }
  return {};
}

bool writes(const Instruction &instruction, unsigned tile, const Location &location, AccessList &accesses) {
  accesses.clear();
  appendAccesses(instruction, tile, accesses);
  return std::ranges::any_of(accesses, [&](const Access &access) {
    return access.kind == AccessKind::write && access.memory == location.memory &&
           overlap(access.region, Region::ofRun(location.address, 1));
  });
}

WrongPlace placeAt(const Program &program, uint32_t stage, uint32_t tile, uint32_t instruction,
                   uint32_t layer) {
  const Instruction &own = std::get<DeviceStage>(program.stages[stage].work).tiles[tile][instruction];
  WrongPlace place{.stage = program.stages[stage].name,
                   .engine = std::string(EnumNames<Engine>::values[static_cast<size_t>(engineOf(own))]),
                   .primitive = std::string(mnemonicOf(own)),
                   .tile = tile,
                   .begin = instruction,
                   .end = instruction + 1,
                   .instruction = instruction};
  for (const proto::DebugRange &range : program.metadata.debug())
    if (range.stage() == stage && range.tile() == tile && range.layer() == layer &&
        range.begin() <= instruction && instruction < range.end()) {
      place.begin = range.begin();
      place.end = range.end();
    }
  return place;
}

} // namespace

std::optional<WrongPlace> findWrongPlace(const Program &program, const proto::Tensor &placement,
                                         const Tensor &right, const Tensor &wrong) {
  const std::optional<int64_t> index = firstDifference(right, wrong);
  if (!index)
    return {};
  const std::optional<Location> location = locationOf(placement, positionOf(*index, right.shape()));
  const auto *stage = std::get_if<DeviceStage>(&program.stages[placement.stage()].work);
  if (!location || !stage)
    return {};
  std::optional<WrongPlace> last;
  AccessList accesses;
  for (uint32_t tile = 0; tile < stage->tiles.size(); ++tile) {
    const auto &instructions = stage->tiles[tile];
    const bool isHolder = location->memory == ocmOf(tile) && location->readyAt;
    const size_t end =
        isHolder ? std::min<size_t>(location->readyAt, instructions.size()) : instructions.size();
    for (uint32_t i = 0; i < end; ++i)
      if (layerOf(instructions[i]) == placement.layer() && writes(instructions[i], tile, *location, accesses))
        last = placeAt(program, placement.stage(), tile, i, placement.layer());
  }
  return last;
}

Json asJson(const WrongPlace &place) {
  return {{"stage", place.stage},
          {"tile", place.tile},
          {"engine", place.engine},
          {"primitive", place.primitive},
          {"begin", place.begin},
          {"end", place.end},
          {"instruction", place.instruction}};
}

WrongPlace placeFromJson(const Json &json) {
  return {.stage = json["stage"],
          .engine = json["engine"],
          .primitive = json["primitive"],
          .tile = json["tile"],
          .begin = json["begin"],
          .end = json["end"],
          .instruction = json["instruction"]};
}

} // namespace tilerig::verify
