// Ordered instructions, constants and what is known about them, as a program.
#pragma once

#include "compiler/Codegen/ForecastLayers.h"
#include "compiler/Codegen/GenerateTasks.h"
#include "compiler/Codegen/TileLevel.h"
#include "compiler/Schedule/Schedule.h"
#include "isa/Program/Program.h"

#include <functional>

namespace tilerig {

struct GeneratedProgram {
  Program program;
  StrategyFile strategy;                  // as applied
  uint64_t expectedCycles = 0;            // of an inference, by the clock of isa/Timeline
  SyncCounts sync = {};                   // of all stages of the device
  DependencyStatistics dependencies = {}; // of them, before those that follow from others are left out
  // Of layers that are apart: what is expected of each, and the one that each stage is of.
  std::vector<LayerForecast> forecasts = {};
  std::vector<uint32_t> stageLayers = {};
};

// What somebody changes on the way, to see what comes of a mistake there (Inject).
struct PlanEdits {
  std::function<Status(TilePlan &plan)> plan = {};
  // `constants`: where they stand in DDR.
  std::function<Status(const TilePlan &plan, ByteRange constants, std::vector<ProgramPart> &parts)> tasks =
      {};
};

struct ProgramOptions {
  unsigned tiles = 64;
  StrategyFile strategy = {};          // what is wanted of layers; may be empty
  std::optional<OrderMode> order = {}; // none: whichever takes the fewest cycles
  bool fusesBlocks = true;             // where that saves cycles
  bool pinsWeights = false;            // all of them, once, before the first inference
  uint32_t prefetchTurns = UINT32_MAX;
  ImageOrder images = ImageOrder::fastest; // of a batch
  uint32_t ddrReads = 32;                  // at a time; 0: any number
  uint64_t ddrWriteBytes = 256 << 10;      // likewise
  Redundancy redundancy = Redundancy::removed;
  bool apart = false;         // every layer in a stage of its own
  bool proves = true;         // what is only looked at for its expected cycles need not be proved
  bool isRelocatable = false; // may be loaded at another base in DDR
  // Between the starts of tiles that read DDR for a layer (StaggerLoads.h); without it there are no delays.
  std::optional<uint32_t> staggerCycles = {};
  // The part of every OCM that it may use; to the end unless said otherwise.
  uint64_t ocmBase = 0;
  std::optional<uint64_t> ocmBytes = {};
  const PlanEdits *edits = nullptr;
};

// Plans, generates, orders and proves. `kept` gets what the level `tile` shows, where it is given.
Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options, TileLevel *kept = nullptr);

} // namespace tilerig
