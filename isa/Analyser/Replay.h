// Replays the memory accesses of a program stage by stage, tracking initialised bytes and known values, and
// reports uninitialised reads, races, writes to constants and unwritten outputs.
#pragma once

#include "isa/Analyser/Analyser.h"
#include "isa/Analyser/Constants.h"
#include "isa/Analyser/LiveAccesses.h"
#include "isa/Analyser/Order.h"
#include "isa/Analyser/Values.h"
#include "isa/Order/ByteSet.h"
#include "isa/Order/Report.h"

#include <deque>
#include <optional>

namespace tilerig {

class Replay {
public:
  // `doubted` lists the ids of facts (what is known about values in memory) that the initial stages establish
  // and an inference overwrites, as returned by lostFacts() of an earlier replay.
  Replay(const Program &program, const Constants &constants, std::vector<uint32_t> doubted, Report &report);

  // The caller must pass the stages in order. For a device stage that deadlocks, `order` covers only the
  // steps before the deadlock.
  void runHost(uint32_t stage);
  void runDevice(const StageThreads &stage, const Order &order);
  // Checks that all outputs of the program are written; must be called after the last stage.
  void finish();

  // The instructions of the POD (matrix engine) whose accumulators may overflow 32 bits, unsorted;
  // meaningless if the program has problems.
  std::vector<WideAccumulator> wide;
  uint64_t numAccesses = 0;
  // The ids of facts (what is known about values in memory) that initial stages establish and inference
  // stages invalidate by overwriting the values.
  const std::vector<uint32_t> &lostFacts() const { return values.lost(); }

private:
  struct UninitialisedRead {
    Place place;
    MemoryId memory;
    ByteRange bytes;
  };
  struct Pending { // what is known about data that a DMA engine has read but not yet written
    uint32_t ordinal;
    Fact fact;
  };

  void enter(Phase next);
  void writeInputs();
  void reportConstantWrite(const Place &place, ByteRange bytes, const std::string &who);
  void checkOutputs();
  void checkOutput(const proto::Tensor &tensor);
  void takeStep(Event event);
  void readAll(const Place &place);
  void writeAll(const Place &place);
  std::optional<Fact> factFrom(const Instruction &instruction, unsigned tile, const Place &place);

  const Program &program;
  const Constants &constants;
  const std::vector<uint32_t> doubted;
  Report &report;
  std::vector<ByteSet> initialised; // bytes initialised so far, by memory
  Values values;
  Phase phase = Phase::initial;
  uint32_t lastStage = 0;

  // The members below are the state of the replay of one stage.
  const StageThreads *stage = nullptr;
  std::vector<UninitialisedRead> uninitialised;
  // What is known about data that a DMA engine has read but not yet written, by the engine's write thread.
  std::vector<std::deque<Pending>> pending;
  AccessList list;
};

} // namespace tilerig
