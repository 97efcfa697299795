// Counts elements in the 64 × 64 cells of a histogram, and converts the counts to densities: shares of all
// elements on a logarithmic scale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilerig::verify {

inline constexpr size_t evidenceSide = 64;
inline constexpr size_t evidenceCells = evidenceSide * evidenceSide;

// log2 of a positive integer, computed independently of a maths library so that its bits are portable.
double log2Of(uint64_t number);

// log2(1 + count) / log2(1 + all): how large the part `count` of `all` elements is, on a logarithmic scale
// from 0 (none) to 1 (all). One element in a million is still visible.
double densityOf(uint64_t count, uint64_t all);

// Number of tensor elements in each cell of one channel of the evidence, in row-major order.
struct Sheet {
  std::vector<uint64_t> cells = std::vector<uint64_t>(evidenceCells);
  void add(size_t row, size_t column, uint64_t count = 1) { cells[row * evidenceSide + column] += count; }
  // Writes the density of each cell of the histogram, in the order of the cells.
  void write(uint64_t all, std::span<float> out) const;
};

} // namespace tilerig::verify
