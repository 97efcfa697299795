// Maps of 64 x 64 cells that show where in the tensor elements are wrong: over the image, by channel and
// position, and by channel and position modulo 64, which shows errors of single lanes of an engine.
//
// A cell covers several indices of an axis that is longer than the map; a shorter axis is scaled up to fill
// it.
#pragma once

#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Place.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

class Maps {
public:
  Maps(const Place &place, const Comparison &comparison);

  // Adds the next element of the tensor to the maps; `varies` says whether the element differs between runs
  // with different latencies.
  void add(const Place::Of &at, double reference, double target, bool varies);

  void writeDifferingByImage(std::span<float> out) const;
  // Writes for each cell of the image the level of its largest error (ErrorMap.h), divided by the highest
  // level.
  void writeErrorByImage(std::span<float> out) const;
  // Writes the map of wrong elements whose rows are channels and whose columns are positions in the image, in
  // memory order.
  void writeDifferingByChannel(std::span<float> out) const;
  // Writes the map of mean errors. Its rows are channels, its columns are positions in the image, in memory
  // order. Each mean error is divided by the largest one of all cells and mapped from [-1, 1] to [0, 1], so
  // that 0.5 means no error.
  void writeErrorByChannel(std::span<float> out) const;
  // Writes the map of wrong elements whose rows are channels modulo 64 and whose columns are positions in the
  // image modulo 64.
  void writeDifferingByLanes(std::span<float> out) const;
  void writeVaryingByImage(std::span<float> out) const;

private:
  // Maps the indices of an axis of the tensor to the indices of an axis of the map.
  struct Scale {
    size_t size, bins;
    explicit Scale(size_t size);
    size_t binOf(size_t index) const { return size == bins ? index : index * bins / size; }
    size_t binOfCell(size_t cell) const { return cell * bins / evidenceSide; }
  };
  struct Cell {
    uint64_t elements = 0, different = 0, varying = 0;
    double error = 0; // sum of the errors of finite elements, in units of the largest reference
    uint8_t level = 0;
  };
  struct Grid {
    Scale down, across;
    std::vector<Cell> cells;
    Grid(size_t height, size_t width) : down(height), across(width), cells(down.bins * across.bins) {}
    Cell &at(size_t row, size_t column) {
      return cells[down.binOf(row) * across.bins + across.binOf(column)];
    }
    template <class Number>
    void write(std::span<float> out, Number number) const;
  };

  const size_t width;
  const double largest;
  Grid image, channels, lanes;
};

} // namespace tilerig::verify
