// Knobs: all options of a compilation that a search may vary. This is the interface for our search and for
// user code.
//
//   Knobs knobs;
//   knobs.precision = "int8";
//   TILERIG_TRY(const Trial first, tryKnobs(tilerig, "model.onnx", knobs)); // cycles, and splits of layers
//   knobs.strategy = first.strategy;
//   useTiles(knobs.strategy.layers[3], 16);
//   TILERIG_TRY(const Trial second, tryKnobs(tilerig, "model.onnx", knobs));
//
// Precision and batch change the results; all other knobs change only the time.
#pragma once

#include "compiler/Planning/Strategy/StrategyFile.h"

namespace tilerig::compiler {

// The options of one compilation. Each has the same default as in `tilerig compile`.
struct Knobs {
  std::string precision = {}; // fp32, fp16, bf16, int8, uint8, or path of a precision file
  // For 8-bit precisions: file with calibration samples or with a calibration table; empty: samples are
  // generated from a seed.
  std::string calibration = {};
  std::optional<int64_t> batch = {};     // batch size; nullopt: as the model states
  std::string machine = {};              // name of a machine (tr64, tr16, tiny), or path of its description
  std::optional<unsigned> tiles = {};    // number of tiles that the program uses; nullopt: all of the machine
  bool pinsWeights = false;              // weights are loaded once, before the first inference, and kept
  std::optional<uint32_t> ddrReads = {}; // upper limit of DDR reads in flight; 0: no limit
  // constants may be loaded up to this many time steps before they are used
  std::optional<uint32_t> prefetchSteps = {};
  // The hints of each layer: number of tiles, parts of the result, mapping to the engines, whether weights
  // stay on the tiles, and fusion block (layers that run band by band, a few rows at a time). If a layer has
  // no hints, the compiler chooses.
  StrategyFile strategy = {};
  bool operator==(const Knobs &) const = default;
};

// Requests that the layer runs on this many tiles; the compiler chooses how to split it. Replaces all hints
// of the layer.
void useTiles(StrategyLayer &layer, int64_t tiles);
// Requests that the result of the layer is split into this many parts along each axis. Replaces all hints of
// the layer.
void useParts(StrategyLayer &layer, std::vector<int64_t> parts);
// Removes the hints of a layer, so that the compiler chooses how to split it.
void leaveOpen(StrategyLayer &layer);
// Requests that the layers from `first` to `last` (indices into the strategy) form the fusion block number
// `block`, whose layers run band by band (a few rows at a time). Replaces all hints of these layers.
void fuse(StrategyFile &strategy, size_t first, size_t last, int64_t block);
// Dissolves the fusion block with the number `block`: removes the hints of its layers that request it.
void dissolve(StrategyFile &strategy, int64_t block);
// Whether the hints of the layer request a fusion block (layers that run band by band, a few rows at a time).
bool isFused(const StrategyLayer &layer);

// The knobs as arguments of `tilerig compile`. `strategyFile`: the file to which the strategy was written; it
// is passed only if the strategy has hints.
std::vector<std::string> wordsOf(const Knobs &knobs, const std::string &strategyFile);

// The result of tryKnobs(): how fast the program is, and which strategy the compiler applied.
struct Trial {
  uint64_t cycles = 0;   // cycles per inference, on the emulator
  StrategyFile strategy; // how the compiler split each layer, and which hints it was given
};

// Compiles the network and runs it on the emulator, by starting the command whose path is `tilerig`. Returns
// an error if compiling or running fails, for example if a layer cannot be split as requested, or weights do
// not fit into memory.
Result<Trial> tryKnobs(const std::string &tilerig, const std::string &model, const Knobs &knobs);

} // namespace tilerig::compiler
