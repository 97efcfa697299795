#include "tests/unit/Analyser/RandomPrograms.h"

#include "tests/support/PlainAccess.h"

#include <algorithm>
#include <map>

namespace tilerig::test {

namespace {

constexpr uint64_t constantsAt = 4096, inputAt = 8192;

// A data instruction of a tile. Run one after another in the order of their list, these instructions form a
// valid sequential program.
struct Op {
  unsigned tile;
  Instruction instruction;
  PlainAccesses accesses;
};

bool sharesByte(const std::vector<uint64_t> &a, const std::vector<uint64_t> &b) {
  return std::ranges::find_first_of(a, b) != a.end();
}
bool conflict(const PlainAccesses &a, const PlainAccesses &b) {
  for (const auto &[first, firstBytes] : a)
    for (const auto &[second, secondBytes] : b)
      if (first.memory == second.memory && (first.write || second.write) &&
          sharesByte(firstBytes, secondBytes))
        return true;
  return false;
}

class Maker {
public:
  explicit Maker(uint64_t seed) : random(seed) {}

  RandomProgram makeSmall() {
    tiles = static_cast<unsigned>(random.pick({1, 2, 2, 2, 3, 3, 4}));
    return make(2 + static_cast<unsigned>(random.below(tiles < 3 ? 4 : 3)),
                static_cast<unsigned>(random.below(6)));
  }
  RandomProgram makeLarge(unsigned numOps) {
    tiles = 4;
    areaBytes = 600;
    return make(numOps, 0);
  }

private:
  RandomProgram make(unsigned numOps, unsigned numSprinkled) {
    RandomProgram result;
    result.making = static_cast<Making>(random.below(3));
    Program &program = result.program;
    program.machine = machineWithQueues(random.pick({1u, 2u, 2u, 2u, 3u, 8u, 8u}));
    program.tiles = tiles;
    code.resize(tiles);
    for (unsigned i = 0; i < numOps; ++i)
      addOp(result.making != Making::sprinkled);
    if (result.making == Making::sprinkled)
      for (unsigned i = 0; i < numSprinkled; ++i)
        insertAnywhere(randomControl());
    if (result.making == Making::mutated)
      mutate();
    for (auto &tile : code)
      tile.push_back(Halt{});
    addConstants(program);
    addInitialStage(program);
    program.stages.push_back({"main", Phase::inference, DeviceStage{code}});
    result.initial = initial;
    return result;
  }

  Stream run(Space space, ElementType type, uint64_t base, uint32_t count) {
    const uint32_t stride = count > 1 ? sizeBytes(type) : 0;
    return {.space = space,
            .type = type,
            .base = base,
            .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {count, stride}}}};
  }
  // Shape of a random operand: up to eight bytes, without gaps or as two runs with a gap between them.
  struct Shape {
    uint32_t outer = 1, inner = 1, gap = 0;
    uint32_t extent() const { return (outer - 1) * (inner + gap) + inner; }
  };
  Shape randomShape() {
    Shape shape{1, 1 + static_cast<uint32_t>(random.below(6)), 0};
    if (random.chance(30))
      shape = {2, 1 + static_cast<uint32_t>(random.below(3)), 1 + static_cast<uint32_t>(random.below(3))};
    return shape;
  }
  Stream bytes(Space space, Shape shape) {
    const uint64_t base = random.below(areaBytes - shape.extent() + 1);
    Stream stream = run(space, ElementType::u8, base, shape.inner);
    if (shape.outer > 1)
      stream.dims[3] = {shape.outer, shape.inner + shape.gap};
    return stream;
  }
  Stream word(ElementType type) { return run(Space::ocm, type, 4 * random.below(areaBytes / 4), 1); }

  Stream remote(Shape shape, unsigned tile) {
    Stream stream = bytes(Space::remote, shape);
    stream.tile = static_cast<uint8_t>((tile + 1 + random.below(tiles - 1)) % tiles);
    return stream;
  }
  Stream elsewhere(Shape shape, unsigned tile, bool constants) {
    if (tiles > 1 && random.chance(50))
      return remote(shape, tile);
    Stream stream = bytes(Space::ddr, shape);
    if (constants && random.chance(30))
      stream.base += random.chance(50) ? constantsAt : inputAt;
    return stream;
  }

