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

ValueReplay::ValueReplay(RunState &run, const StageCosts &costs, const Timeline &timeline)
    : run(run), program(run.machine.program), memories(run.machine.memories), stage(costs.threads.stage),
      timeline(timeline), jobs(jobsOf(costs, timeline)) {
  std::vector<Disturbance> disturbances;
  for (size_t i = run.flipsDone; i < run.flips.size() && run.flips[i].cycle <= timeline.end; ++i) {
    const FlippedBit &flippedBit = run.flips[i];
    disturbances.push_back({flippedBit.cycle, flippedBit.inDdr ? ddrMemory : ocmOf(flippedBit.tile),
                            Region::ofRun(flippedBit.address, 1)});
    beats.insert({flippedBit.cycle * ticksPerCycle, BeatKind::flip, static_cast<uint32_t>(i)});
  }
  const JobOrder order(program, stage, jobs);
  captures = timeCapturePoints(run.machine.capturePoints.stages[stage], jobs, order,
                               jobs.empty() ? timeline.end : jobs.front().begin, memories);
  findChanges(order);
  for (uint32_t i = 0; i < captures.size(); ++i) {
    const auto &[capturePoint, time] = captures[i];
    for (const Region &region : capturePoint.piece.regions)
      disturbances.push_back({time, capturePoint.piece.memory, region, true});
    beats.insert({time * ticksPerCycle, BeatKind::capture, i});
  }
  collisions = findMeetings(program, stage, std::move(disturbances), jobs);
  for (uint32_t i = 0; i < collisions.size(); ++i)
    beats.insert({collisions[i].cycle * ticksPerCycle, BeatKind::collision, i});
  if (!jobs.empty())
    beats.insert({jobs[0].begin * ticksPerCycle, BeatKind::start, 0});
}

const Instruction &ValueReplay::instructionOf(const Job &job) const {
  return std::get<DeviceStage>(program.stages[stage].work).tiles[tileOfThread(job.thread)][job.instruction];
}

ValueReplay::DoneBeat ValueReplay::step(const Beat &limit) {
  DoneBeat done{.beat = *beats.begin(),
                .ended = nullptr,
                .faultsBefore = run.log.faults.size(),
                .flipsBefore = run.flipsDone,
                .changesBefore = run.changes ? run.changes->now() : 0};
  beats.erase(beats.begin());
  carryOut(done, limit);
  return done;
}

void ValueReplay::carryOut(DoneBeat &done, const Beat &limit) {
  switch (done.beat.kind) {
  case BeatKind::take:
    done.goesOn = take(done);
    return;
  case BeatKind::put:
    return put(done);
  case BeatKind::capture:
    return captures[done.beat.job].capturePoint.copy.run();
  case BeatKind::flip:
    return flip(done.beat);
  case BeatKind::collision:
    done.goesOn = collide(done.beat);
    return;
  case BeatKind::forbidden:
    done.goesOn = forbid(done.beat);
    return;
  case BeatKind::start:
    return start(done);
  case BeatKind::row:
    done.goesOn = row(done, limit);
    return;
  }
}

void ValueReplay::undo(DoneBeat done) {
  run.changes->undoTo(done.changesBefore);
  run.log.undoTo(done.faultsBefore);
  run.flipsDone = done.flipsBefore;
  for (unsigned i = 0; i < done.numPlanned; ++i)
    beats.erase(done.planned[i]);
  beats.insert(done.beat);
  const uint32_t job = done.beat.job;
  if (done.ended)
    running[job] = std::move(done.ended);
  if (done.beat.kind == BeatKind::start)
    running.erase(job);
  if (done.beat.kind == BeatKind::take)
    running.at(job)->transfer->forget(done.beat.part);
}

void ValueReplay::plan(DoneBeat &done, const Beat &beat) {
  beats.insert(beat);
  done.planned[done.numPlanned++] = beat;
}

