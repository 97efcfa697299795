// Generates the program of a network: plans it, generates and orders instructions, adds constants and
// metadata, and proves the program free of races and deadlocks.
#pragma once

#include "compiler/Planning/Schedule/Schedule.h"
#include "compiler/Tile/Emit/ForecastLayers.h"
#include "compiler/Tile/Emit/GenerateTasks.h"
#include "compiler/Tile/Emit/TileLevel.h"
#include "isa/Program/Program.h"

#include <functional>

namespace tilerig::compiler {

struct GeneratedProgram {
  Program program;
  StrategyFile strategy;       // the split that was applied to each layer
  uint64_t expectedCycles = 0; // cycles of one inference, by the timing model isa/Timeline
  SyncCounts sync = {};        // number of synchronisation instructions in all device stages
  // Total number of dependencies between tasks, in all device stages, before redundant ones are removed.
  DependencyStatistics dependencies = {};
  // Filled only if ProgramOptions::apart is set (every layer runs in a stage of its own). `forecasts`: the
  // forecast of each layer. `stageLayers`: for each stage of the program, the index of the layer that runs in
  // the stage.
  std::vector<LayerForecast> forecasts = {};
  std::vector<uint32_t> stageLayers = {};
};

// Callbacks that inject a compiler bug (compiler/Inject/Program) by changing the plan or the tasks while the
// program is generated.
struct PlanEdits {
  std::function<Status(TilePlan &plan)> plan = {};
  // Changes the tasks. `constants`: the range of DDR addresses that holds the constants of the program.
  std::function<Status(const TilePlan &plan, ByteRange constants, std::vector<ProgramPart> &parts)> tasks =
      {};
};

struct ProgramOptions {
  unsigned tiles = 64;
  StrategyFile strategy = {}; // split that is requested for each layer; may be empty
  // how to order the tasks; empty: in the order that takes the fewest cycles
  std::optional<OrderMode> order = {};
  // whether to fuse layers into blocks that run band by band, where that saves cycles
  bool fusesBlocks = true;
  bool pinsWeights = false; // whether to load all weights once, before the first inference
  uint32_t prefetchSteps = UINT32_MAX;
  ImageOrder images = ImageOrder::fastest; // order in which the elements of a batch are computed
  // Largest number of DDR reads in flight at a time, 0: no limit; empty: each rule for ordering tasks has its own
  // limit (PlayPlan.h).
  std::optional<uint32_t> ddrReads = {};
  // Largest number of bytes of low-priority DDR writes in flight at a time; 0: no limit.
  uint64_t ddrWriteBytes = 256 << 10;
  Redundancy redundancy = Redundancy::removed;
  bool apart = false;         // whether every layer runs in a stage of its own
  bool proves = true;         // whether to prove the program free of races
  bool plansRun = false;      // whether a proved program gets its run plan, for a program file
  bool isRelocatable = false; // whether the program can be loaded at another DDR base address
  // Delay in cycles between the first DDR reads that a layer makes on one tile and on the next
  // (StaggerLoads.h); empty: no delays.
  std::optional<uint32_t> staggerCycles = {};
  // Address and size of the part of every OCM (on-chip memory) that the program may use. Without a size, the
  // part reaches to the end of the OCM.
  uint64_t ocmBase = 0;
  std::optional<uint64_t> ocmBytes = {};
  const PlanEdits *edits = nullptr;
};

// Plans a program, generates and orders its instructions, and proves it free of races and deadlocks. `kept`,
// if not null, receives the data for the text form of the program at level `tile`, which lists buffers and
// tasks (TileLevel.h).
Result<GeneratedProgram> generateProgram(const DeviceNetwork &network, const Machine &machine,
                                         const ProgramOptions &options, TileLevel *kept = nullptr);

// A layer that needs more OCM (on-chip memory) than a tile has, and the error that says so. `alike`: the indices, in
// DeviceNetwork::layers, of this layer and of all others of its kind whose tensors have the same sizes.
struct TooLargeLayer {
  std::vector<uint32_t> alike;
  Error error;
};

// Finds out whether generateProgram() fails because of a layer that is too large, by planning the network again.
std::optional<TooLargeLayer> findTooLargeLayer(const DeviceNetwork &network, const Machine &machine,
                                               const ProgramOptions &options);

} // namespace tilerig::compiler