  Instruction randomData(unsigned tile) {
    const Shape shape = randomShape();
    switch (random.below(10)) {
    case 0:
    case 1:
      return Load{.source = elsewhere(shape, tile, true), .destination = bytes(Space::ocm, shape)};
    case 2:
    case 3:
      return Store{.source = bytes(Space::ocm, shape),
                   .destination =
                       random.chance(20) ? bytes(Space::ocm, shape) : elsewhere(shape, tile, false)};
    case 4: {
      const uint64_t mask = 1 + random.below((uint64_t{1} << tiles) - 1);
      return Multicast{.tiles = mask,
                       .source = bytes(random.chance(50) ? Space::ddr : Space::ocm, shape),
                       .destination = bytes(Space::ocm, shape)};
    }
    case 5: {
      Matmul matmul{
          .a = word(ElementType::fp32), .b = word(ElementType::fp32), .output = word(ElementType::fp32)};
      if (random.chance(20))
        matmul.epilogue.accumulateFrom = matmul.output;
      return matmul;
    }
    case 6:
      return Fill{.value = 7, .output = bytes(Space::ocm, shape)};
    case 7: {
      Binary binary{
          .a = word(ElementType::i32), .b = word(ElementType::i32), .output = word(ElementType::i32)};
      if (random.chance(40))
        binary.output = binary.a;
      return binary;
    }
    default:
      return Copy{.input = bytes(Space::ocm, shape), .output = bytes(Space::ocm, shape)};
    }
  }

  void addOp(bool ordered) {
    const auto tile = static_cast<unsigned>(random.below(tiles));
    Op op{tile, randomData(tile), {}};
    op.accesses = plainAccesses(op.instruction, tile);
    if (ordered) {
      if (random.chance(8))
        addBarrier();
      for (size_t i = 0; i < ops.size(); ++i)
        if (conflict(ops[i].accesses, op.accesses))
          order(i, op);
      if (random.chance(15))
        code[tile].push_back(idle());
    }
    positions.push_back(code[tile].size());
    code[tile].push_back(op.instruction);
    ops.push_back(op);
  }

  Engine randomEngine() { return static_cast<Engine>(random.below(numEngines)); }
  Instruction idle() {
    if (random.chance(50))
      return Delay{.engine = randomEngine(), .id = 1, .cycles = 5};
    return Marker{.engine = randomEngine()};
  }

  void addBarrier() {
    const uint64_t all = (uint64_t{1} << tiles) - 1, group = 1 + random.below(all);
    for (unsigned tile = 0; tile < tiles; ++tile)
      if (group == all && random.chance(50))
        code[tile].push_back(GlobalBarrier{});
      else if (group >> tile & 1)
        code[tile].push_back(GroupBarrier{.tiles = group});
  }

  // Adds a synchronisation that lets `op` (the next instruction) begin only after operation number `earlier`
  // has finished.
  void order(size_t earlier, const Op &op) {
    const unsigned from = ops[earlier].tile;
    const Engine first = engineOf(ops[earlier].instruction), second = engineOf(op.instruction);
    if (from == op.tile) {
      if (first == second && (first == Engine::pod || first == Engine::pe))
        return;
      unsigned since = 0; // number of instructions that engine `first` has behind the instruction `earlier`
      for (size_t i = positions[earlier] + 1; i < code[from].size(); ++i)
        since += engineOf(code[from][i]) == first;
      const bool bySequencer = first == second || random.chance(30);
      code[from].push_back(Sync{.engine = bySequencer ? Engine::sequencer : second,
                                .on = first,
                                .pending = static_cast<uint8_t>(random.chance(60) ? since : 0)});
      return;
    }
    auto &[semaphore, sum] = semaphores[{from, first, op.tile}];
    if (sum == 0 || (numSemaphores < 12 && random.chance(30)))
      semaphore = numSemaphores++, sum = 0;
    const auto amount = static_cast<uint32_t>(1 + random.below(2));
    sum += amount;
    code[from].push_back(Signal{.engine = first,
                                .tile = static_cast<uint8_t>(op.tile),
                                .semaphore = static_cast<uint8_t>(semaphore),
                                .amount = amount});
    code[op.tile].push_back(Wait{.engine = random.chance(75) ? second : Engine::sequencer,
                                 .semaphore = static_cast<uint8_t>(semaphore),
                                 .value = sum});
  }

  Instruction randomControl() {
    const auto tile = static_cast<uint8_t>(random.below(tiles));
    const auto semaphore = static_cast<uint8_t>(random.below(2));
    switch (random.below(6)) {
    case 0:
    case 1: {
      Sync sync{.engine = randomEngine(), .on = static_cast<Engine>(1 + random.below(4))};
      if (sync.engine == sync.on)
        sync.engine = Engine::sequencer;
      sync.pending = static_cast<uint8_t>(random.below(3));
      return sync;
    }
    case 2:
      return Signal{.engine = randomEngine(), .tile = tile, .semaphore = semaphore, .amount = 1};
    case 3:
    case 4:
      return Wait{.engine = randomEngine(),
                  .semaphore = semaphore,
                  .value = 1 + static_cast<uint32_t>(random.below(2))};
    default:
      return idle();
    }
  }
  void insertAnywhere(const Instruction &instruction) {
    if (random.chance(8))
      return addBarrier();
    auto &tile = code[random.below(tiles)];
    tile.insert(tile.begin() + static_cast<std::ptrdiff_t>(random.below(tile.size() + 1)), instruction);
  }

