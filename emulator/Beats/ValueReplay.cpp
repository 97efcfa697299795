#include "emulator/Beats/ValueReplay.h"

#include "emulator/Beats/BeatPlaces.h"
#include "emulator/Beats/RowAccesses.h"
#include "emulator/Defects/DefectiveOps.h"
#include "isa/Timeline/SharedWays.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace tilerig::emulator {

namespace {

bool movesBytes(const Job &job) { return isDmaRead(kindOf(job.thread)); }

// Returns amount * part / of, without overflow of the intermediate product.
uint64_t share(uint64_t amount, uint64_t part, uint64_t of) {
  return amount / of * part + amount % of * part / of;
}

} // namespace

ValueReplay::ValueReplay(const Program &program, const Defects &defects, const ValueReplayOptions &options,
                         const CapturePoints &capturePoints, const std::vector<Replacement> &replacements,
                         Memories &memories, Initialised &initialised, FaultLog &log)
    : program(program), defects(defects), options(options), capturePoints(capturePoints),
      replacements(replacements), memories(memories), initialised(initialised), log(log), constants(program),
      flips(defects.flippedBits) {
  std::ranges::stable_sort(flips, {}, &FlippedBit::cycle);
}

const Instruction &ValueReplay::instructionOf(const Job &job) const {
  return std::get<DeviceStage>(program.stages[stage].work).tiles[tileOfThread(job.thread)][job.instruction];
}

bool ValueReplay::runStage(const StageCosts &costs, const Timeline &times) {
  stage = costs.threads.stage;
  timeline = &times;
  jobs = jobsOf(costs, times);
  std::vector<Disturbance> disturbances;
  for (size_t i = flipsDone; i < flips.size() && flips[i].cycle <= times.end; ++i) {
    const FlippedBit &flippedBit = flips[i];
    disturbances.push_back({flippedBit.cycle, flippedBit.inDdr ? ddrMemory : ocmOf(flippedBit.tile),
                            Region::ofRun(flippedBit.address, 1)});
    beats.push({flippedBit.cycle * ticksPerCycle, Kind::flip, static_cast<uint32_t>(i)});
  }
  const JobOrder order(program, stage, jobs);
  captures = timeCapturePoints(capturePoints.stages[stage], jobs, order,
                               jobs.empty() ? times.end : jobs.front().begin, memories);
  findChanges(order);
  for (uint32_t i = 0; i < captures.size(); ++i) {
    const auto &[capturePoint, time] = captures[i];
    for (const Region &region : capturePoint.piece.regions)
      disturbances.push_back({time, capturePoint.piece.memory, region, true});
    beats.push({time * ticksPerCycle, Kind::capture, i});
  }
  collisions = findMeetings(program, stage, std::move(disturbances), jobs);
  for (uint32_t i = 0; i < collisions.size(); ++i)
    beats.push({collisions[i].cycle * ticksPerCycle, Kind::collision, i});
  if (!jobs.empty())
    beats.push({jobs[0].begin * ticksPerCycle, Kind::start, 0});
  while (!beats.empty()) {
    const Beat beat = beats.top();
    beats.pop();
    if (!carryOut(beat))
      return false;
  }
  return true;
}

bool ValueReplay::carryOut(const Beat &beat) {
  switch (beat.kind) {
  case Kind::take:
    return take(beat);
  case Kind::put:
    return put(beat);
  case Kind::capture:
    captures[beat.job].capturePoint.copy.run();
    return true;
  case Kind::flip:
    return flip(beat);
  case Kind::collision:
    return collide(beat);
  case Kind::forbidden:
    return forbid(beat);
  case Kind::start:
    return start(beat);
  case Kind::row:
    return row(beat);
  }
  return true;
}

// --- The functions below start the execution of an instruction, as a whole or row by row ---

