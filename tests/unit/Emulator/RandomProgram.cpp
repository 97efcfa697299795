#include "tests/unit/Emulator/RandomProgram.h"

#include "isa/Instructions/Access.h"
#include "tests/support/ByteTensor.h"
#include "tests/support/RandomInstruction.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilerig::test {

namespace {

constexpr uint32_t ocmUsed = 1 << 14, ddrUsed = 1 << 16; // used bytes of each OCM, and of DDR
constexpr uint64_t inputAt = 1 << 20, outputAt = 1 << 21;

Stream run(Space space, uint64_t base, uint32_t count) {
  return {.space = space,
          .type = ElementType::u8,
          .base = base,
          .dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {count, 1}}}};
}

bool conflict(const AccessList &a, const AccessList &b) {
  for (const Access &x : a)
    for (const Access &y : b)
      if (x.memory == y.memory && (x.kind == AccessKind::write || y.kind == AccessKind::write) &&
          overlap(x.region, y.region))
        return true;
  return false;
}

// Builds one stage of random instructions.
class StageMaker {
public:
  StageMaker(Random &random, const Machine &site, unsigned tiles)
      : random(random), site(site), tiles(tiles), code(tiles), known(tiles) {}

  DeviceStage make(unsigned numOps) {
    for (unsigned i = 0; i < numOps; ++i) {
      if (random.chance(4))
        addBarrier();
      addOp();
    }
    for (auto &tile : code)
      tile.push_back(Halt{});
    return {std::move(code)};
  }

private:
  struct Done {
    unsigned tile;
    Engine engine;
    AccessList accesses;
    size_t position;       // index of the instruction in the code of its tile
    std::set<size_t> past; // indices of instructions that have ended before this one begins
  };

  // Draws an instruction. Operands have random values, so the instruction must not fault for any value. A
  // gather can fault; it is kept only if a fill before it sets its indices.
  Instruction draw(unsigned tile) {
    for (;;) {
      Instruction instruction = randomInstruction(random, {site, tile, tiles, 400});
      std::visit([](auto &one) { one.layer = 0; }, instruction);
      if (!isControl(instruction) && (!mayFault(instruction) || std::holds_alternative<Gather>(instruction)))
        return instruction;
    }
  }

  void addOp() {
    const auto tile = static_cast<unsigned>(random.below(tiles));
    const Instruction instruction = draw(tile);
    if (const auto *gather = std::get_if<Gather>(&instruction)) {
      Stream indices = gather->indices;
      indices.dims = {{{1, 0}, {1, 0}, {1, 0}, {1, 0}, {indices.dims[4].size, 4}}};
      if (indices.dims[4].size == 1)
        indices.dims[4].stride = 0;
      const auto rows = static_cast<int64_t>(gather->source.dims[2].size);
      const auto index = static_cast<int32_t>(random.between(-rows, rows - 1));
      if (gather->indices.dims != indices.dims)
        return; // the fill would not write exactly the bytes that the gather reads
      append(tile, Fill{.value = static_cast<uint32_t>(index), .output = indices});
    }
    append(tile, instruction);
  }

  void append(unsigned tile, const Instruction &instruction) {
    const Engine engine = engineOf(instruction);
    Done work{tile, engine, {}, 0, known[tile][static_cast<size_t>(engine)]};
    appendAccesses(instruction, tile, work.accesses);
    // The engines POD and PE finish one instruction before they begin the next.
    if (engine == Engine::pod || engine == Engine::pe)
      learnQueue(work.past, tile, engine, works.size());
    for (size_t i = works.size(); i-- > 0;)
      if (!work.past.contains(i) && conflict(works[i].accesses, work.accesses))
        order(i, work);
    if (random.chance(10))
      code[tile].push_back(Delay{.engine = random.chance(50) ? engine : Engine::sequencer,
                                 .id = 1,
                                 .cycles = static_cast<uint32_t>(random.below(200))});
    work.position = code[tile].size();
    code[tile].push_back(instruction);
    works.push_back(std::move(work));
  }

  // Adds to `past` the instructions of the engine with an index below `end`, and all instructions that have
  // ended before one of the added instructions begins.
  void learnQueue(std::set<size_t> &past, unsigned tile, Engine engine, size_t end) {
    for (size_t i = 0; i < end; ++i)
      if (works[i].tile == tile && works[i].engine == engine) {
        past.insert(i);
        past.insert(works[i].past.begin(), works[i].past.end());
      }
  }
  void learn(std::set<size_t> &past, size_t earlier) {
    learnQueue(past, works[earlier].tile, works[earlier].engine, earlier + 1);
  }

