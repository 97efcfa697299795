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
// A beat that has been carried out can be undone, if the run records its changes.
#pragma once

#include "emulator/Beats/Beat.h"
#include "emulator/Beats/CaptureTimes.h"
#include "emulator/Beats/Jobs.h"
#include "emulator/Beats/RunState.h"
#include "emulator/Beats/TransferBeats.h"

#include <map>
#include <set>

namespace tilerig::emulator {

class ValueReplay {
  struct Running;

public:
  // A beat that has been carried out, with what is needed to undo it.
  struct DoneBeat {
    Beat beat;
    uint64_t endPart = 0;          // one past the last row that was computed
    uint64_t endTick = UINT64_MAX; // when the row after it begins
    bool isWhole = false;          // whether the beat executed an instruction as a whole
    bool goesOn = true;            // false if a fault ended the run
    bool wrote = true;             // false if a fault kept it from writing
    // The beats that it planned.
    std::array<Beat, 3> planned{};
    unsigned numPlanned = 0;
    std::shared_ptr<Running> ended; // the instruction whose last beat this was, if it ran beat by beat
    size_t faultsBefore = 0, flipsBefore = 0;
    ChangeLog::Mark changesBefore = 0;
  };

  // `costs` and `timeline` are those of the stage, and must outlive the object.
  ValueReplay(RunState &run, const StageCosts &costs, const Timeline &timeline);

  // Whether every beat of the stage has been carried out.
  bool isDone() const { return beats.empty(); }
  // The beat that comes next.
  const Beat &next() const { return *beats.begin(); }
  // Carries out the next beat. If this computes rows of an instruction, it ends before the beat `limit`.
  DoneBeat step(const Beat &limit = lastBeat);
  // Undoes the beat that was carried out last.
  void undo(DoneBeat done);

  const std::vector<Job> &instructions() const { return jobs; }
  // What a beat read or wrote, or will read or write if it comes next. A gather's reads depend on its indices as they are in
  // memory.
  AccessList accessesOf(const DoneBeat &done) const;

private:
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

  void carryOut(DoneBeat &done, const Beat &limit);
  void start(DoneBeat &done);
  bool startWhole(const Job &job, const Instruction &instruction);
  void startRows(DoneBeat &done, const Instruction &instruction);
  void startTransfer(DoneBeat &done, const Instruction &instruction);
  bool row(DoneBeat &done, const Beat &limit);
  bool take(DoneBeat &done);
  void put(DoneBeat &done);
  void plan(DoneBeat &done, const Beat &beat);
  void end(DoneBeat &done);
  void flip(const Beat &beat);
  bool collide(const Beat &beat);
  bool forbid(const Beat &beat);
  void findChanges(const JobOrder &order);
  void changeAtOnce(const Change &change);
  void ended(uint32_t job);

  // Records the changes that are about to be made, if the run records them.
  void willWrite(const AccessList &accesses);
  void willChange(const Change &change);
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

  RunState &run;
  const Program &program;
  Memories &memories;
  const uint32_t stage;
  const Timeline &timeline;
  std::vector<Job> jobs;
  std::vector<Collision> collisions;
  std::vector<TimedCapturePoint> captures;
  // Replacements of values, by the instruction (job) after which they are applied.
  std::multimap<uint32_t, Change> changes;
  std::map<uint32_t, std::shared_ptr<Running>> running;
  std::set<Beat> beats; // planned beats
};

} // namespace tilerig::emulator