AccessList ValueReplay::accessesOf(const DoneBeat &done) const {
  AccessList accesses;
  const Beat &beat = done.beat;
  if (beat.kind == BeatKind::flip) {
    const FlippedBit &bit = run.flips[beat.job];
    accesses.push_back(
        {bit.inDdr ? ddrMemory : ocmOf(bit.tile), AccessKind::write, "bit", Region::ofRun(bit.address, 1)});
  }
  if (beat.kind != BeatKind::start && beat.kind != BeatKind::row && beat.kind != BeatKind::take &&
      beat.kind != BeatKind::put)
    return accesses;
  const Job &job = jobs[beat.job];
  const unsigned tile = tileOfThread(job.thread);
  const Instruction &instruction = instructionOf(job);
  const bool isDead = run.machine.defects.isDead(tile);
  if (beat.kind == BeatKind::start && done.isWhole)
    appendAccesses(instruction, tile, accesses);
  if (beat.kind == BeatKind::row)
    for (uint64_t row = beat.part; row < done.endPart; ++row)
      appendRowAccesses(isDead ? deadInstruction(instruction) : instruction, tile, row, accesses);
  if (beat.kind == BeatKind::take || beat.kind == BeatKind::put) {
    const TransferBeats transfer(instruction, tile, program.machine, isDead);
    if (beat.kind == BeatKind::put) {
      transfer.appendWrites(beat.part, accesses);
    } else {
      transfer.appendReads(beat.part, accesses);
      transfer.appendRowReads(beat.part, memories, accesses);
    }
  }
  if (!done.wrote)
    std::erase_if(accesses, [](const Access &access) { return access.kind == AccessKind::write; });
  return accesses;
}

// --- The functions below start the execution of an instruction, as a whole or row by row ---

void ValueReplay::start(DoneBeat &done) {
  const uint32_t index = done.beat.job;
  if (index + 1 < jobs.size())
    plan(done, {jobs[index + 1].begin * ticksPerCycle, BeatKind::start, index + 1});
  const Job &job = jobs[index];
  const Instruction &instruction = instructionOf(job);
  if (constantsWrittenBy(job)) // a store to constants is a fault and is not executed
    return plan(done, {job.writeBegin * ticksPerCycle, BeatKind::forbidden, index});
  if (!job.byBeats && !run.everyBeat && !mayFault(instruction) && startWhole(job, instruction)) {
    done.isWhole = true;
    return ended(index);
  }
  if (movesBytes(job))
    startTransfer(done, instruction);
  else
    startRows(done, instruction);
}

std::optional<Access> ValueReplay::constantsWrittenBy(const Job &job) const {
  AccessList accesses;
  appendAccesses(instructionOf(job), tileOfThread(job.thread), accesses);
  for (const Access &access : accesses)
    if (access.kind == AccessKind::write && access.memory == ddrMemory &&
        run.constants.firstOverlap(access.region))
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
    if (access.kind == AccessKind::read && !run.machine.defects.isDead(tile) &&
        run.initialised.firstMissing(access.memory, access.region))
      return false;
  const auto op = prepareDefective(instruction, tile, BeatPlaces(memories, tile), run.machine.defects);
  willWrite(accesses);
  // run() returns no fault here, because instructions that can cause a fault are run row by row.
  (void)op->run(0, op->rows(), run.scratch);
  markWritten(accesses);
  return true;
}

void ValueReplay::startRows(DoneBeat &done, const Instruction &instruction) {
  const Job &job = jobs[done.beat.job];
  const unsigned tile = tileOfThread(job.thread);
  const Defects &defects = run.machine.defects;
  auto state = std::make_shared<Running>();
  state->instruction = defects.isDead(tile) ? deadInstruction(instruction) : instruction;
  state->rows = numRows(state->instruction);
  state->oneByOne = job.overlapsItself || mayFault(state->instruction);
  // The prepared operation of a copy merges contiguous rows into longer ones, so its rows are not those of
  // the output. Therefore row() prepares a separate operation for every output row of a copy.
  if (!std::holds_alternative<Copy>(state->instruction))
    state->op = prepareDefective(state->instruction, tile, BeatPlaces(memories, tile), defects);
  running[done.beat.job] = std::move(state);
  plan(done, {job.begin * ticksPerCycle, BeatKind::row, done.beat.job});
}