bool ValueReplay::start(const Beat &beat) {
  if (beat.job + 1 < jobs.size())
    beats.push({jobs[beat.job + 1].begin * ticksPerCycle, Kind::start, beat.job + 1});
  const Job &job = jobs[beat.job];
  const Instruction &instruction = instructionOf(job);
  if (constantsWrittenBy(job)) { // a store to constants is a fault and is not executed
    beats.push({job.writeBegin * ticksPerCycle, Kind::forbidden, beat.job});
    return true;
  }
  if (!job.byBeats && !options.everyBeat && !mayFault(instruction) && startWhole(job, instruction)) {
    ended(beat.job);
    return true;
  }
  if (movesBytes(job))
    startTransfer(beat.job, instruction);
  else
    startRows(beat.job, instruction);
  return true;
}

std::optional<Access> ValueReplay::constantsWrittenBy(const Job &job) const {
  AccessList accesses;
  appendAccesses(instructionOf(job), tileOfThread(job.thread), accesses);
  for (const Access &access : accesses)
    if (access.kind == AccessKind::write && access.memory == ddrMemory &&
        constants.firstOverlap(access.region))
      return access;
  return {};
}

// Runs an instruction whole. Returns false, and does nothing, if part of its input is uninitialised; running
// it beat by beat (row by row) then shows which bytes and when.
bool ValueReplay::startWhole(const Job &job, const Instruction &instruction) {
  const unsigned tile = tileOfThread(job.thread);
  AccessList accesses;
  appendAccesses(instruction, tile, accesses);
  for (const Access &access : accesses)
    if (access.kind == AccessKind::read && !defects.isDead(tile) &&
        initialised.firstMissing(access.memory, access.region))
      return false;
  const auto op = prepareDefective(instruction, tile, BeatPlaces(memories, tile), defects);
  // run() returns no fault here, because instructions that can cause a fault are run row by row.
  (void)op->run(0, op->rows(), scratch);
  markWritten(accesses);
  return true;
}

void ValueReplay::startRows(uint32_t index, const Instruction &instruction) {
  const Job &job = jobs[index];
  const unsigned tile = tileOfThread(job.thread);
  Running &state = running[index];
  state.instruction = defects.isDead(tile) ? deadInstruction(instruction) : instruction;
  state.rows = numRows(state.instruction);
  state.oneByOne = job.overlapsItself || mayFault(state.instruction);
  // The prepared operation of a copy merges contiguous rows into longer ones, so its rows are not those of
  // the output. Therefore row() prepares a separate operation for every output row of a copy.
  if (!std::holds_alternative<Copy>(state.instruction))
    state.op = prepareDefective(state.instruction, tile, BeatPlaces(memories, tile), defects);
  beats.push({job.begin * ticksPerCycle, Kind::row, index});
}

void ValueReplay::startTransfer(uint32_t index, const Instruction &instruction) {
  const Job &job = jobs[index];
  const unsigned tile = tileOfThread(job.thread);
  Running &state = running[index];
  state.transfer.emplace(instruction, tile, program.machine, defects.isDead(tile));
  state.rows = state.transfer->size();
  state.takeTicks = sliceTicks(job.thread, job.ordinal, state.rows);
  state.putTicks = sliceTicks(job.thread + 1, job.ordinal, state.rows);
  // A slice of a transfer is written only after it has been read.
  for (size_t i = 0; i < state.rows; ++i)
    state.putTicks[i] = std::max(state.putTicks[i], state.takeTicks[i]);
  beats.push({state.takeTicks[0], Kind::take, index});
  beats.push({state.putTicks[0], Kind::put, index});
}

uint64_t ValueReplay::rowTick(const Job &job, uint64_t row, uint64_t rows) const {
  return job.begin * ticksPerCycle + share((job.end - job.begin) * ticksPerCycle, row, rows);
}