  // Deletes, moves, swaps or alters one synchronisation instruction.
  void mutate() {
    std::vector<std::pair<unsigned, size_t>> places;
    for (unsigned tile = 0; tile < tiles; ++tile)
      for (size_t i = 0; i < code[tile].size(); ++i)
        if (plainAccesses(code[tile][i], tile).empty())
          places.emplace_back(tile, i);
    if (places.empty())
      return;
    const auto [tile, at] = random.pick(places);
    auto &list = code[tile];
    const auto position = list.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random.below(5)) {
    case 0:
    case 1:
      list.erase(position);
      return;
    case 2: {
      const Instruction moved = *position;
      list.erase(position);
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(random.below(list.size() + 1)), moved);
      return;
    }
    case 3:
      if (at + 1 < list.size())
        std::swap(list[at], list[at + 1]);
      return;
    default:
      if (auto *sync = std::get_if<Sync>(&*position))
        ++sync->pending;
      if (auto *wait = std::get_if<Wait>(&*position))
        wait->value += wait->value > 1 && random.chance(60) ? -1 : 1;
      if (auto *signal = std::get_if<Signal>(&*position))
        signal->amount = 3 - signal->amount % 3;
    }
  }

  void addConstants(Program &program) {
    static const std::array<std::byte, 600> zeros{};
    program.constants.push_back({constantsAt, std::span(zeros).first(areaBytes), nullptr});
    proto::Tensor &input = *program.metadata.add_tensors();
    input.set_name("x");
    input.set_dtype("uint8");
    input.add_shape(areaBytes);
    input.set_role(proto::INPUT);
    input.set_stored_type("u8");
    proto::Piece &piece = *input.add_pieces();
    piece.set_ddr(true);
    piece.set_address(inputAt);
    piece.add_begin(0);
    piece.add_extent(areaBytes);
    piece.add_stride(1);
    initial.resize(tiles + 1);
    for (uint64_t i = 0; i < areaBytes; ++i)
      initial[0].insert({constantsAt + i, inputAt + i});
  }

  // Adds a stage that runs before the tested stage and writes most of the memory, so that not every read is
  // uninitialised.
  void addInitialStage(Program &program) {
    DeviceStage stage;
    stage.tiles.resize(tiles);
    for (unsigned tile = 0; tile < tiles; ++tile) {
      if (random.chance(85)) {
        const uint32_t count =
            random.chance(80) ? areaBytes : static_cast<uint32_t>(1 + random.below(areaBytes));
        stage.tiles[tile].push_back(Fill{.value = 1, .output = run(Space::ocm, ElementType::u8, 0, count)});
        for (uint64_t i = 0; i < count; ++i)
          initial[tile + 1].insert(i);
        if (tile == 0 && random.chance(85)) {
          stage.tiles[tile].push_back(Sync{.engine = Engine::dmaOut, .on = Engine::pe});
          stage.tiles[tile].push_back(Store{.source = run(Space::ocm, ElementType::u8, 0, count),
                                            .destination = run(Space::ddr, ElementType::u8, 0, count)});
          for (uint64_t i = 0; i < count; ++i)
            initial[0].insert(i);
        }
      }
      stage.tiles[tile].push_back(Halt{});
    }
    program.stages.push_back({"fill", Phase::initial, stage});
  }

  Random random;
  unsigned tiles = 1;
  uint32_t areaBytes = 24; // number of bytes that instructions use in each memory
  std::vector<std::vector<Instruction>> code;
  std::vector<Op> ops;
  std::vector<size_t> positions;
  std::map<std::tuple<unsigned, Engine, unsigned>, std::pair<unsigned, uint32_t>> semaphores;
  unsigned numSemaphores = 0;
  InitialBytes initial;
};

} // namespace

Machine machineWithQueues(uint32_t depth) {
  static const Machine tiny = *loadMachine("tiny");
  Machine machine = tiny;
  machine.tile.queueDepth = depth;
  return machine;
}

RandomProgram randomProgram(uint64_t seed) { return Maker(seed).makeSmall(); }
RandomProgram largeRandomProgram(uint64_t seed, unsigned numOps) { return Maker(seed).makeLarge(numOps); }

} // namespace tilerig::test
