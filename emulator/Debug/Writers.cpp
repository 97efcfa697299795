#include "emulator/Debug/Writers.h"

#include "isa/Order/Pieces.h"

#include <algorithm>

namespace tilerig::emulator {

namespace {

bool touches(const proto::Tensor &tensor, MemoryId memory, const Region &region) {
  for (const proto::Piece &piece : tensor.pieces())
    if (memory == (piece.ddr() ? ddrMemory : ocmOf(piece.tile())) &&
        !forEachRun(tensor, piece,
                    [&](ByteRange run) { return !overlap(region, Region::ofRun(run.begin, run.size())); }))
      return true;
  return false;
}

void appendAccesses(const proto::Tensor &tensor, AccessKind kind, AccessList &out) {
  for (const proto::Piece &piece : tensor.pieces())
    (void)forEachRun(tensor, piece, [&](ByteRange run) {
      out.push_back({piece.ddr() ? ddrMemory : ocmOf(piece.tile()), kind, tensor.name(),
                     Region::ofRun(run.begin, run.size())});
      return true;
    });
}

// Finds out whether steps of a run wrote certain bytes.
class WriterFinder {
public:
  WriterFinder(const RecordedRun &run, MemoryId memory, const Region &region)
      : run(run), program(run.loadedMachine().program), memory(memory), region(region) {}

  std::optional<Writer> writerIn(size_t index) const {
    const SteppedRun::DoneStep &step = run.step(index);
    switch (step.kind) {
    case SteppedRun::StepKind::beat:
      return beatIn(step, index);
    case SteppedRun::StepKind::hostStage:
      return hostIn(step, index);
    case SteppedRun::StepKind::enterStage:
    case SteppedRun::StepKind::finish:
      return inputIn(step, index);
    default:
      return {};
    }
  }

  Writer initial() const {
    for (const ConstantData &constant : program.constants)
      if (memory == ddrMemory && overlap(region, Region::ofRun(constant.address, constant.bytes.size())))
        return {.kind = WriterKind::constant};
    return {};
  }

private:
  std::optional<Writer> beatIn(const SteppedRun::DoneStep &step, size_t index) const {
    const ValueReplay &replay = *run.replayOf(step.stage);
    const Beat &beat = step.beat.beat;
    const bool mayWrite = beat.kind == BeatKind::put || beat.kind == BeatKind::row ||
                          beat.kind == BeatKind::flip || step.beat.isWhole;
    if (!mayWrite)
      return {};
    const AccessList accesses = replay.accessesOf(step.beat);
    if (std::ranges::none_of(accesses, [&](const Access &access) {
          return access.kind == AccessKind::write && access.memory == memory &&
                 overlap(access.region, region);
        }))
      return {};
    Writer writer{.kind = WriterKind::instruction, .step = index, .readsBefore = index};
    if (beat.kind == BeatKind::put)
      writer.readsBefore = takeOf(step, index);
    if (beat.kind == BeatKind::flip) {
      writer.kind = WriterKind::bitFlip;
      writer.begin = writer.end = beat.tick / ticksPerCycle;
      return writer;
    }
    const Job &job = replay.instructions()[beat.job];
    const unsigned tile = tileOfThread(job.thread);
    writer.place = tilerig::placeOf(program, step.stage, tile, job.instruction);
    writer.begin = job.begin, writer.end = job.end;
    tilerig::appendAccesses(
        std::get<DeviceStage>(program.stages[step.stage].work).tiles[tile][job.instruction], tile,
        writer.accesses);
    return writer;
  }

  // The step in which the slice was read that a step wrote.
  size_t takeOf(const SteppedRun::DoneStep &put, size_t index) const {
    const Beat wanted{0, BeatKind::take, put.beat.beat.job, put.beat.beat.part};
    for (size_t at = index; at-- > 0;) {
      const SteppedRun::DoneStep &step = run.step(at);
      const Beat &beat = step.beat.beat;
      if (step.kind == SteppedRun::StepKind::beat && step.stage == put.stage && beat.kind == wanted.kind &&
          beat.job == wanted.job && beat.part == wanted.part)
        return at;
    }
    return index;
  }

