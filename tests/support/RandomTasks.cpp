#include "tests/support/RandomTasks.h"

#include "isa/Instructions/Access.h"
#include "tests/support/ByteTensor.h"
#include "tests/support/RandomInstruction.h"

#include <cstdlib>

namespace tilerig::test {
using namespace compiler;

namespace {

// Number of bytes that instructions use in each OCM and in DDR.
constexpr uint32_t ocmBytes = 1 << 14, ddrBytes = 1 << 15;
constexpr uint32_t numLayers = 9;
constexpr uint64_t inputAt = 1 << 20, outputAt = 1 << 22;

class Maker {
public:
  Maker(Random &random, const Machine &machine, unsigned tiles, const TaskMix &mix)
      : random(random), site(machine), tiles(tiles), mix(mix) {
    site.tile.ocmBytes = ocmBytes;
    site.ddr.sizeBytes = ddrBytes;
  }

  TaskList make() {
    fillMemories();
    for (unsigned i = 0; i < mix.numWorks; ++i)
      addWork();
    for (unsigned tile = 0; tile < tiles; ++tile)
      add(tile, Store{.source = bytesAt(Space::ocm, 0, ocmBytes),
                      .destination = bytesAt(Space::ddr, outputAt + tile * ocmBytes, ocmBytes)});
    return std::move(tasks);
  }

private:
  void add(unsigned tile, const Instruction &instruction) { tasks.push_back({tile, instruction}); }

  // Fills the memories from the program's input; each tile loads another part of the input.
  void fillMemories() {
    for (unsigned tile = 0; tile < tiles; ++tile)
      add(tile, Load{.source = bytesAt(Space::ddr, inputAt + 512 * tile, ocmBytes),
                     .destination = bytesAt(Space::ocm, 0, ocmBytes)});
    for (uint32_t at = 0; at < ddrBytes; at += ocmBytes)
      add(0, Store{.source = bytesAt(Space::ocm, 0, ocmBytes),
                   .destination = bytesAt(Space::ddr, at, ocmBytes)});
  }

  void addWork() {
    const auto tile = static_cast<unsigned>(random.below(tiles));
    if (random.chance(mix.percentControl))
      return addControl(tile);
    if (random.chance(mix.percentTransfers))
      return addTransfer(tile);
    Instruction instruction = draw(tile);
    if (auto *gather = std::get_if<Gather>(&instruction)) {
      // A gather must read valid indices. Its indices are therefore one run of bytes, and a fill before the
      // gather writes a valid value into them.
      gather->indices.dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, gather->indices.dims[4]}};
      gather->indices.dims[4].stride = gather->indices.dims[4].size > 1 ? 4 : 0;
      const uint64_t end = gather->indices.base + uint64_t{4} * gather->indices.dims[4].size;
      AccessList accesses;
      appendAccesses(instruction, tile, accesses);
      bool apart = end <= ocmBytes;
      for (const Access &a : accesses)
        apart &= a.operand == "indices" || a.memory != ocmOf(tile) || a.region.end <= gather->indices.base ||
                 a.region.begin >= end;
      if (!apart)
        return;
      const auto rows = static_cast<int64_t>(gather->source.dims[2].size);
      add(tile,
          Fill{.value = static_cast<uint32_t>(random.between(-rows, rows - 1)), .output = gather->indices});
    }
    add(tile, instruction);
  }

  // Draws an instruction: a gather, or one that cannot fault, because its operands have random values.
  Instruction draw(unsigned tile) {
    for (;;) {
      Instruction instruction = randomInstruction(random, {site, tile, tiles, 300});
      std::visit([&](auto &one) { one.layer = static_cast<uint32_t>(random.below(numLayers)); }, instruction);
      if (!isControl(instruction) && (!mayFault(instruction) || std::holds_alternative<Gather>(instruction)))
        return instruction;
    }
  }

  uint64_t place(uint64_t size, uint32_t count) { return random.below(size - count + 1); }

  // A stream over a run of bytes without gaps, or over slices with gaps between them, so that the slices of
  // several streams interleave.
  Stream slice(Space space, uint32_t count, uint32_t parts, unsigned tile = 0) {
    const uint64_t size = space == Space::ddr ? ddrBytes : mix.reachBytes;
    Stream stream = bytesAt(space, 0, count, tile);
    const uint32_t pitch = parts > 1 ? 2 * count : 0, extent = (parts - 1) * pitch + count;
    stream.dims[3] = {parts, pitch};
    stream.base = place(size, extent);
    if (random.chance(70))
      stream.base -= stream.base % count;
    return stream;
  }