  void order(size_t earlier, Done &work) {
    const unsigned from = works[earlier].tile, to = work.tile;
    const Engine first = works[earlier].engine;
    const bool bySequencer = (from == to && first == work.engine) || random.chance(20);
    const Engine waits = bySequencer ? Engine::sequencer : work.engine;
    size_t last = earlier; // the sync waits until this instruction ends
    if (from == to) {
      unsigned since = 0;
      for (size_t i = works[earlier].position + 1; i < code[from].size(); ++i)
        since += engineOf(code[from][i]) == first;
      const bool exact = since < 256 && random.chance(60);
      if (!exact)
        for (size_t i = earlier; i < works.size(); ++i)
          if (works[i].tile == from && works[i].engine == first)
            last = i;
      code[from].push_back(
          Sync{.engine = waits, .on = first, .pending = static_cast<uint8_t>(exact ? since : 0)});
    } else {
      // Finds the last instruction of the engine that is in the queue so far.
      for (size_t i = earlier; i < works.size(); ++i)
        if (works[i].tile == from && works[i].engine == first)
          last = i;
      auto &[semaphore, sum] = semaphores[{from, first, to}];
      if (sum == 0)
        semaphore = numSemaphores[to]++;
      const auto amount = static_cast<uint32_t>(1 + random.below(2));
      sum += amount;
      code[from].push_back(Signal{.engine = first,
                                  .tile = static_cast<uint8_t>(to),
                                  .semaphore = static_cast<uint8_t>(semaphore),
                                  .amount = amount});
      code[to].push_back(Wait{.engine = waits, .semaphore = static_cast<uint8_t>(semaphore), .value = sum});
    }
    learn(work.past, last);
    for (size_t engine = 0; engine < numEngines; ++engine)
      if (bySequencer || engine == static_cast<size_t>(waits))
        learn(known[to][engine], last);
  }

  void addBarrier() {
    const uint64_t all = (uint64_t{1} << tiles) - 1, group = 1 + random.below(all);
    const bool isGlobal = group == all && random.chance(50);
    std::set<size_t> ended;
    for (unsigned tile = 0; tile < tiles; ++tile)
      if (group >> tile & 1)
        for (size_t engine = 1; engine < numEngines; ++engine)
          learnQueue(ended, tile, static_cast<Engine>(engine), works.size());
    for (unsigned tile = 0; tile < tiles; ++tile)
      if (group >> tile & 1) {
        if (isGlobal)
          code[tile].push_back(GlobalBarrier{});
        else
          code[tile].push_back(GroupBarrier{.tiles = group});
        for (auto &engine : known[tile])
          engine.insert(ended.begin(), ended.end());
      }
  }

  Random &random;
  const Machine &site;
  unsigned tiles;
  std::vector<std::vector<Instruction>> code;
  std::vector<Done> works;
  // By tile and engine: indices of the instructions that have ended before the engine's next one begins.
  std::vector<std::array<std::set<size_t>, numEngines>> known;
  std::map<std::tuple<unsigned, Engine, unsigned>, std::pair<unsigned, uint32_t>> semaphores;
  std::map<unsigned, unsigned> numSemaphores;
};

// A stage that fills all OCMs and the used part of DDR from the input.
DeviceStage fillStage(unsigned tiles) {
  DeviceStage stage;
  for (unsigned tile = 0; tile < tiles; ++tile) {
    std::vector<Instruction> code;
    for (uint32_t part = 0; tile == 0 && part < ddrUsed; part += ocmUsed) {
      code.push_back(Load{.source = run(Space::ddr, inputAt + part, ocmUsed),
                          .destination = run(Space::ocm, 0, ocmUsed)});
      code.push_back(Sync{.engine = Engine::dmaOut, .on = Engine::dmaIn});
      code.push_back(
          Store{.source = run(Space::ocm, 0, ocmUsed), .destination = run(Space::ddr, part, ocmUsed)});
      code.push_back(Sync{.engine = Engine::dmaIn, .on = Engine::dmaOut});
    }
    // Tiles load different parts of the input.
    code.push_back(Load{.source = run(Space::ddr, inputAt + 1024 * tile, ocmUsed),
                        .destination = run(Space::ocm, 0, ocmUsed)});
    code.push_back(Halt{});
    stage.tiles.push_back(std::move(code));
  }
  return stage;
}

DeviceStage collectStage(unsigned tiles) {
  DeviceStage stage;
  for (unsigned tile = 0; tile < tiles; ++tile)
    stage.tiles.push_back({Store{.source = run(Space::ocm, 0, ocmUsed),
                                 .destination = run(Space::ddr, outputAt + tile * ocmUsed, ocmUsed)},
                           Halt{}});
  return stage;
}

} // namespace

