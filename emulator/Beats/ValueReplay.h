// What the instructions of a stage do to the memories, in order of time.
//
// When everything happens is known before (see Timed/Timeline.h), because it depends on no value. Here the
// values follow: an instruction that meets nobody is carried out whole when it begins; of the others each
// row, and each slice of a transfer, is a beat that reads and writes at its own time, and so gets what is
// there by then, stale, partial or never written.
//
// A beat is at an exact time. Row i of n comes at i/n of the instruction's time. A slice is taken in, and put
// out, when its bytes have gone through; at one time reading comes before writing, and both before rows. So
// what is ordered by synchronisation is carried out in that order. Who looks at a tensor does so when those
// that write it have ended, and before anything else begins. What replaces a tensor stands there as soon as
// those that write it have put out the last of what they computed.
#pragma once

#include "emulator/Beats/Jobs.h"
#include "emulator/Beats/SightTimes.h"
#include "emulator/Beats/TransferBeats.h"
#include "emulator/Defects/Defects.h"
#include "emulator/Memory/Initialised.h"
#include "emulator/Traps/FaultLog.h"
#include "isa/Analyser/Constants.h"

#include <map>
#include <queue>

namespace tilerig {

struct ValueReplayOptions {
  bool everyBeat = false; // also of instructions that meet nobody
  OnFault onFault = OnFault::stop;
};

class ValueReplay {
public:
  // `sights` and `replacements` are those of every stage.
  ValueReplay(const Program &program, const Defects &defects, const ValueReplayOptions &options,
              const Sights &sights, const std::vector<Replacement> &replacements, Memories &memories,
              Initialised &initialised, FaultLog &log);

  // False if a fault has ended the run.
  bool runStage(const StageCosts &costs, const Timeline &timeline);

private:
  // In this order at one time.
  enum class Kind : uint8_t { take, put, look, flip, collision, forbidden, start, row };
  struct Beat {
    uint64_t tick;
    Kind kind;
    uint32_t job;                             // or the collision, the flip, or the sight
    uint64_t part = 0;                        // row or slice
    bool operator<(const Beat &other) const { // the earliest on top
      return std::tie(tick, kind, job, part) > std::tie(other.tick, other.kind, other.job, other.part);
    }
  };
  // A job that goes by beats and has begun.
  struct Running {
    Instruction instruction; // of a dead tile, what is left of it
    std::unique_ptr<Work> work;
    std::optional<TransferBeats> transfer;
    uint64_t rows = 0;
    bool oneByOne = false; // rows must not go together
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

  // Whether the bytes are there; if not, a fault, and if the run goes on, the pattern.
  bool checkReads(const Job &job, const AccessList &accesses, uint64_t cycle);
  bool addFault(FaultKind kind, const Job &job, std::string_view operand, uint64_t cycle, std::string what,
                std::optional<MemoryId> memory = {}, ByteRange bytes = {});
  void markWritten(const AccessList &accesses);
  uint64_t rowTick(const Job &job, uint64_t row, uint64_t rows) const;
  std::vector<uint64_t> sliceTicks(ThreadId thread, uint32_t ordinal, uint64_t slices) const;
  std::optional<Access> constantsWrittenBy(const Job &job) const;
  const Instruction &instructionOf(const Job &job) const;

  const Program &program;
  const Defects &defects;
  const ValueReplayOptions options;
  const Sights &sights;
  const std::vector<Replacement> &replacements;
  Memories &memories;
  Initialised &initialised;
  FaultLog &log;
  Constants constants;
  Scratch scratch;
  size_t flipsDone = 0;          // of `flips`
  std::vector<FlippedBit> flips; // by cycle

  // Of the stage:
  uint32_t stage = 0;
  const Timeline *timeline = nullptr;
  std::vector<Job> jobs;
  std::vector<Collision> collisions;
  std::vector<TimedSight> looks;
  std::multimap<uint32_t, Change> changes; // by the job that they follow
  std::map<uint32_t, Running> running;
  std::priority_queue<Beat> beats;
};

} // namespace tilerig