void ValueReplay::startTransfer(DoneBeat &done, const Instruction &instruction) {
  const Job &job = jobs[done.beat.job];
  const unsigned tile = tileOfThread(job.thread);
  auto state = std::make_shared<Running>();
  state->transfer.emplace(instruction, tile, program.machine, run.machine.defects.isDead(tile));
  state->rows = state->transfer->size();
  state->takeTicks = sliceTicks(job.thread, job.ordinal, state->rows);
  state->putTicks = sliceTicks(job.thread + 1, job.ordinal, state->rows);
  // A slice of a transfer is written only after it has been read.
  for (size_t i = 0; i < state->rows; ++i)
    state->putTicks[i] = std::max(state->putTicks[i], state->takeTicks[i]);
  plan(done, {state->takeTicks[0], BeatKind::take, done.beat.job});
  plan(done, {state->putTicks[0], BeatKind::put, done.beat.job});
  running[done.beat.job] = std::move(state);
}

uint64_t ValueReplay::rowTick(const Job &job, uint64_t row, uint64_t rows) const {
  return job.begin * ticksPerCycle + share((job.end - job.begin) * ticksPerCycle, row, rows);
}

std::vector<uint64_t> ValueReplay::sliceTicks(ThreadId thread, uint32_t ordinal, uint64_t slices) const {
  const auto phase = std::ranges::lower_bound(timeline.phases[thread], ordinal, {}, &PhaseTicks::ordinal);
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
bool ValueReplay::row(DoneBeat &done, const Beat &limit) {
  const Beat &beat = done.beat;
  const Job &job = jobs[beat.job];
  const unsigned tile = tileOfThread(job.thread);
  Running &state = *running.at(beat.job);
  AccessList accesses, row;
  uint64_t end = beat.part;
  while (end < state.rows) {
    const uint64_t tick = rowTick(job, end, state.rows);
    if (end > beat.part && (state.oneByOne || tick >= limit.tick || (!beats.empty() && tick >= next().tick)))
      break;
    row.clear();
    appendRowAccesses(state.instruction, tile, end, row);
    if (!checkReads(job, row, tick / ticksPerCycle))
      return false;
    accesses.insert(accesses.end(), row.begin(), row.end());
    ++end;
  }
  done.endPart = end;
  done.endTick = rowTick(job, end, state.rows);
  willWrite(accesses);
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
      (void)prepareOp(one, tile, BeatPlaces(memories, tile))->run(0, 1, run.scratch);
    }
  } else {
    fault = state.op->run(beat.part, end, run.scratch);
  }
  done.wrote = !fault;
  if (!fault)
    markWritten(accesses);
  else if (!addFault(FaultKind::dataFault, job, {}, beat.tick / ticksPerCycle, fault->description))
    return false;
  if (end < state.rows)
    plan(done, {rowTick(job, end, state.rows), BeatKind::row, beat.job, end});
  else
    this->end(done);
  return true;
}

// Ends an instruction that ran beat by beat.
void ValueReplay::end(DoneBeat &done) {
  const auto at = running.find(done.beat.job);
  if (run.changes)
    done.ended = std::move(at->second);
  running.erase(at);
  ended(done.beat.job);
}

bool ValueReplay::take(DoneBeat &done) {
  const Beat &beat = done.beat;
  const Job &job = jobs[beat.job];
  const unsigned tile = tileOfThread(job.thread);
  Running &state = *running.at(beat.job);
  const uint64_t cycle = beat.tick / ticksPerCycle;
  AccessList first, then;
  state.transfer->appendReads(beat.part, first);
  if (!checkReads(job, first, cycle))
    return false;
  state.transfer->appendRowReads(beat.part, memories, then);
  if (!checkReads(job, then, cycle))
    return false;
  if (const auto fault = state.transfer->read(beat.part, memories, run.scratch))
    if (!addFault(FaultKind::dataFault, job, "indices", cycle, fault->description, ocmOf(tile),
                  first.front().region.bounds()))
      return false;
  if (beat.part + 1 < state.rows)
    plan(done, {state.takeTicks[beat.part + 1], BeatKind::take, beat.job, beat.part + 1});
  return true;
}

