#include "verify/Bisect/WrongPlace.h"

#include "isa/Analyser/Analyser.h"
#include "isa/Assembly/Printer.h"
#include "isa/Instructions/Access.h"
#include "isa/Program/StoredType.h"

#include <algorithm>
#include <cstring>

namespace tilerig::verify {

namespace {

constexpr size_t mostMoves = 16; // limit of the moves that are followed

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
};

// An instruction of a stage.
struct InstructionPlace {
  uint32_t tile = 0, instruction = 0;
};

// Where the element at a position is stored, and the instruction of the tile before which it is complete (0: the end of
// the layer); nothing if no piece holds it.
std::optional<std::pair<Location, uint32_t>> locationOf(const proto::Tensor &placement,
                                                        const std::vector<int64_t> &position) {
  for (const proto::Piece &piece : placement.pieces()) {
    Location location{piece.ddr() ? ddrMemory : ocmOf(piece.tile()), piece.address()};
    bool isInside = static_cast<size_t>(piece.begin_size()) == position.size();
    for (int axis = 0; isInside && axis < piece.begin_size(); ++axis) {
      const int64_t offset = position[static_cast<size_t>(axis)] - piece.begin(axis);
      isInside = offset >= 0 && offset < piece.extent(axis);
      location.address += static_cast<uint64_t>(offset) * piece.stride(axis);
    }
    if (isInside)
      return std::pair{location, piece.ready_at()};
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

// The last instruction of the layer that writes the byte; of the tile that has the byte in its memory, only those before
// the instruction `end` (0: all).
std::optional<InstructionPlace> lastWriter(const DeviceStage &stage, uint32_t layer, const Location &location,
                                           uint32_t end) {
  std::optional<InstructionPlace> last;
  AccessList accesses;
  for (uint32_t tile = 0; tile < stage.tiles.size(); ++tile) {
    const auto &instructions = stage.tiles[tile];
    const bool isLimited = location.memory == ocmOf(tile) && end;
    const size_t count = isLimited ? std::min<size_t>(end, instructions.size()) : instructions.size();
    for (uint32_t i = 0; i < count; ++i)
      if (layerOf(instructions[i]) == layer && writes(instructions[i], tile, location, accesses))
        last = {tile, i};
  }
  return last;
}

// Source and destination of an instruction that only moves elements.
std::optional<std::pair<Stream, Stream>> movedBy(const Instruction &instruction) {
  if (const auto *load = std::get_if<Load>(&instruction))
    return std::pair{load->source, load->destination};
  if (const auto *store = std::get_if<Store>(&instruction))
    return std::pair{store->source, store->destination};
  if (const auto *multicast = std::get_if<Multicast>(&instruction))
    return std::pair{multicast->source, multicast->destination};
  if (const auto *copy = std::get_if<Copy>(&instruction))
    return std::pair{copy->input, copy->output};
  return {};
}

// The address of the element of `source` that is moved to this address of `destination`, whose strides are nested.
std::optional<uint64_t> sourceOf(const Stream &source, const Stream &destination, uint64_t address) {
  if (address < destination.base)
    return {};
  auto offset = static_cast<int64_t>(address - destination.base);
  auto from = static_cast<int64_t>(source.base);
  for (size_t d = 0; d < destination.dims.size(); ++d) {
    const int64_t stride = static_cast<int64_t>(destination.dims[d].stride);
    const int64_t index = destination.dims[d].size > 1 && stride > 0 ? offset / stride : 0;
    if (index >= std::max<int64_t>(static_cast<int64_t>(destination.dims[d].size), 1))
      return {};
    offset -= index * stride;
    from += index * static_cast<int64_t>(source.dims[d].stride);
  }
  return offset < static_cast<int64_t>(sizeBytes(destination.type))
             ? std::optional(static_cast<uint64_t>(from))
             : std::nullopt;
}

// The bytes of an element in a tile's memory just before an instruction, in another run of the program.
Result<std::optional<Tensor>> captureElement(const WrongRun &run, const proto::Tensor &like,
                                             const Location &location, const InstructionPlace &before) {
  Program observed = run.program;
  proto::Tensor &element = *observed.metadata.add_tensors();
  element.set_name(like.name() + " before the move");
  element.set_dtype(like.dtype());
  element.set_stored_type(like.stored_type());
  element.set_scale(like.scale());
  element.set_zero_point(like.zero_point());
  element.set_layer(like.layer());
  element.set_stage(like.stage());
  element.add_shape(1);
  proto::Piece &piece = *element.add_pieces();
  piece.set_tile(before.tile);
  piece.set_address(location.address);
  piece.add_begin(0);
  piece.add_extent(1);
  piece.add_stride(storedBytes(like));
  piece.set_ready_at(before.instruction);
  const std::string name = element.name();
  if (!proveAnew(observed).problem.empty())
    return std::optional<Tensor>();
  TILERIG_TRY(const DeviceRun ran, runAccumulated(observed, run.inputs, run.options));
  const Tensor *captured = ran.tensors.find(name);
  return captured ? std::optional(*captured) : std::nullopt;
}

bool isElement(const Tensor &captured, const Tensor &tensor, int64_t index) {
  const size_t bytes = captured.bytes().size();
  return captured.dtype() == tensor.dtype() &&
         std::ranges::equal(captured.bytes(),
                            tensor.bytes().subspan(static_cast<size_t>(index) * bytes, bytes));
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
                   .instruction = instruction,
                   .text = printInstruction(own)};
  for (const proto::DebugRange &range : program.metadata.debug())
    if (range.stage() == stage && range.tile() == tile && range.layer() == layer &&
        range.begin() <= instruction && instruction < range.end()) {
      place.begin = range.begin();
      place.end = range.end();
    }
  return place;
}

} // namespace

Result<std::optional<WrongPlace>> findWrongPlace(const WrongRun &run, const proto::Tensor &placement,
                                                 const Tensor &right, const Tensor &wrong) {
  using Nothing = std::optional<WrongPlace>;
  const std::optional<int64_t> index = firstDifference(right, wrong);
  const auto *stage = std::get_if<DeviceStage>(&run.program.stages[placement.stage()].work);
  const auto stored = index ? locationOf(placement, positionOf(*index, right.shape())) : std::nullopt;
  if (!stored || !stage)
    return Nothing();
  auto [location, end] = *stored;
  std::optional<InstructionPlace> writer = lastWriter(*stage, placement.layer(), location, end);
  const bool followsMoves = proofHolds(run.program) && run.options.faultFile.empty();
  for (size_t move = 0; writer && followsMoves && move < mostMoves; ++move) {
    const auto moved = movedBy(stage->tiles[writer->tile][writer->instruction]);
    const auto from = moved ? sourceOf(moved->first, moved->second, location.address) : std::nullopt;
    if (!from || moved->first.space != Space::ocm)
      break;
    const Location source{ocmOf(writer->tile), *from};
    const auto earlier = lastWriter(*stage, placement.layer(), source, writer->instruction);
    if (!earlier)
      break;
    if (moved->first.type == storedTypeOf(placement) && earlier->tile == writer->tile) {
      TILERIG_TRY(const std::optional<Tensor> element, captureElement(run, placement, source, *writer));
      if (!element || isElement(*element, right, *index))
        break;
    }
    location = source;
    writer = earlier;
  }
  return writer ? Nothing(placeAt(run.program, placement.stage(), writer->tile, writer->instruction,
                                  placement.layer()))
                : Nothing();
}

Json asJson(const WrongPlace &place) {
  return {{"stage", place.stage},
          {"tile", place.tile},
          {"engine", place.engine},
          {"primitive", place.primitive},
          {"begin", place.begin},
          {"end", place.end},
          {"instruction", place.instruction},
          {"text", place.text}};
}

WrongPlace placeFromJson(const Json &json) {
  return {.stage = json.at("stage"),
          .engine = json.at("engine"),
          .primitive = json.at("primitive"),
          .tile = json.at("tile"),
          .begin = json.at("begin"),
          .end = json.at("end"),
          .instruction = json.at("instruction"),
          .text = json.at("text")};
}

} // namespace tilerig::verify
