#include "isa/Analyser/Analyser.h"

#include "isa/Analyser/Deadlock.h"
#include "isa/Analyser/Legality.h"
#include "isa/Analyser/Overflow.h"
#include "isa/Analyser/Replay.h"
#include "isa/Order/Barriers.h"
#include "isa/Order/Semaphores.h"

#include <algorithm>
#include <fmt/format.h>

namespace tilerig {

namespace {

struct Pass {
  explicit Pass(const AnalyserOptions &options) : report(options.keptPerKind) {}

  Report report;
  Analysis analysis;
  std::vector<uint32_t> lostFacts;
};

StageThreads matchedStage(const Program &program, uint32_t stage, bool capacity, Report &report) {
  StageThreads threads = layOutStage(program, stage, capacity);
  matchSemaphores(program, threads, report);
  matchBarriers(program, threads, report);
  return threads;
}

// Analyses the stages of a program one after another, up to the first stage that does not terminate.
Pass passOver(const Program &program, const AnalyserOptions &options, std::vector<uint32_t> doubted) {
  Pass pass(options);
  const Constants constants(program);
  Replay replay(program, constants, std::move(doubted), pass.report);
  AnalyserStatistics &statistics = pass.analysis.statistics;
  bool ends = true;
  for (uint32_t stage = 0; stage < program.stages.size() && ends; ++stage) {
    if (!std::holds_alternative<DeviceStage>(program.stages[stage].work)) {
      replay.runHost(stage);
    } else {
      const StageThreads threads = matchedStage(program, stage, true, pass.report);
      const Order order(threads);
      if (ends = order.complete(); !ends)
        reportDeadlocks(program, threads, order, pass.report);
      replay.runDevice(threads, order);
      statistics.syncEdges += order.statistics().events;
      statistics.capacityEdges += order.statistics().capacity;
      statistics.barriers += order.statistics().barriers;
    }
    pass.analysis.analysedStages += ends;
  }
  if (ends)
    replay.finish();
  statistics.accesses = replay.numAccesses;
  pass.analysis.wide = std::move(replay.wide);
  pass.lostFacts = replay.lostFacts();
  return pass;
}

std::vector<WideAccumulator> allIntegerAccumulators(const Program &program) {
  std::vector<WideAccumulator> all;
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage)
    if (auto *device = std::get_if<DeviceStage>(&program.stages[stage].work))
      for (uint32_t tile = 0; tile < device->tiles.size(); ++tile)
        for (uint32_t index = 0; index < device->tiles[tile].size(); ++index) {
          const Instruction &instruction = device->tiles[tile][index];
          if (const auto type = multipliedType(instruction); type && !isFloat(*type))
            all.push_back({stage, tile, index});
        }
  return all;
}

uint64_t countInstructions(const Program &program) {
  uint64_t count = 0;
  for (const Stage &stage : program.stages)
    if (auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const auto &code : device->tiles)
        count += code.size();
  return count;
}

proto::Proof proofOf(const Program &program, const std::vector<WideAccumulator> &wide) {
  proto::Proof proof;
  proof.set_content_hash(hashContent(program));
  proof.set_machine_hash(hashMachine(program.machine));
  proof.set_analyser_version(analyserVersion);
  for (const auto &[stage, tile, instruction] : wide) {
    const int last = proof.wide_size() - 1;
    if (last < 0 || proof.wide(last).stage() != stage || proof.wide(last).tile() != tile) {
      proof.add_wide()->set_stage(stage);
      proof.mutable_wide(last + 1)->set_tile(tile);
    }
    proof.mutable_wide(proof.wide_size() - 1)->add_instructions(instruction);
  }
  return proof;
}

} // namespace

