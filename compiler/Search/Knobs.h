// Everything that may be turned about how a network is compiled: the interface of searches, ours and a
// user's.
//
//   Knobs knobs;
//   knobs.precision = "int8";
//   TRY(const Trial first, tryKnobs(tilerig, "model.onnx", knobs)); // cycles, and how layers were cut
//   knobs.strategy = first.strategy;
//   useTiles(knobs.strategy.layers[3], 16);
//   TRY(const Trial second, tryKnobs(tilerig, "model.onnx", knobs));
//
// Precision and batch change what is computed, all others only how long it takes.
#pragma once

#include "compiler/Strategy/StrategyFile.h"

namespace tilerig {

struct Knobs {
  std::string precision = {};            // fp32, fp16, bf16, int8, uint8, or a file with one for each layer
  std::string calibration = {};          // of 8 bits: samples or a saved table; else made from a seed
  std::optional<int64_t> batch = {};     // as the model says unless given
  std::string machine = {};              // tr64, tr16, tiny or a file
  std::optional<unsigned> tiles = {};    // of the program; all of the machine's unless given
  bool pinsWeights = false;              // once, before the first inference
  std::optional<uint32_t> ddrReads = {}; // at a time; 0: any number
  std::optional<uint32_t> prefetchTurns = {}; // how many steps ahead constants may be loaded
  // Of each layer: tiles, parts, primitive, pinned weights, fusion block. Empty: as is best.
  StrategyFile strategy = {};
  bool operator==(const Knobs &) const = default;
};

// Ask for so many tiles, however the layer is cut; for these parts of each axis of its result; for nothing.
void useTiles(StrategyLayer &layer, int64_t tiles);
void useParts(StrategyLayer &layer, std::vector<int64_t> parts);
void leaveOpen(StrategyLayer &layer);
// Ask for neighbouring layers to be a fusion block, by their places in the strategy; for it to be none any
// more.
void fuse(StrategyFile &strategy, size_t first, size_t last, int64_t block);
void dissolve(StrategyFile &strategy, int64_t block);
bool isFused(const StrategyLayer &layer);

// As words of `tilerig compile`; the strategy as the file that it was written to, if it asks for anything.
std::vector<std::string> wordsOf(const Knobs &knobs, const std::string &strategyFile);

struct Trial {
  uint64_t cycles = 0;   // of an inference, on the emulator
  StrategyFile strategy; // as applied, with the hints that were given
};

// Compiles the network and runs it on the emulated machine, by the commands of tilerig: `tilerig` is the
// front door. Refused as they refuse it: a layer that cannot be cut like that, weights that do not fit.
Result<Trial> tryKnobs(const std::string &tilerig, const std::string &model, const Knobs &knobs);

} // namespace tilerig
