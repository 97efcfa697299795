#include "isa/Analyser/Replay.h"

#include "isa/Analyser/Initialised.h"
#include "isa/Analyser/Overflow.h"
#include "isa/Analyser/Races.h"
#include "isa/Analyser/SelfOverlap.h"
#include "isa/Base/Support/StartThreads.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

Replay::Replay(const Program &program, const Constants &constants, std::vector<uint32_t> doubted,
               Report &report)
    : program(program), constants(constants), doubted(std::move(doubted)), report(report),
      initialised(initialisedBefore(program, constants, 0)), values(constants, program.tiles) {}

// A program runs one inference after another. A fact (what is known about the values of some bytes) from the
// initial stages holds in all inferences only if no inference overwrites the bytes. The facts in `doubted`
// are overwritten by an inference and are dropped before the first one.
void Replay::enter(Phase next) {
  if (phase == Phase::initial && next != Phase::initial) {
    writeInputs();
    values.drop(doubted);
    values.markOld();
  }
  if (next == Phase::finishing && phase != Phase::finishing)
    checkOutputs();
  phase = next;
}

void Replay::writeInputs() {
  addInputs(program, initialised[ddrMemory]);
  for (const proto::Tensor &tensor : program.metadata.tensors())
    for (const proto::Piece &piece : tensor.pieces())
      if (tensor.role() == proto::INPUT)
        forEachRun(tensor, piece, [&](ByteRange run) {
          const Region region = Region::ofRun(run.begin, run.size());
          const auto constant = constants.firstOverlap(region);
          if (constant)
            reportConstantWrite({.stage = lastStage, .host = true}, *constant,
                                fmt::format("the host writes the input '{}' to", tensor.name()));
          values.forget(ddrMemory, region);
          return !constant;
        });
}

void Replay::reportConstantWrite(const Place &place, ByteRange bytes, const std::string &who) {
  report.add(
      {.kind = ProblemKind::storeToConstants,
       .places = {place},
       .bytes = bytes,
       .text = fmt::format("{} bytes {}..{} of DDR, which are constants", who, bytes.begin, bytes.end - 1)});
}

void Replay::finish() { enter(Phase::finishing); }

void Replay::checkOutputs() {
  values.forgetOld();
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::OUTPUT)
      checkOutput(tensor);
}

void Replay::checkOutput(const proto::Tensor &tensor) {
  uint64_t held = 0, elements = 1;
  std::optional<ByteRange> missing;
  for (const int64_t size : tensor.shape())
    elements *= static_cast<uint64_t>(size);
  for (const proto::Piece &piece : tensor.pieces()) {
    uint64_t inPiece = 1;
    for (const int64_t extent : piece.extent())
      inPiece *= static_cast<uint64_t>(extent);
    held += inPiece;
    if (!missing)
      forEachRun(tensor, piece, [&](ByteRange run) {
        missing = initialised[ddrMemory].firstMissing(run);
        return !missing;
      });
  }
  Problem problem{.kind = ProblemKind::outputNotWritten};
  if (!program.stages.empty())
    problem.places.push_back({.stage = lastStage, .host = true});
  if (missing) {
    problem.bytes = *missing;
    problem.text =
        fmt::format("bytes {}..{} of DDR, which belong to the output '{}', are not written when the "
                    "inference ends",
                    missing->begin, missing->end - 1, tensor.name());
    report.add(std::move(problem));
  } else if (held < elements) {
    problem.text = fmt::format("the pieces of the output '{}' hold only {} of its {} elements", tensor.name(),
                               held, elements);
    report.add(std::move(problem));
  }
}