Analysis analyse(const Program &program, const AnalyserOptions &options) {
  Pass pass(options);
  if (checkLegality(program, pass.report)) {
    pass = passOver(program, options, {});
    // Facts (what is known about the values of some bytes) hold after the initial stages. If an inference
    // overwrites the bytes of some facts, these do not hold in later inferences, so the analysis is repeated
    // without them.
    if (!pass.lostFacts.empty() && pass.report.problems.empty())
      pass = passOver(program, options, pass.lostFacts);
  }
  Analysis analysis = std::move(pass.analysis);
  analysis.statistics.instructions = countInstructions(program);
  analysis.problems = std::move(pass.report.problems);
  analysis.counts = pass.report.counts;
  if (!analysis.proved())
    analysis.wide = allIntegerAccumulators(program);
  std::ranges::sort(analysis.wide);
  return analysis;
}

Status prove(Program &program) {
  program.proof.reset();
  return prove(program, analyse(program));
}

Status prove(Program &program, const Analysis &analysis) {
  program.proof.reset();
  if (!analysis.proved()) {
    uint64_t total = 0;
    for (const uint64_t count : analysis.counts)
      total += count;
    return invalidInput("program",
                        fmt::format("the analyser found {} problem{}, the first of them: {}", total,
                                    total == 1 ? "" : "s", describeInOneLine(analysis.problems[0], program)),
                        "");
  }
  program.proof = proofOf(program, analysis.wide);
  return success();
}

bool proofHolds(const Program &program) {
  return program.proof && program.proof->analyser_version() == analyserVersion &&
         program.proof->machine_hash() == hashMachine(program.machine) &&
         program.proof->content_hash() == hashContent(program);
}

// Each wait or sync is a step (execution of one instruction) of its thread. It adds one edge to an acyclic
// graph of steps: from the step that it waits for to this step. All edges whose ends are also connected by
// another path can be removed at once without losing any order (transitive reduction).
RedundantSyncs redundantSyncs(const Program &program) {
  RedundantSyncs redundant;
  Report ignored(0);
  if (!checkLegality(program, ignored))
    return redundant;
  for (uint32_t stage = 0; stage < program.stages.size(); ++stage) {
    if (!std::holds_alternative<DeviceStage>(program.stages[stage].work))
      continue;
    StageThreads threads = matchedStage(program, stage, false, ignored);
    const Order order(threads);
    if (!order.complete())
      return {};
    const auto place = [&](ThreadId thread, uint32_t instruction) {
      return placeOf(program, stage, tileOfThread(thread), instruction);
    };
    std::vector<Event> implied = order.impliedSteps();
    const auto position = [](const Event &event) { return std::pair(event.thread, event.ordinal); };
    std::ranges::sort(implied, {}, position);
    for (const Event &step : implied) {
      const uint32_t instruction = threads.step(step).instruction;
      const auto &code = std::get<DeviceStage>(program.stages[stage].work).tiles[tileOfThread(step.thread)];
      (std::holds_alternative<Sync>(code[instruction]) ? redundant.syncs : redundant.waits)
          .push_back(place(step.thread, instruction));
    }
    std::vector<Event> needed;
    for (const WaitStep &wait : threads.waits)
      if (threads.step(wait.start).need == Need::event &&
          !std::ranges::binary_search(implied, position(wait.start), {}, position))
        needed.push_back(threads.step(wait.start).event);
    for (const auto &producers : threads.shared)
      for (const Producer &producer : producers)
        for (const auto &[ordinal, sum] : producer.sums)
          needed.push_back({producer.thread, ordinal});
    std::ranges::sort(needed, {}, position);
    for (const SignalStep &signal : threads.signals)
      if (!std::ranges::binary_search(needed, position(signal.finish), {}, position))
        redundant.signals.push_back(place(signal.finish.thread, signal.instruction));
  }
  for (auto *list : {&redundant.syncs, &redundant.waits, &redundant.signals})
    std::ranges::sort(
        *list, {}, [](const Place &entry) { return std::tuple(entry.stage, entry.tile, entry.instruction); });
  return redundant;
}

} // namespace tilerig
