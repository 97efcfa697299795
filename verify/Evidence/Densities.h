// Counts in a square of cells, and how a count becomes a number of a channel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tilerig::verify {

inline constexpr size_t evidenceSide = 64;
inline constexpr size_t evidenceCells = evidenceSide * evidenceSide;

// log2 of a whole number above 0, whose bits do not depend on a library.
double log2Of(uint64_t number);

// A count among all that there are: 0 for none, 1 for all, and one in a million still shows.
double densityOf(uint64_t count, uint64_t all);

// Counts of one channel, row by row.
struct Sheet {
  std::vector<uint64_t> cells = std::vector<uint64_t>(evidenceCells);
  void add(size_t row, size_t column, uint64_t count = 1) { cells[row * evidenceSide + column] += count; }
  // As densities among `all`.
  void write(uint64_t all, std::span<float> out) const;
};

} // namespace tilerig::verify
