// Regions: sets of bytes of one memory as nested strided boxes.
//
// A region is a contiguous run of bytes, repeated along up to six dimensions. Each stride is at least the
// extent of the dimensions inside it, so no byte belongs to two repetitions. The form is canonical for the
// streams that programs use: adjacent dimensions without a gap are merged, dimensions of stride 0 are
// dropped, and a dense tensor is a single run. So equal streams give equal regions, and questions about two
// regions ("do they share a byte?") are answered from a few numbers instead of thousands of runs.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilerig {

// One dimension of a region: `count` repetitions, `stride` bytes apart.
struct Steps {
  uint64_t stride = 0, count = 1;
  bool operator==(const Steps &) const = default;
};

// A range of bytes: begin .. end-1.
struct ByteRange {
  uint64_t begin = 0, end = 0;
  uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange &) const = default;
};

struct Region {
  static constexpr unsigned maxRank = 6;

  uint64_t begin = 0, end = 0; // bounding interval: first byte, and one past the last byte
  uint64_t run = 0;            // length in bytes of a contiguous run
  uint32_t rank = 0;
  std::array<Steps, maxRank> steps{}; // dimensions, outermost first; only the first `rank` entries are used

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

// Calls sink(region) for the regions that cover elements of `elementBytes` bytes at begin + i0 * stride0 + i1
// * stride1 + ..., with the dimensions in any order and at most Region::maxRank of them. Where repetitions of
// dimensions interleave there are several regions, which may share bytes.
template <class Sink>
void forEachRegion(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims, Sink &&sink);
// Like forEachRegion(), but appends the regions to `out`.
void appendRegions(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims,
                   std::vector<Region> &out);

// Whether two regions share a byte; the result is exact.
bool overlap(const Region &a, const Region &b);
// Whether `a` and `b` share a byte if `b` is moved so that it begins `distance` bytes after `a`.
bool overlapAt(const Region &a, const Region &b, int64_t distance);
// The first contiguous range of bytes that both regions contain; nullopt if they are disjoint.
std::optional<ByteRange> firstOverlap(const Region &a, const Region &b);
// Tests whether every byte of `inner` is in `outer`. The test is conservative: true is certain, but false
// does not mean that a byte of `inner` lies outside.
bool covers(const Region &outer, const Region &inner);
// Like covers(), but the inner region is given by its dimensions, its run length and its distance in bytes
// from the beginning of the outer region.
bool coversAt(const Region &outer, std::span<const Steps> dims, uint64_t run, int64_t distance);

namespace detail {
// Sets `region` to the bytes that the dimensions describe (as in forEachRegion()), if they form a single
// region; otherwise returns false.
bool makeRegion(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims, Region &region);

// Visits the runs of the nested dimensions `dims` from `begin` on, clipped to [low, high), in ascending
// order. Stops and returns false as soon as the visitor returns false.
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
  for (const Region &part : regions)
    sink(part);
}

// Calls visit(ByteRange) for every run of the region that intersects `within`, ascending and clipped to it,
// until the visitor returns false (the result is then false, too). Two consecutive runs may touch each other.
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
