// What every layer of a program costs: emulated, expected, and the least that is possible.
//
// Layers of a program overlap: loads of one run while others compute, and whoever shares DDR is slowed down
// by it. So there are two figures for the cycles of a layer:
//
//   cycles   in the program, from the first to the last cycle in which POD or PE (the host; or DMA, where
//            only it) worked for the layer. They overlap, and waiting for what others load is in them.
//   alone    from when everything before the layer has ended, with nothing of it loaded, to when all it does
//            has ended; the same split, buffers and instructions (Codegen/SeparateLayers.h)
//
// Predictions are of `alone`, and so is their error.
#pragma once

#include "compiler/Codegen/AssembleProgram.h"
#include "compiler/Cost/Roofline.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig {

struct LayerRow {
  size_t id = 0; // from 1; 0 stands for all
  std::string name, kind, where, strategy;
  int64_t tiles = 0;
  bool runs = false;
  uint64_t cycles = 0, alone = 0, predicted = 0;
  Roofline roofline;
  double utilisation = 0; // of the multipliers of all tiles, while it is alone
  uint64_t ocmPeakBytes = 0, ddrBytes = 0;
  double energyPj = 0;
  LayerDemand demand;

  // Of `predicted`, and of the calibrated roofline; signed.
  double error() const { return relativeError(predicted); }
  double estimateError() const { return relativeError(roofline.estimate); }

private:
  double relativeError(uint64_t guess) const {
    return alone ? static_cast<double>(guess) / static_cast<double>(alone) - 1 : 0;
  }
};

struct LayerTable {
  std::string model, machine;
  unsigned tiles = 0;
  std::vector<LayerRow> rows = {};
  // Of the program. The bound is that of its multiplications and of the bytes that it moves; expected was
  // what the compiler expected.
  uint64_t cycles = 0, expected = 0, bound = 0, ocmPeakBytes = 0, ddrBytes = 0;
  double utilisation = 0, energyPj = 0;
  std::string note = {}; // how it was run
  SyncCounts sync = {};  // of the program
  DependencyStatistics dependencies = {};
};

// `apart`: the program whose layers are apart. Statistics are the documents of `tilerig run`. Refuses, as an
// error of ours, layers or programs that take less than their bound: somebody would have miscounted.
Result<LayerTable> layerTable(const GeneratedProgram &apart, const nlohmann::ordered_json &statistics,
                              const nlohmann::ordered_json &statisticsApart);

// How far from the truth the layers that run are, without sign: the middle one, and the one that 95 % do not
// exceed.
struct ErrorFigures {
  double median = 0, p95 = 0;
  size_t layers = 0;
};
ErrorFigures errorFigures(std::vector<double> errors);
ErrorFigures predictionErrors(const LayerTable &table);
ErrorFigures estimateErrors(const LayerTable &table); // of the accelerator's; there is none for the host

std::string asText(const LayerTable &table);
std::string asCsv(const LayerTable &table);
nlohmann::ordered_json asJson(const LayerTable &table);

} // namespace tilerig
