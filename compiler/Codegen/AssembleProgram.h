// Generates the program of a network: plans it, generates and orders instructions, adds constants and
// metadata, and proves the result.
#pragma once

#include "compiler/Codegen/ForecastLayers.h"
#include "compiler/Codegen/GenerateTasks.h"
#include "compiler/Codegen/TileLevel.h"
#include "compiler/Schedule/Schedule.h"
#include "isa/Program/Program.h"

#include <functional>

namespace tilerig::compiler {

struct GeneratedProgram {
  Program program;
  StrategyFile strategy;                  // the strategy that was applied
  uint64_t expectedCycles = 0;            // cycles of one inference, by the clock of isa/Timeline
  SyncCounts sync = {};                   // summed over all device stages
  DependencyStatistics dependencies = {}; // summed over all device stages, before redundant ones are removed
  // Only with ProgramOptions::apart: the forecast of every layer, and for each stage the index of its layer.
  std::vector<LayerForecast> forecasts = {};
  std::vector<uint32_t> stageLayers = {};
};

// Callbacks that change the plan or the tasks during generation, to inject a compiler bug (compiler/Inject).
struct PlanEdits {
  std::function<Status(TilePlan &plan)> plan = {};
  // `constants`: the bytes of DDR that hold constants.
  std::function<Status(const TilePlan &plan, ByteRange constants, std::vector<ProgramPart> &parts)> tasks =
      {};
};

struct ProgramOptions {
  unsigned tiles = 64;
  StrategyFile strategy = {};          // splits requested per layer; may be empty
  std::optional<OrderMode> order = {}; // empty: the order with the fewest cycles is chosen
  bool fusesBlocks = true;             // fuses blocks of layers where that saves cycles
  bool pinsWeights = false;            // loads all weights once, before the first inference
  uint32_t prefetchTurns = UINT32_MAX;
  ImageOrder images = ImageOrder::fastest; // order of the images of a batch
  uint32_t ddrReads = 32;                  // most DDR reads in flight at a time; 0: no limit
  uint64_t ddrWriteBytes = 256 << 10;      // most bytes of DDR writes in flight; 0: no limit
  Redundancy redundancy = Redundancy::removed;
  bool apart = false;         // every layer in a stage of its own
  bool proves = true;         // false: unproved, for programs of which only the expected cycles are used
  bool isRelocatable = false; // the program may be loaded at another DDR base address
  // Cycles between the starts of two tiles that read DDR for a layer (StaggerLoads.h); empty: no delays.
  std::optional<uint32_t> staggerCycles = {};
  // The part of every OCM that the program may use; without `ocmBytes` it reaches to the end of the OCM.
  uint64_t ocmBase = 0;
  std::optional<uint64_t> ocmBytes = {};
  const PlanEdits *edits = nullptr;
};

// Plans, generates, orders and proves a program. `kept`, if not null, receives the data of level `tile`.
Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options, TileLevel *kept = nullptr);

} // namespace tilerig::compiler
