// Where in the tensor elements are wrong, as maps of 64 x 64: over the image, by channel and place, by lanes.
//
// An axis that is longer than the map shares its cells out; a shorter one is drawn larger, so that a map is
// always full and what fills the image fills the map.
#pragma once

#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Place.h"
#include "verify/Metrics/Comparison.h"

namespace tilerig::verify {

class Maps {
public:
  Maps(const Place &place, const Comparison &comparison);

  // The next element, which varies between runs or does not.
  void add(const Place::Of &at, double reference, double target, bool varies);

  void writeDifferingByImage(std::span<float> out) const;
  // The level of the largest error (ErrorMap.h) over the highest there is.
  void writeErrorByImage(std::span<float> out) const;
  // Down channels, across places of the image in memory.
  void writeDifferingByChannel(std::span<float> out) const;
  // The same: the mean error by the largest mean error of any cell, from -1 to 1 made 0 to 1; a half is none.
  void writeErrorByChannel(std::span<float> out) const;
  // Down channels modulo 64, across places of the image modulo 64.
  void writeDifferingByLanes(std::span<float> out) const;
  void writeVaryingByImage(std::span<float> out) const;

private:
  // An axis of the tensor over an axis of the map.
  struct Scale {
    size_t size, bins;
    explicit Scale(size_t size);
    size_t binOf(size_t index) const { return size == bins ? index : index * bins / size; }
    size_t binOfCell(size_t cell) const { return cell * bins / evidenceSide; }
  };
  struct Cell {
    uint64_t elements = 0, different = 0, varying = 0;
    double error = 0; // the sum of those that are finite, by the largest reference
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
