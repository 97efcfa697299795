// Where a debugged run stops: breakpoints, at moments that follow from the program and its clock, and watchpoints, at accesses
// to bytes of a memory.
#pragma once

#include "emulator/Beats/SteppedRun.h"
#include "emulator/Debug/Condition.h"
#include "emulator/Debug/EngineStates.h"
#include "isa/Instructions/Access.h"

#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace tilerig::emulator {

// Before certain instructions begin.
struct InstructionStop {
  std::optional<uint32_t> stage = {}; // default: every stage
  std::optional<uint32_t> tile = {};  // default: every tile
  std::optional<Engine> engine = {};  // default: every engine
  std::optional<uint32_t> instruction = {};
  std::string mnemonic = {}; // default: every kind of instruction
};
// Before the first instruction of one of these layers begins that computes; if none does, that moves elements.
struct LayerStop {
  std::vector<uint32_t> layers;
};
// At a cycle of the run.
struct CycleStop {
  uint64_t cycle = 0;
};
// When a semaphore reaches a value.
struct SemaphoreStop {
  uint32_t tile = 0, semaphore = 0;
  uint64_t value = 0;
};
// Before either of two instructions begins that conflict, according to the analyser.
struct ConflictStop {
  std::vector<Place> places;
};
// When bytes of a memory are accessed.
struct Watch {
  MemoryId memory = ddrMemory;
  std::vector<Region> regions;
  bool reads = false, writes = true;
  std::optional<uint32_t> layer = {}; // of a tensor: only writes for this layer count
};

struct StopPoint {
  unsigned number = 0;
  std::string text; // as the user wrote it
  std::variant<InstructionStop, LayerStop, CycleStop, SemaphoreStop, ConflictStop, std::vector<Watch>> what;
  std::optional<Condition> condition = {};
  bool isEnabled = true;
  uint64_t hits = 0;

  bool isWatch() const { return std::holds_alternative<std::vector<Watch>>(what); }
};

// A moment of a stage at which a run stops: the beginning of a cycle.
struct StopMoment {
  uint64_t cycle = 0;
  unsigned stopPoint = 0;         // its number
  std::optional<Event> step = {}; // the step that is about to begin, if the stop is about one

  auto operator<=>(const StopMoment &other) const {
    return std::tuple(cycle, stopPoint) <=> std::tuple(other.cycle, other.stopPoint);
  }
  bool operator==(const StopMoment &other) const { return (*this <=> other) == 0; }
};

// The first step of each layer that computes; if none does, the first one that moves elements.
std::vector<Event> firstStepsOfLayers(const DeviceStage &code, const StageCosts &costs,
                                      const Timeline &timeline);

// Appends the moments of a device stage at which a stop point stops; none for watchpoints.
void appendMoments(const StopPoint &stopPoint, const Program &program, const TimedStage &stage,
                   const EngineStates &states, std::vector<StopMoment> &out);

// The bytes of a watchpoint that an access for a layer touches in the way that is watched.
std::optional<std::pair<MemoryId, ByteRange>> touchedBy(const std::vector<Watch> &watches,
                                                        const Access &access, std::optional<uint32_t> layer);

} // namespace tilerig::emulator