void ValueReplay::put(DoneBeat &done) {
  const Beat &beat = done.beat;
  Running &state = *running.at(beat.job);
  AccessList accesses;
  state.transfer->appendWrites(beat.part, accesses);
  willWrite(accesses);
  done.wrote = state.transfer->write(beat.part, memories, run.scratch, run.changes.has_value());
  if (done.wrote)
    markWritten(accesses);
  if (beat.part + 1 < state.rows)
    plan(done, {state.putTicks[beat.part + 1], BeatKind::put, beat.job, beat.part + 1});
  else
    end(done);
}

void ValueReplay::flip(const Beat &beat) {
  const FlippedBit &flippedBit = run.flips[beat.job];
  const MemoryId memory = flippedBit.inDdr ? ddrMemory : ocmOf(flippedBit.tile);
  const ByteRange range{flippedBit.address, flippedBit.address + 1};
  const std::byte bit{static_cast<uint8_t>(1u << flippedBit.bit)};
  // A constant may be stored in two places: outside the DDR buffer, and as a copy in that buffer. The bit is
  // flipped in both.
  if (flippedBit.inDdr)
    memories.copyConstants(range);
  auto *read = const_cast<std::byte *>(memories.readable(memory, range));
  std::byte *written = memories.writable(memory, range);
  for (std::byte *copy : {written, read == written ? nullptr : read})
    if (copy) {
      if (run.changes)
        run.changes->overwrites(copy);
      *copy ^= bit;
    }
  run.flipsDone = std::max<size_t>(run.flipsDone, beat.job + 1);
}

bool ValueReplay::collide(const Beat &beat) {
  const Collision &collision = collisions[beat.job];
  const Job &first = jobs[collision.first], &second = jobs[collision.second];
  const auto place = [&](const Job &job, std::string_view operand) {
    return placeOf(program, stage, tileOfThread(job.thread), job.instruction, operand);
  };
  return run.log.add({.kind = FaultKind::overlappingWrite,
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
                  *run.constants.firstOverlap(access.region));
}

// --- replacements ---

void ValueReplay::findChanges(const JobOrder &order) {
  for (const Replacement &replacement : run.machine.replacements) {
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
  willChange(change);
  change.copy.run();
  if (change.onlyLooks)
    return;
  for (const Region &region : change.regions)
    run.initialised.add(change.memory, region);
}

void ValueReplay::ended(uint32_t job) {
  const auto [begin, end] = changes.equal_range(job);
  for (auto change = begin; change != end; ++change) {
    willChange(change->second);
    change->second.copy.run();
  }
}

void ValueReplay::willWrite(const AccessList &accesses) {
  if (run.changes)
    run.changes->overwrites(accesses);
}

void ValueReplay::willChange(const Change &change) {
  if (run.changes && !change.onlyLooks)
    for (const Region &region : change.regions)
      run.changes->overwrites(change.memory, region);
}

// --- faults ---

bool ValueReplay::checkReads(const Job &job, const AccessList &accesses, uint64_t cycle) {
  for (const Access &access : accesses) {
    if (access.kind != AccessKind::read)
      continue;
    const auto missing = run.initialised.firstMissing(access.memory, access.region);
    if (!missing)
      continue;
    if (!addFault(FaultKind::uninitialisedRead, job, access.operand, cycle,
                  "the instruction reads bytes that have not been written", access.memory, *missing))
      return false;
    forEachRun(access.region, [&](ByteRange bytesOfRun) {
      run.initialised.forEachMissing(access.memory, bytesOfRun, [&](ByteRange bytes) {
        if (run.changes)
          run.changes->overwrites(access.memory, Region::ofRun(bytes.begin, bytes.size()));
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
  return run.log.add({.kind = kind,
                      .description = std::move(description),
                      .place = placeOf(program, stage, tileOfThread(job.thread), job.instruction, operand),
                      .cycle = cycle,
                      .memory = memory,
                      .bytes = bytes});
}

void ValueReplay::markWritten(const AccessList &accesses) {
  for (const Access &access : accesses)
    if (access.kind == AccessKind::write)
      run.initialised.add(access.memory, access.region);
}

} // namespace tilerig::emulator