RandomProgram raceFreeProgram(uint64_t seed, const Machine &machine, unsigned tiles, unsigned numOps) {
  Random random(seed);
  RandomProgram result;
  Program &program = result.program;
  program.machine = machine;
  program.tiles = tiles;
  program.machine.tile.queueDepth = random.pick({1u, 2u, 3u, 8u, 8u});
  Machine site = program.machine;
  site.tile.ocmBytes = ocmUsed;
  site.ddr.sizeBytes = ddrUsed;
  program.stages.push_back({"fill", Phase::inference, fillStage(tiles)});
  const uint64_t stages = 1 + random.below(3);
  for (uint64_t i = 0; i < stages; ++i)
    program.stages.push_back(
        {"works " + std::to_string(i), Phase::inference, StageMaker(random, site, tiles).make(numOps)});
  program.stages.push_back({"collect", Phase::inference, collectStage(tiles)});
  addByteTensor(program, "x", proto::INPUT, inputAt, 2 * ddrUsed);
  addByteTensor(program, "ocms", proto::OUTPUT, outputAt, tiles * ocmUsed);
  addByteTensor(program, "ddr", proto::OUTPUT, 0, ddrUsed);
  Tensor input(DType::u8, {2 * ddrUsed});
  for (uint8_t &byte : input.mutableAs<uint8_t>())
    byte = static_cast<uint8_t>(random.below(64)); // with bytes below 64, all floats are finite and moderate
  if (!result.inputs.add("x", std::move(input)))
    std::abort();
  return result;
}

bool loseSynchronisation(Program &program, Random &random) {
  struct InstructionPosition {
    size_t stage, tile, index;
  };
  std::vector<InstructionPosition> positions;
  for (size_t stage = 1; stage + 1 < program.stages.size(); ++stage) {
    const auto &tiles = std::get<DeviceStage>(program.stages[stage].work).tiles;
    for (size_t tile = 0; tile < tiles.size(); ++tile)
      for (size_t i = 0; i < tiles[tile].size(); ++i)
        if (std::holds_alternative<Sync>(tiles[tile][i]) || std::holds_alternative<Wait>(tiles[tile][i]) ||
            std::holds_alternative<GroupBarrier>(tiles[tile][i]) ||
            std::holds_alternative<GlobalBarrier>(tiles[tile][i]))
          positions.push_back({stage, tile, i});
  }
  if (positions.empty())
    return false;
  const InstructionPosition position = random.pick(positions);
  auto &tiles = std::get<DeviceStage>(program.stages[position.stage].work).tiles;
  const Instruction lost = tiles[position.tile][position.index];
  const auto erase = [&](size_t tile, size_t index) {
    tiles[tile].erase(tiles[tile].begin() + static_cast<std::ptrdiff_t>(index));
  };
  if (const auto *wait = std::get_if<Wait>(&lost)) {
    // If no other wait needs a higher value of this semaphore, the last signal to it is removed too, so that
    // no signal is left without a wait.
    const auto waitsForMore = [&](const Instruction &instruction) {
      const auto *other = std::get_if<Wait>(&instruction);
      return other && other->semaphore == wait->semaphore && other->value > wait->value;
    };
    if (std::ranges::none_of(tiles[position.tile], waitsForMore))
      for (size_t from = 0; from < tiles.size(); ++from)
        for (size_t i = tiles[from].size(); i-- > 0;)
          if (const auto *signal = std::get_if<Signal>(&tiles[from][i]);
              signal && signal->tile == position.tile && signal->semaphore == wait->semaphore) {
            erase(from, i);
            break;
          }
    erase(position.tile, position.index);
    return true;
  }
  if (std::holds_alternative<Sync>(lost)) {
    erase(position.tile, position.index);
    return true;
  }
  // Removes the matching barrier of every member tile: the one with the same number of equal barriers before
  // it.
  const auto like = [&](const Instruction &instruction) { return instruction == lost; };
  const auto before =
      std::count_if(tiles[position.tile].begin(),
                    tiles[position.tile].begin() + static_cast<std::ptrdiff_t>(position.index), like);
  for (size_t tile = 0; tile < tiles.size(); ++tile)
    for (size_t i = 0, seen = 0; i < tiles[tile].size(); ++i)
      if (like(tiles[tile][i]) && seen++ == static_cast<size_t>(before)) {
        erase(tile, i);
        break;
      }
  return true;
}

} // namespace tilerig::test
