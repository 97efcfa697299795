// Sets of bytes of one memory, as nested boxes.
//
// A region is a run of contiguous bytes repeated along up to six dimensions, each stride at least the extent
// of what lies inside it, so that no byte belongs to two repetitions. The form is canonical for what programs
// use: dimensions that follow each other without a gap are one, a stride of 0 is none, and a dense tensor is
// a single run. So equal streams give equal regions, and questions about two of them ("do they share a
// byte?") are answered from the few numbers, not from the thousands of runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilerig {

// `count` repetitions, `stride` bytes apart.
struct Steps {
  uint64_t stride = 0, count = 1;
  bool operator==(const Steps &) const = default;
};

// Bytes begin .. end-1.
struct ByteRange {
  uint64_t begin = 0, end = 0;
  uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange &) const = default;
};

struct Region {
  static constexpr unsigned maxRank = 6;

  uint64_t begin = 0, end = 0; // from the first byte to one past the last one
  uint64_t run = 0;            // bytes of the innermost, contiguous piece
  uint32_t rank = 0;
  std::array<Steps, maxRank> steps{}; // outermost first; those from `rank` on are of no account

  bool isRun() const { return rank == 0; }
  ByteRange bounds() const { return {begin, end}; }
  std::span<const Steps> dims() const { return {steps.data(), rank}; }
  uint64_t sizeBytes() const;
  bool operator==(const Region &other) const;

  static Region ofRun(uint64_t begin, uint64_t bytes) {
    Region region;
    region.begin = begin, region.end = begin + bytes, region.run = bytes;
    return region;
  }
};

// The bytes of elements of `elementBytes` that start at begin + i0 * stride0 + i1 * stride1 + ..., the
// dimensions in any order. Strides may repeat and overlap; then the answer is several regions that may share
// bytes. At most Region::maxRank dimensions. Calls sink(region) for each.
template <class Sink>
void forEachRegion(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims, Sink &&sink);
// Appends them.
void appendRegions(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims,
                   std::vector<Region> &out);

// Whether the two share a byte: exact.
bool overlap(const Region &a, const Region &b);
// The same where `b` begins `distance` bytes after `a` does, wherever they say that they begin.
bool overlapAt(const Region &a, const Region &b, int64_t distance);
// The lowest bytes that the two share, as far as they are contiguous.
std::optional<ByteRange> firstOverlap(const Region &a, const Region &b);
// True only if every byte of `inner` is in `outer`; may be false where telling takes more than a look at each
// dimension.
bool covers(const Region &outer, const Region &inner);
// The same of an inner one with those dimensions and that run, which begins `distance` bytes after `outer`.
bool coversAt(const Region &outer, std::span<const Steps> dims, uint64_t run, int64_t distance);

namespace detail {
// The region if there is just one; else false.
bool makeRegion(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims, Region &region);

// Runs of the nested dimensions `dims` from `begin` on, clipped to [low, high), ascending. Stops, and is
// false, when the visitor is.
template <class Visitor>
bool visitRuns(uint64_t begin, uint64_t run, std::span<const Steps> dims, uint64_t extent, uint64_t low,
               uint64_t high, Visitor &visit) {
  if (dims.empty())
    return visit(ByteRange{std::max(begin, low), std::min(begin + run, high)});
  const auto [stride, count] = dims.front();
  const uint64_t inner = extent - (count - 1) * stride;
  uint64_t i = low >= begin + inner ? (low - begin - inner) / stride + 1 : 0;
  for (uint64_t at = begin + i * stride; i < count && at < high; ++i, at += stride)
    if (!visitRuns(at, run, dims.subspan(1), inner, low, high, visit))
      return false;
  return true;
}
} // namespace detail

template <class Sink>
void forEachRegion(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims, Sink &&sink) {
  Region region;
  if (detail::makeRegion(begin, elementBytes, dims, region))
    return sink(region);
  std::vector<Region> regions;
  appendRegions(begin, elementBytes, dims, regions);
  for (const Region &it : regions)
    sink(it);
}

// Calls visit(ByteRange) for every run of the region that reaches into [low, high), ascending and clipped to
// it, until it returns false. Neighbouring calls may touch where the region's dimensions do.
template <class Visitor>
bool forEachRun(const Region &region, ByteRange within, Visitor &&visit) {
  if (within.begin >= region.end || within.end <= region.begin)
    return true;
  return detail::visitRuns(region.begin, region.run, region.dims(), region.end - region.begin, within.begin,
                           within.end, visit);
}
template <class Visitor>
bool forEachRun(const Region &region, Visitor &&visit) {
  return forEachRun(region, region.bounds(), visit);
}

} // namespace tilerig