std::vector<uint64_t> ValueReplay::sliceTicks(ThreadId thread, uint32_t ordinal, uint64_t slices) const {
  const auto phase = std::ranges::lower_bound(timeline->phases[thread], ordinal, {}, &PhaseTicks::ordinal);
  const std::vector<uint64_t> &ticks = phase->ticks;
  std::vector<uint64_t> result;
  for (uint64_t slice = 1; slice <= slices; ++slice) {
    const uint64_t parts = slice * (ticks.size() - 1), part = parts / slices;
    const uint64_t span = part + 1 < ticks.size() ? ticks[part + 1] - ticks[part] : 0;
    result.push_back(ticks[part] + share(span, parts % slices, slices));
  }
  return result;
}

// --- beats ---

// Computes rows of an instruction: the row of this beat, and the rows after it that come before any other
// event of the stage. Returns false if a fault ends the run.
bool ValueReplay::row(const Beat &beat) {
  const Job &job = jobs[beat.job];
  const unsigned tile = tileOfThread(job.thread);
  Running &state = running[beat.job];
  AccessList accesses, row;
  uint64_t end = beat.part;
  while (end < state.rows) {
    const uint64_t tick = rowTick(job, end, state.rows);
    if (end > beat.part && (state.oneByOne || (!beats.empty() && tick >= beats.top().tick)))
      break;
    row.clear();
    appendRowAccesses(state.instruction, tile, end, row);
    if (!checkReads(job, row, tick / ticksPerCycle))
      return false;
    accesses.insert(accesses.end(), row.begin(), row.end());
    ++end;
  }
  std::optional<DataFault> fault;
  if (const auto *copy = std::get_if<Copy>(&state.instruction)) {
    for (uint64_t at = beat.part; at < end; ++at) {
      Copy one = *copy;
      uint64_t rest = at;
      for (unsigned d = 4; d-- > 0; rest /= copy->output.dims[d].size) {
        const auto index = static_cast<uint32_t>(rest % copy->output.dims[d].size);
        one.input = fixedAt(one.input, d, index);
        one.output = fixedAt(one.output, d, index);
      }
      (void)prepareOp(one, tile, BeatPlaces(memories, tile))->run(0, 1, scratch);
    }
  } else {
    fault = state.op->run(beat.part, end, scratch);
  }
  if (!fault)
    markWritten(accesses);
  else if (!addFault(FaultKind::dataFault, job, {}, beat.tick / ticksPerCycle, fault->description))
    return false;
  if (end < state.rows) {
    beats.push({rowTick(job, end, state.rows), Kind::row, beat.job, end});
  } else {
    running.erase(beat.job);
    ended(beat.job);
  }
  return true;
}

bool ValueReplay::take(const Beat &beat) {
  const Job &job = jobs[beat.job];
  const unsigned tile = tileOfThread(job.thread);
  Running &state = running[beat.job];
  const uint64_t cycle = beat.tick / ticksPerCycle;
  AccessList first, then;
  state.transfer->appendReads(beat.part, first);
  if (!checkReads(job, first, cycle))
    return false;
  state.transfer->appendRowReads(beat.part, memories, then);
  if (!checkReads(job, then, cycle))
    return false;
  if (const auto fault = state.transfer->read(beat.part, memories, scratch))
    if (!addFault(FaultKind::dataFault, job, "indices", cycle, fault->description, ocmOf(tile),
                  first.front().region.bounds()))
      return false;
  if (beat.part + 1 < state.rows)
    beats.push({state.takeTicks[beat.part + 1], Kind::take, beat.job, beat.part + 1});
  return true;
}

bool ValueReplay::put(const Beat &beat) {
  Running &state = running[beat.job];
  if (state.transfer->write(beat.part, memories, scratch)) {
    AccessList accesses;
    state.transfer->appendWrites(beat.part, accesses);
    markWritten(accesses);
  }
  if (beat.part + 1 < state.rows) {
    beats.push({state.putTicks[beat.part + 1], Kind::put, beat.job, beat.part + 1});
  } else {
    running.erase(beat.job);
    ended(beat.job);
  }
  return true;
}

