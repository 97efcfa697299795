// Goes through the memory accesses of a whole program, stage after stage: what is initialised, what is known
// of the values, and what is wrong.
#pragma once

#include "isa/Analyser/Analyser.h"
#include "isa/Analyser/ByteSet.h"
#include "isa/Analyser/Constants.h"
#include "isa/Analyser/LiveAccesses.h"
#include "isa/Analyser/Order.h"
#include "isa/Analyser/Report.h"
#include "isa/Analyser/Values.h"

#include <deque>
#include <optional>

namespace tilerig {

class Replay {
public:
  // `doubted` are facts of the initial stages that do not survive an inference, as a replay before this one
  // found.
  Replay(const Program &program, const Constants &constants, std::vector<uint32_t> doubted, Report &report);

  // Stages in order; `order` of a device stage that does not end covers what it gets to.
  void runHost(uint32_t stage);
  void runDevice(const StageThreads &stage, const Order &order);
  // After the last stage.
  void finish();

  // In no particular order, and of no meaning if the program has problems.
  std::vector<WideAccumulator> wide;
  uint64_t numAccesses = 0;
  // Facts of the initial stages that did not survive the inference stages.
  const std::vector<uint32_t> &lostFacts() const { return values.lost(); }

private:
  struct UninitialisedRead {
    Place place;
    MemoryId memory;
    ByteRange bytes;
  };
  struct Pending { // knowledge that a DMA engine has read and not yet written
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
  std::vector<ByteSet> initialised; // by memory
  Values values;
  Phase phase = Phase::initial;
  uint32_t lastStage = 0;

  // Of the stage that is being run.
  const StageThreads *stage = nullptr;
  std::vector<UninitialisedRead> uninitialised;
  std::vector<std::deque<Pending>> pending; // by write thread
  AccessList list;
};

} // namespace tilerig
