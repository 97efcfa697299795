#include "isa/Timing/Footprint.h"

#include <array>
#include <numeric>
#include <utility>

namespace tilerig {

Count elementsOf(const Stream &stream) {
  if (!stream.present())
    return 0;
  Count elements = 1;
  for (const Dimension &dim : stream.dims)
    elements *= dim.size;
  return elements;
}

// The number of bytes of a stream's innermost contiguous run, and the number of outer dimensions that are not
// part of the run.
static std::pair<Count, unsigned> innerRun(const Stream &stream) {
  uint64_t bytes = sizeBytes(stream.type);
  // Whether all dimensions of the stream so far, from the innermost on, only repeat one element.
  bool repeating = true;
  unsigned outer = 5;
  for (; outer > 0; --outer) {
    const Dimension &dim = stream.dims[outer - 1];
    if (dim.size == 1 || (repeating && dim.stride == 0))
      continue;
    if (dim.stride != bytes)
      break;
    repeating = false;
    // The product cannot overflow 64 bits: both of its factors have 32 bits.
    bytes *= dim.size;
  }
  return {bytes, outer};
}

Runs runsOf(const Stream &stream) {
  if (!stream.present())
    return {0, 0};
  auto [bytes, outer] = innerRun(stream);
  Count count = 1;
  for (unsigned d = 0; d < outer; ++d)
    count *= stream.dims[d].size;
  return {count, bytes};
}

Count usefulBytes(const Stream &stream) {
  if (!stream.present())
    return 0;
  Count bytes = sizeBytes(stream.type);
  for (const Dimension &dim : stream.dims)
    if (dim.stride != 0)
      bytes *= dim.size;
  return bytes;
}

Count ocmBytes(const Stream &stream, const Tile &tile) {
  Runs runs = runsOf(stream);
  return runs.count * roundUp(runs.bytes, tile.ocmAccessBytes);
}

Count ocmBytesOfBlocks(const Stream &stream, const Tile &tile) {
  Stream exchanged = stream;
  std::swap(exchanged.dims[3], exchanged.dims[4]);
  return std::min(ocmBytes(stream, tile), ocmBytes(exchanged, tile));
}

// Histogram of the offsets within a DDR granule at which runs begin. A dimension shifts all runs by multiples
// of its stride, so the offsets repeat after `period` steps. Whole periods are counted at once; the remaining
// steps are counted by a sliding window over the period.
namespace {
class Offsets {
public:
  Offsets(uint64_t base, uint32_t granule) : granule(granule) { counts[base % granule] = 1; }

  void repeat(const Dimension &dim) {
    uint32_t step = dim.stride % granule;
    uint32_t period = granule / std::gcd(step, granule);
    std::array<Count, mostOffsets> moved{};
    for (uint32_t start = 0; start < granule / period; ++start) {
      Count all = 0;
      for (uint32_t i = 0; i < period; ++i)
        all += at(start, step, i);
      for (uint32_t i = 0; i < period; ++i) {
        Count rest = 0;
        for (uint32_t back = 0; back < dim.size % period; ++back)
          rest += at(start, step, i + period - back);
        moved[(start + uint64_t{i} * step) % granule] = Count(dim.size / period) * all + rest;
      }
    }
    counts = moved;
  }
  template <class Visitor>
  void forEach(Visitor &&visit) const {
    for (uint32_t offset = 0; offset < granule; ++offset)
      if (counts[offset] > 0)
        visit(offset, counts[offset]);
  }

private:
  static constexpr uint32_t mostOffsets = 512; // size in bytes of the largest granule of DDR
  Count at(uint32_t start, uint32_t step, uint64_t i) const { return counts[(start + i * step) % granule]; }

  uint32_t granule;
  std::array<Count, mostOffsets> counts{};
};
} // namespace

static Count granuleBytes(uint64_t offset, Count runBytes, uint32_t granule) {
  return roundUp(runBytes + offset, granule);
}

static Offsets offsetsOf(const Stream &stream, unsigned outer, uint32_t granule) {
  Offsets offsets(stream.base, granule);
  for (unsigned d = 0; d < outer; ++d)
    offsets.repeat(stream.dims[d]);
  return offsets;
}

Count ddrBytes(const Stream &stream, const Ddr &ddr) {
  if (!stream.present())
    return 0;
  auto [bytes, outer] = innerRun(stream);
  Count total = 0;
  offsetsOf(stream, outer, ddr.granuleBytes).forEach([&](uint32_t offset, Count runs) {
    total += runs * granuleBytes(offset, bytes, ddr.granuleBytes);
  });
  return total;
}

Count ddrBytesOfAnyRow(const Stream &table, const Ddr &ddr) {
  Stream row = table;
  row.dims[2] = {1, 0};
  auto [bytes, outer] = innerRun(row);
  Count dearest = 0;
  offsetsOf(table, std::max(outer, 3u), ddr.granuleBytes).forEach([&](uint32_t offset, Count) {
    dearest = std::max(dearest, granuleBytes(offset, bytes, ddr.granuleBytes));
  });
  return runsOf(row).count * dearest;
}

Count ocmBytesOfWindows(const Stream &image, const Window &window, const WindowReads &reads,
                        const Tile &tile) {
  Count element = sizeBytes(image.type);
  auto whole = [&](Count bytes) { return roundUp(bytes, tile.ocmAccessBytes); };
  // Number of input rows that the kernel windows of one output column read, counted once for each window.
  Count tapRows = reads.rows * reads.kernelH;
  bool channelsAreNeighbours = reads.channels == 1 || image.dims[4].stride == element;
  if (!channelsAreNeighbours)
    return tapRows * reads.columns * reads.kernelW * reads.channels * whole(element);
  Count tap = reads.channels * element;
  bool tapsAreNeighbours = window.dilationW == 1 && image.dims[3].stride == tap;
  if (!tapsAreNeighbours)
    return tapRows * reads.columns * reads.kernelW * whole(tap);
  if (reads.kernelW == 1 && window.strideW == 1) // taps of adjacent windows are contiguous
    return tapRows * whole(reads.columns * tap);
  return tapRows * reads.columns * whole(reads.kernelW * tap);
}

} // namespace tilerig