bool ValueReplay::flip(const Beat &beat) {
  const FlippedBit &flippedBit = flips[beat.job];
  const MemoryId memory = flippedBit.inDdr ? ddrMemory : ocmOf(flippedBit.tile);
  const ByteRange range{flippedBit.address, flippedBit.address + 1};
  const std::byte bit{static_cast<uint8_t>(1u << flippedBit.bit)};
  // A constant may be stored in two places: outside the DDR buffer, and as a copy in that buffer. The bit is
  // flipped in both.
  const auto *read = memories.readable(memory, range);
  std::byte *written = memories.writable(memory, range);
  *written ^= bit;
  if (read != written)
    *const_cast<std::byte *>(read) ^= bit;
  flipsDone = std::max<size_t>(flipsDone, beat.job + 1);
  return true;
}

bool ValueReplay::collide(const Beat &beat) {
  const Collision &collision = collisions[beat.job];
  const Job &first = jobs[collision.first], &second = jobs[collision.second];
  const auto place = [&](const Job &job, std::string_view operand) {
    return placeOf(program, stage, tileOfThread(job.thread), job.instruction, operand);
  };
  return log.add({.kind = FaultKind::overlappingWrite,
                  .description = "two instructions write the same bytes at the same time",
                  .place = place(second, collision.operand),
                  .others = {place(first, {})},
                  .cycle = collision.cycle,
                  .memory = collision.memory,
                  .bytes = collision.bytes});
}

bool ValueReplay::forbid(const Beat &beat) {
  const Job &job = jobs[beat.job];
  const Access access = *constantsWrittenBy(job);
  return addFault(FaultKind::storeToConstants, job, access.operand, job.writeBegin,
                  "the instruction writes to constants, which are read-only", ddrMemory,
                  *constants.firstOverlap(access.region));
}

// --- replacements ---

void ValueReplay::findChanges(const JobOrder &order) {
  changes.clear();
  for (const Replacement &replacement : replacements) {
    if (replacement.tensor->stage() != stage)
      continue;
    for (Change &change : changesOf(replacement, &order, memories))
      if (change.after)
        changes.emplace(*change.after, std::move(change));
      else
        changeAtOnce(change);
  }
}

// Applies a replacement of values at the beginning of the stage, because no instruction of the stage writes
// the tensor.
void ValueReplay::changeAtOnce(const Change &change) {
  change.copy.run();
  if (change.onlyLooks)
    return;
  for (const Region &region : change.regions)
    initialised.add(change.memory, region);
}

void ValueReplay::ended(uint32_t job) {
  const auto [begin, end] = changes.equal_range(job);
  for (auto change = begin; change != end; ++change)
    change->second.copy.run();
}

// --- faults ---

bool ValueReplay::checkReads(const Job &job, const AccessList &accesses, uint64_t cycle) {
  for (const Access &access : accesses) {
    if (access.kind != AccessKind::read)
      continue;
    const auto missing = initialised.firstMissing(access.memory, access.region);
    if (!missing)
      continue;
    if (!addFault(FaultKind::uninitialisedRead, job, access.operand, cycle,
                  "the instruction reads bytes that have not been written", access.memory, *missing))
      return false;
    forEachRun(access.region, [&](ByteRange run) {
      initialised.forEachMissing(access.memory, run, [&](ByteRange bytes) {
        std::memset(memories.writable(access.memory, bytes), std::to_integer<int>(Initialised::pattern),
                    bytes.size());
      });
      return true;
    });
  }
  return true;
}

bool ValueReplay::addFault(FaultKind kind, const Job &job, std::string_view operand, uint64_t cycle,
                           std::string description, std::optional<MemoryId> memory, ByteRange bytes) {
  return log.add({.kind = kind,
                  .description = std::move(description),
                  .place = placeOf(program, stage, tileOfThread(job.thread), job.instruction, operand),
                  .cycle = cycle,
                  .memory = memory,
                  .bytes = bytes});
}

void ValueReplay::markWritten(const AccessList &accesses) {
  for (const Access &access : accesses)
    if (access.kind == AccessKind::write)
      initialised.add(access.memory, access.region);
}

} // namespace tilerig::emulator