  std::optional<Writer> hostIn(const SteppedRun::DoneStep &step, size_t index) const {
    const auto &work = std::get<proto::HostWork>(program.stages[step.stage].work);
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (std::ranges::find(work.outputs(), tensor.name()) != work.outputs().end() &&
          touches(tensor, memory, region)) {
        const TimedStage &stage = run.results().stages[step.stage];
        return Writer{.kind = WriterKind::host,
                      .step = index,
                      .readsBefore = index,
                      .place = Place{.stage = step.stage, .host = true, .layer = work.layer()},
                      .tensor = tensor.name(),
                      .begin = stage.begin,
                      .end = stage.end};
      }
    return {};
  }

  std::optional<Writer> inputIn(const SteppedRun::DoneStep &step, size_t index) const {
    const bool isInitial =
        step.kind == SteppedRun::StepKind::enterStage && program.stages[step.stage].phase == Phase::initial;
    if (step.hadInputs || isInitial)
      return {};
    for (const proto::Tensor &tensor : program.metadata.tensors())
      if (tensor.role() == proto::INPUT && touches(tensor, memory, region))
        return Writer{.kind = WriterKind::input, .step = index, .tensor = tensor.name()};
    return {};
  }

  const RecordedRun &run;
  const Program &program;
  const MemoryId memory;
  const Region &region;
};

} // namespace

AccessList accessesOf(const RecordedRun &run, const SteppedRun::DoneStep &step) {
  if (step.kind == SteppedRun::StepKind::beat)
    return run.replayOf(step.stage)->accessesOf(step.beat);
  AccessList accesses;
  const Program &program = run.loadedMachine().program;
  if (step.kind == SteppedRun::StepKind::hostStage) {
    const auto &work = std::get<proto::HostWork>(program.stages[step.stage].work);
    for (const proto::Tensor &tensor : program.metadata.tensors()) {
      if (std::ranges::count(work.inputs(), tensor.name()) > 0)
        appendAccesses(tensor, AccessKind::read, accesses);
      if (std::ranges::count(work.outputs(), tensor.name()) > 0)
        appendAccesses(tensor, AccessKind::write, accesses);
    }
  }
  return accesses;
}

std::optional<Place> placeOf(const RecordedRun &run, const SteppedRun::DoneStep &step) {
  const Program &program = run.loadedMachine().program;
  if (step.kind == SteppedRun::StepKind::hostStage)
    return Place{.stage = step.stage,
                 .host = true,
                 .layer = std::get<proto::HostWork>(program.stages[step.stage].work).layer()};
  if (step.kind != SteppedRun::StepKind::beat || step.beat.beat.kind == BeatKind::flip)
    return {};
  const Job &job = run.replayOf(step.stage)->instructions()[step.beat.beat.job];
  return tilerig::placeOf(program, step.stage, tileOfThread(job.thread), job.instruction);
}

Writer lastWriterOf(const RecordedRun &run, MemoryId memory, const Region &region, size_t beforeStep) {
  const WriterFinder finder(run, memory, region);
  for (size_t index = beforeStep; index-- > 0;)
    if (auto writer = finder.writerIn(index))
      return *std::move(writer);
  return finder.initial();
}

static WriterChain chainOf(const RecordedRun &run, MemoryId memory, const Region &region, size_t beforeStep,
                           unsigned depth) {
  WriterChain chain{.operand = {},
                    .memory = memory,
                    .bytes = region.bounds(),
                    .writer = lastWriterOf(run, memory, region, beforeStep),
                    .operands = {}};
  if (depth == 0 || !chain.writer.step)
    return chain;
  for (const Access &access : chain.writer.accesses)
    if (access.kind == AccessKind::read) {
      chain.operands.push_back(
          chainOf(run, access.memory, access.region, chain.writer.readsBefore, depth - 1));
      chain.operands.back().operand = access.operand;
    }
  return chain;
}

WriterChain writersOf(const RecordedRun &run, const Location &location, unsigned depth) {
  return chainOf(run, location.memory, Region::ofRun(location.address, 1), run.numSteps(), depth);
}

} // namespace tilerig::emulator