  void addTransfer(unsigned tile) {
    const auto count = static_cast<uint32_t>(random.ragged(mix.reachBytes / 16));
    const uint32_t parts = random.chance(40) ? static_cast<uint32_t>(random.between(2, 4)) : 1;
    const auto other = static_cast<unsigned>((tile + random.between(1, std::max(2u, tiles) - 1)) % tiles);
    const auto local = [&] { return slice(Space::ocm, count, parts); };
    switch (random.below(other == tile ? 4 : 7)) {
    case 0:
      return add(tile, Load{.source = slice(Space::ddr, count, parts), .destination = local()});
    case 1:
      return add(tile, Store{.source = local(), .destination = slice(Space::ddr, count, parts)});
    case 2:
      return add(tile, multicast(Space::ddr, count, parts));
    case 3: {
      const Stream from = local(), to = local();
      if (from.base + uint64_t{8} * count <= to.base || to.base + uint64_t{8} * count <= from.base)
        add(tile, Store{.source = from, .destination = to});
      return;
    }
    case 4:
      return add(tile, Store{.source = local(), .destination = slice(Space::remote, count, parts, other)});
    case 5:
      return add(tile, Load{.source = slice(Space::remote, count, parts, other), .destination = local()});
    default: {
      Multicast transfer = multicast(Space::ocm, count, parts);
      transfer.tiles &= ~(uint64_t{1} << tile);
      if (transfer.tiles != 0)
        add(tile, transfer);
    }
    }
  }
  Multicast multicast(Space from, uint32_t count, uint32_t parts) {
    const uint64_t all = tiles == 64 ? ~uint64_t{0} : (uint64_t{1} << tiles) - 1;
    const uint64_t some = random.chance(30) ? all : (random.next() & all) | 1;
    return {
        .tiles = some, .source = slice(from, count, parts), .destination = slice(Space::ocm, count, parts)};
  }

  void addControl(unsigned tile) {
    const auto engine = static_cast<Engine>(random.below(numEngines));
    if (random.chance(50))
      add(tile, Delay{.engine = engine, .id = 1, .cycles = static_cast<uint32_t>(random.below(100))});
    else
      add(tile, Marker{.engine = engine,
                       .kind = random.chance(50) ? MarkerKind::layerBegin : MarkerKind::layerEnd,
                       .id = static_cast<uint32_t>(tasks.size())});
  }

  Random &random;
  Machine site; // the machine, with memories only as large as the bytes in use
  unsigned tiles;
  const TaskMix &mix;
  TaskList tasks;
};

} // namespace

Stream bytesAt(Space space, uint64_t base, uint32_t count, unsigned tile) {
  return {.space = space,
          .type = ElementType::u8,
          .tile = static_cast<uint8_t>(tile),
          .base = base,
          .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {count, count > 1 ? 1u : 0u}}}};
}

RandomTasks randomTasks(uint64_t seed, const Machine &machine, unsigned tiles, const TaskMix &mix) {
  Random random(seed);
  RandomTasks result{Maker(random, machine, tiles, mix).make(), machine, tiles, {}};
  Tensor input(DType::u8, {512 * tiles + ocmBytes});
  for (uint8_t &byte : input.mutableAs<uint8_t>())
    byte = static_cast<uint8_t>(random.below(64)); // with bytes below 64, all floats are finite and moderate
  if (!result.inputs.add("x", std::move(input)))
    std::abort();
  return result;
}

Program RandomTasks::programOf(DeviceStage stage) const {
  Program program;
  program.machine = machine;
  program.tiles = tiles;
  for (uint32_t layer = 0; layer < numLayers; ++layer) {
    proto::Layer &described = *program.metadata.add_layers();
    described.set_id(layer);
    described.set_name("layer " + std::to_string(layer));
    described.set_kind("random");
    described.set_where("accelerator");
  }
  program.stages.push_back({"works", Phase::inference, std::move(stage)});
  addByteTensor(program, "x", proto::INPUT, inputAt, 512 * tiles + ocmBytes);
  addByteTensor(program, "ocms", proto::OUTPUT, outputAt, tiles * ocmBytes);
  addByteTensor(program, "ddr", proto::OUTPUT, 0, ddrBytes);
  return program;
}

} // namespace tilerig::test