void Replay::runHost(uint32_t index) {
  enter(program.stages[index].phase);
  lastStage = index;
  const auto &work = std::get<proto::HostWork>(program.stages[index].work);
  const Place place{.stage = index, .host = true};
  for (const std::string &name : work.inputs())
    if (const proto::Tensor *tensor = findTensor(program, name))
      for (const proto::Piece &piece : tensor->pieces())
        forEachRun(*tensor, piece, [&](ByteRange run) {
          const auto missing = initialised[ddrMemory].firstMissing(run);
          if (missing)
            report.add(uninitialisedRead(place, ddrMemory, *missing));
          return !missing;
        });
  for (const std::string &name : work.outputs())
    if (const proto::Tensor *tensor = findTensor(program, name))
      for (const proto::Piece &piece : tensor->pieces())
        forEachRun(*tensor, piece, [&](ByteRange run) {
          const Region region = Region::ofRun(run.begin, run.size());
          const auto constant = constants.firstOverlap(region);
          if (constant)
            reportConstantWrite(place, *constant, "writes");
          initialised[ddrMemory].add(run);
          values.forget(ddrMemory, region);
          return !constant;
        });
}

// Whether two conflicting accesses of the stage are unordered. The check needs no result of the replay and
// takes about as long as the rest of the replay, so it runs in a thread beside the replay.
static bool findRace(const Program &program, const Constants &constants, const StageThreads &threads,
                     const Order &order) {
  std::vector<uint32_t> ended(threads.numThreads());
  for (ThreadId thread = 0; thread < threads.numThreads(); ++thread)
    ended[thread] = order.ended(thread);
  LiveAccesses live(threads, order.clocks(), std::move(ended));
  const auto &code = std::get<DeviceStage>(program.stages[threads.stage].work).tiles;
  AccessList list;
  for (const Event &event : order.accessingSteps()) {
    const unsigned tile = tileOfThread(event.thread);
    list.clear();
    appendAccesses(code[tile][threads.step(event).instruction], tile, list);
    for (const AccessKind kind : {AccessKind::read, AccessKind::write})
      for (const Access &access : list) {
        if (access.kind != kind || !takesPart(kindOf(event.thread), kind))
          continue;
        const bool isConstant = kind == AccessKind::read && access.memory == ddrMemory &&
                                constants.contains(access.region.bounds());
        if (!isConstant && !live.add(event, access))
          return true;
      }
    live.finish(event);
  }
  return false;
}

void Replay::runDevice(const StageThreads &threads, const Order &order) {
  enter(program.stages[threads.stage].phase);
  lastStage = threads.stage;
  stage = &threads;
  auto race = startOne([&] { return findRace(program, constants, threads, order); });
  pending.assign(threads.numThreads(), {});
  uninitialised.clear();
  for (const Event &event : order.accessingSteps())
    takeStep(event);
  if (race.get())
    reportRaces(program, threads, order, constants, initialisedBefore(program, constants, threads.stage),
                report);
  else
    for (const auto &[place, memory, bytes] : uninitialised)
      report.keeps(ProblemKind::uninitialisedRead) ? report.add(uninitialisedRead(place, memory, bytes))
                                                   : report.countOnly(ProblemKind::uninitialisedRead);
}

void Replay::takeStep(Event event) {
  const unsigned tile = tileOfThread(event.thread);
  const uint32_t index = stage->step(event).instruction;
  const Instruction &instruction =
      std::get<DeviceStage>(program.stages[stage->stage].work).tiles[tile][index];
  list.clear();
  appendAccesses(instruction, tile, list);
  const Place place{stage->stage, false, tile, engineOfThread(event.thread), index, layerOf(instruction)};
  const bool reads = takesPart(kindOf(event.thread), AccessKind::read);
  const bool writes = takesPart(kindOf(event.thread), AccessKind::write);
  std::optional<Fact> fact;
  if (reads) {
    checkSelfOverlap(program, stage->stage, tile, index, list, report);
    readAll(place);
    fact = factFrom(instruction, tile, place);
  }
  if (reads && !writes && fact) {
    // The write thread of a DMA engine has the id of the read thread, plus 1.
    pending[event.thread + 1].push_back({event.ordinal, *fact});
  }
  if (writes) {
    writeAll(place);
    auto &waiting = pending[event.thread];
    if (!waiting.empty() && waiting.front().ordinal == event.ordinal) {
      fact = waiting.front().fact;
      waiting.pop_front();
    }
    for (const Access &access : list)
      if (fact && access.kind == AccessKind::write)
        values.learn(access.memory, *fact);
  }
}

