// Computes the values of all instructions of a stage, in the emulated memories and in order of time.
//
// All times are known beforehand from the timeline (isa/Timeline/Timeline.h), because no time depends on a
// value. An instruction that shares no bytes with a simultaneous one is executed whole when it begins. Any
// other instruction is executed in beats: one for each row, or for each slice of a transfer. Each beat reads
// and writes at its own time, so it may read stale, partial or uninitialised data.
//
// Each beat has an exact time. Row i of n comes at i/n of the instruction's duration. A slice of a transfer
// counts as read, or written, at the time of its last byte. At equal times, transfer reads come before
// transfer writes, and both before rows, so synchronised accesses are replayed in their synchronised order. A
// capture happens when all writers of the tensor have ended, before anything else begins. Replacement values
// are put in place as soon as the writers have written their last results.
#pragma once

#include "emulator/Beats/CaptureTimes.h"
#include "emulator/Beats/Jobs.h"
#include "emulator/Beats/TransferBeats.h"
#include "emulator/Defects/Defects.h"
#include "emulator/Memory/Initialised.h"
#include "emulator/Traps/FaultLog.h"
#include "isa/Analyser/Constants.h"

#include <map>
#include <queue>

namespace tilerig::emulator {

struct ValueReplayOptions {
  // Whether to split every instruction into beats (its rows), even without simultaneous accesses.
  bool everyBeat = false;
  OnFault onFault = OnFault::stop;
};

class ValueReplay {
public:
  // `capturePoints` states where tensors are captured, `replacements` which tensors are replaced by given
  // values; both are for all stages.
  ValueReplay(const Program &program, const Defects &defects, const ValueReplayOptions &options,
              const CapturePoints &capturePoints, const std::vector<Replacement> &replacements,
              Memories &memories, Initialised &initialised, FaultLog &log);

  // Computes the values of all instructions of the stage whose costs and timeline are given. Returns false if
  // a fault has ended the run.
  bool runStage(const StageCosts &costs, const Timeline &timeline);

private:
  // Kinds of beats (events), in the order in which they are handled at equal times. take, put: a slice of a
  // transfer is read, written; capture: a tensor is captured; flip: a bit flips; collision, forbidden: a
  // fault is reported; start: an instruction begins; row: a row of an instruction is computed.
  enum class Kind : uint8_t { take, put, capture, flip, collision, forbidden, start, row };
  struct Beat {
    uint64_t tick;
    Kind kind;
    // The number of the job, collision, bit flip or capture to which this event belongs, depending on its
    // kind.
    uint32_t job;
    // Number of the row of the instruction, or of the slice of the transfer.
    uint64_t part = 0;
    // Orders beats so that the priority queue returns the earliest one first.
    bool operator<(const Beat &other) const {
      return std::tie(tick, kind, job, part) > std::tie(other.tick, other.kind, other.job, other.part);
    }
  };
  // The state of an instruction that runs beat by beat (row by row) and has begun.
  struct Running {
    // on a dead tile (a simulated defect): the fill with zeros that runs instead of the instruction
    Instruction instruction;
    std::unique_ptr<PreparedOp> op;
    std::optional<TransferBeats> transfer;
    uint64_t rows = 0;
    bool oneByOne = false; // whether the instruction's rows must be computed one at a time
    std::vector<uint64_t> takeTicks, putTicks;
  };

  bool carryOut(const Beat &beat);
  bool start(const Beat &beat);
  bool startWhole(const Job &job, const Instruction &instruction);
  void startRows(uint32_t index, const Instruction &instruction);
  void startTransfer(uint32_t index, const Instruction &instruction);
  bool row(const Beat &beat);
  bool take(const Beat &beat);
  bool put(const Beat &beat);
  bool flip(const Beat &beat);
  bool collide(const Beat &beat);
  bool forbid(const Beat &beat);
  void findChanges(const JobOrder &order);
  void changeAtOnce(const Change &change);
  void ended(uint32_t job);

  // Checks that all bytes that `accesses` read are initialised. If not, adds a fault and, if the run goes on,
  // fills these bytes with a fixed pattern. Returns false if the run ends.
  bool checkReads(const Job &job, const AccessList &accesses, uint64_t cycle);
  bool addFault(FaultKind kind, const Job &job, std::string_view operand, uint64_t cycle,
                std::string description, std::optional<MemoryId> memory = {}, ByteRange bytes = {});
  void markWritten(const AccessList &accesses);
  uint64_t rowTick(const Job &job, uint64_t row, uint64_t rows) const;
  std::vector<uint64_t> sliceTicks(ThreadId thread, uint32_t ordinal, uint64_t slices) const;
  std::optional<Access> constantsWrittenBy(const Job &job) const;
  const Instruction &instructionOf(const Job &job) const;

  const Program &program;
  const Defects &defects;
  const ValueReplayOptions options;
  const CapturePoints &capturePoints;
  const std::vector<Replacement> &replacements;
  Memories &memories;
  Initialised &initialised;
  FaultLog &log;
  Constants constants;
  Scratch scratch;
  size_t flipsDone = 0;          // number of bit flips that have been applied so far
  std::vector<FlippedBit> flips; // sorted by cycle

  // The members below describe the stage whose values are being computed.
  uint32_t stage = 0;
  const Timeline *timeline = nullptr;
  std::vector<Job> jobs;
  std::vector<Collision> collisions;
  std::vector<TimedCapturePoint> captures;
  // Replacements of values, by the instruction (job) after which they are applied.
  std::multimap<uint32_t, Change> changes;
  std::map<uint32_t, Running> running;
  std::priority_queue<Beat> beats;
};

} // namespace tilerig::emulator
