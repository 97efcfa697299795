// The layer table of a report: emulated, predicted and minimum cycles of every layer of a program.
//
// The layers of a program overlap: loads of one layer run while others compute, and layers that share DDR
// slow each other down. So the table has two numbers of cycles for a layer.
//
// `cycles` counts from the first to the last cycle in which the POD (matrix engine) or PE (vector engine)
// worked for the layer in the program. (If neither engine works for the layer, the DMA engines or the host
// count instead.) The cycles of different layers overlap, and include waits for the loads of other layers.
//
// `critical` counts the cycles on the critical path, each cycle of the program for one layer only. What exceeds the
// lower bound is lost; the report lists the layers that lose most.
//
// `alone` is measured in another program, with the same split, buffers and instructions, in which each layer
// begins only when all earlier layers have ended (Tile/Emit/SeparateLayers.h). The predicted cycles, and
// their errors, refer to `alone`.
#pragma once

#include "compiler/Planning/Cost/Roofline.h"
#include "compiler/Tile/Emit/AssembleProgram.h"

#include <nlohmann/json_fwd.hpp>

namespace tilerig::compiler {

struct LayerRow {
  size_t id = 0; // number of the layer, from 1; 0 for the row with the totals
  std::string name, kind, where, strategy;
  int64_t tiles = 0;
  bool runs = false;
  uint64_t cycles = 0, alone = 0, predicted = 0;
  Roofline roofline;
  // Cycles on the critical path of the program, and what they are spent on, the largest part first. What bounds the
  // layer from below: "multiplications" or "ddr", or nothing.
  uint64_t critical = 0;
  std::vector<std::pair<std::string, uint64_t>> criticalBy = {};
  std::string boundBy = {};
  double utilisation =
      0; // multiplications per cycle when the layer runs alone, divided by the machine's peak
  uint64_t ocmPeakBytes = 0, ddrBytes = 0;
  double energyPj = 0;
  LayerDemand demand;

  // The most that the program can gain in this layer: its cycles on the critical path beyond its lower bound.
  uint64_t lost() const { return critical > roofline.bound ? critical - roofline.bound : 0; }

  // Signed errors of the predicted cycles and of the calibrated roofline estimate, each relative to the
  // cycles that the layer takes alone.
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
  // Cycles, bytes and other totals of the whole program. `bound` is a lower bound of its cycles, derived from
  // its multiplications and bytes. `expected` is the compiler's prediction of its cycles.
  uint64_t cycles = 0, expected = 0, bound = 0, ocmPeakBytes = 0, ddrBytes = 0;
  double utilisation = 0, energyPj = 0;
  std::string note = {}; // states that the program ran on random inputs, or why it ran without values
  SyncCounts sync = {};  // number of synchronisations of each kind in the whole program
  DependencyStatistics dependencies = {};
};

// Makes the table. `apart`: the program in which each layer is a stage of its own. The statistics are the
// JSON documents that `tilerig run` prints for the normal program and for `apart`. Returns an internal error
// if a layer or the program takes less than its lower bound, which would mean a counting error.
Result<LayerTable> layerTable(const GeneratedProgram &apart, const nlohmann::ordered_json &statistics,
                              const nlohmann::ordered_json &statisticsApart);

// Median and 95th percentile of the absolute values of the relative errors, and the number of layers that
// they are computed from.
struct ErrorFigures {
  double median = 0, p95 = 0;
  size_t layers = 0;
};
ErrorFigures errorFigures(std::vector<double> errors);
ErrorFigures predictionErrors(const LayerTable &table);
// For each layer on the accelerator, the relative error of the cycles that the roofline estimate predicts.
ErrorFigures estimateErrors(const LayerTable &table);

std::string asText(const LayerTable &table);
std::string asCsv(const LayerTable &table);
nlohmann::ordered_json asJson(const LayerTable &table);

} // namespace tilerig::compiler