static Place with(Place place, std::string_view operand) {
  place.operand = operand;
  return place;
}

void Replay::readAll(const Place &place) {
  std::string_view reported;
  for (const Access &access : list) {
    if (access.kind != AccessKind::read)
      continue;
    ++numAccesses;
    if (access.memory == ddrMemory && constants.contains(access.region.bounds()))
      continue;
    const auto missing = initialised[access.memory].firstMissing(access.region);
    if (missing && access.operand != reported) {
      reported = access.operand;
      uninitialised.push_back({with(place, access.operand), access.memory, *missing});
    }
  }
}

void Replay::writeAll(const Place &place) {
  for (const Access &access : list) {
    if (access.kind != AccessKind::write)
      continue;
    ++numAccesses;
    if (access.memory == ddrMemory)
      if (const auto constant = constants.firstOverlap(access.region))
        reportConstantWrite(with(place, access.operand), *constant, "writes");
    initialised[access.memory].add(access.region);
    values.forget(access.memory, access.region);
  }
}

namespace {

// Derives what is known about the values that an instruction writes (Fact in Values.h); nullopt if nothing is
// known. The caller sets `region` of the fact.
struct FactMaker {
  Values &values;
  unsigned tile;
  std::vector<WideAccumulator> &wide;
  WideAccumulator place;

  template <class T>
  std::optional<Fact> operator()(const T &) const {
    return std::nullopt;
  }
  std::optional<Fact> operator()(const Load &load) const {
    return values.copied(memoryOf(load.source, tile), load.source, load.destination);
  }
  std::optional<Fact> operator()(const Store &store) const {
    return values.copied(ocmOf(tile), store.source, store.destination);
  }
  std::optional<Fact> operator()(const Multicast &multicast) const {
    return values.copied(memoryOf(multicast.source, tile), multicast.source, multicast.destination);
  }
  std::optional<Fact> operator()(const Copy &copy) const {
    return values.copied(ocmOf(tile), copy.input, copy.output);
  }
  std::optional<Fact> operator()(const Fill &fill) const {
    const auto low = static_cast<uint8_t>(fill.value);
    switch (fill.output.type) {
    case ElementType::i8:
      return elements(fill.output.type, static_cast<int8_t>(low));
    case ElementType::u8:
      return elements(fill.output.type, low);
    case ElementType::i32:
      return elements(fill.output.type, static_cast<int32_t>(fill.value));
    default:
      return std::nullopt;
    }
  }
  template <ProductInstruction T>
  std::optional<Fact> operator()(const T &product) const {
    return isInteger(product) ? accumulators(product) : std::nullopt;
  }

private:
  static Fact elements(ElementType type, int64_t value) {
    return {.kind = Fact::bounded, .type = type, .bounds = {value, value}};
  }
  template <class T>
  std::optional<Fact> accumulators(const T &instruction) const {
    const auto bound = accumulatorBound(instruction, tile, values);
    if (!bound)
      wide.push_back(place);
    if (!bound || instruction.output.type != ElementType::i32)
      return std::nullopt;
    return Fact{.kind = Fact::bounded, .type = ElementType::i32, .bounds = {-*bound, *bound}};
  }
};

} // namespace

std::optional<Fact> Replay::factFrom(const Instruction &instruction, unsigned tile, const Place &place) {
  auto fact =
      std::visit(FactMaker{values, tile, wide, {place.stage, place.tile, place.instruction}}, instruction);
  if (fact)
    for (const Access &access : list)
      if (access.kind == AccessKind::write)
        fact->region = access.region; // a multicast writes the same region in every tile
  return fact;
}

} // namespace tilerig
