#include "isa/Instructions/Region.h"

#include "isa/Instructions/IndexRuns.h"

#include <bit>

namespace tilerig {

uint64_t Region::sizeBytes() const {
  uint64_t bytes = run;
  for (auto [stride, count] : dims())
    bytes *= count;
  return bytes;
}

bool Region::operator==(const Region &other) const {
  return begin == other.begin && end == other.end && run == other.run &&
         std::ranges::equal(dims(), other.dims());
}

namespace {

using Dims = std::array<Steps, Region::maxRank>;

// Sorts dimensions by ascending stride (insertion sort; the input is short and usually in reverse order), and
// drops those of size 1 or stride 0, which add no bytes.
unsigned sortedDims(std::span<const Steps> dims, Dims &sorted) {
  unsigned count = 0;
  for (Steps dim : dims) {
    if (dim.count < 2 || dim.stride == 0)
      continue;
    unsigned at = count++;
    for (; at > 0 && sorted[at - 1].stride > dim.stride; --at)
      sorted[at] = sorted[at - 1];
    sorted[at] = dim;
  }
  return count;
}

// A region under construction, built from the innermost to the outermost dimension.
class Nest {
public:
  Nest(uint64_t begin, uint64_t run) : begin(begin), run(run), extent(run) {}

  // Adds a dimension to the region. Returns false, without a change, if its repetitions would interleave with
  // those of the existing dimensions.
  bool repeat(Steps dim) {
    if (rank == 0 && dim.stride <= run) { // repetitions without gaps form one contiguous run
      run += (dim.count - 1) * dim.stride;
      extent = run;
      return true;
    }
    if (rank > 0) {
      Steps &outer = dims[rank - 1];
      if (dim.stride % outer.stride == 0 &&
          // the new dimension continues the outermost one without a gap, so the two are merged
          dim.stride / outer.stride <= outer.count) {
        outer.count += (dim.count - 1) * (dim.stride / outer.stride);
        extent += (dim.count - 1) * dim.stride;
        return true;
      }
    }
    if (dim.stride < extent)
      return false;
    dims[rank++] = dim;
    extent += (dim.count - 1) * dim.stride;
    return true;
  }

  uint64_t extentBytes() const { return extent; }

  void finish(Region &region) const {
    region.begin = begin, region.end = begin + extent, region.run = run, region.rank = rank;
    std::reverse_copy(dims.begin(), dims.begin() + rank, region.steps.begin());
  }
  Region region() const {
    Region region;
    finish(region);
    return region;
  }

private:
  uint64_t begin, run, extent;
  unsigned rank = 0;
  Dims dims{};
};

// A bitmap that can be combined with shifted copies of itself.
class BitSet {
public:
  explicit BitSet(uint64_t size) : words((size + 63) / 64) {}

  void setRange(uint64_t begin, uint64_t end) {
    for (uint64_t i = begin; i < end; ++i)
      words[i / 64] |= uint64_t{1} << (i % 64);
  }
  // Adds to the set a copy of itself that is shifted by `shift`: *this |= *this << shift.
  void spread(uint64_t shift) {
    const uint64_t whole = shift / 64, part = shift % 64;
    for (uint64_t i = words.size(); i-- > whole;) {
      uint64_t moved = words[i - whole] << part;
      if (part != 0 && i > whole)
        moved |= words[i - whole - 1] >> (64 - part);
      words[i] |= moved;
    }
  }
  // Repeats the set as often as the dimension states. Each step at most doubles the number of repetitions.
  void repeat(Steps dim) {
    for (uint64_t done = 1; done < dim.count;) {
      const uint64_t more = std::min(done, dim.count - done);
      spread(more * dim.stride);
      done += more;
    }
  }
  IndexSet runs() const {
    IndexSetBuilder builder;
    for (uint64_t i = 0; i < words.size(); ++i)
      for (uint64_t rest = words[i]; rest != 0;) {
        const unsigned first = std::countr_zero(rest), length = std::countr_one(rest >> first);
        builder.add(i * 64 + first, length);
        rest = first + length == 64 ? 0 : rest & (~uint64_t{0} << (first + length));
      }
    return builder.take();
  }

private:
  std::vector<uint64_t> words;
};

// Appends regions for interleaved dimensions, which have no nested form. All dimensions up to the last
// interleaved one are expanded into a bitmap of bytes, which is converted back to regions. If the bitmap
// would be too large, the layout is split along its outermost interleaved dimension.
void appendInterlocked(uint64_t begin, uint64_t elementBytes, std::span<const Steps> ascending,
                       std::vector<Region> &out) {
  // `reach`: number of bytes from the first to the last byte of all dimensions visited so far. `extent`: the
  // same number for the innermost `inner` dimensions, which end with the last interleaved one.
  uint64_t extent = elementBytes, reach = elementBytes;
  size_t inner = 0;
  for (size_t d = 0; d < ascending.size(); ++d) {
    const bool interlocks = ascending[d].stride < reach;
    reach += (ascending[d].count - 1) * ascending[d].stride;
    if (interlocks)
      inner = d + 1, extent = reach;
  }
  constexpr uint64_t mostBytes = uint64_t{1} << 26;
  if (extent > mostBytes) {
    const Steps cut = ascending[inner - 1];
    Dims rest{};
    std::ranges::copy(ascending, rest.begin());
    rest[inner - 1].count = 1;
    for (uint64_t i = 0; i < cut.count; ++i)
      appendRegions(begin + i * cut.stride, elementBytes, std::span(rest).first(ascending.size()), out);
    return;
  }
  BitSet bytes(extent);
  bytes.setRange(0, elementBytes);
  for (Steps dim : ascending.first(inner))
    bytes.repeat(dim);
  for (const IndexRuns &runs : bytes.runs()) {
    Nest nest(begin + runs.first, runs.length);
    if (runs.count > 1)
      nest.repeat({runs.stride, runs.count});
    for (Steps dim : ascending.subspan(inner))
      nest.repeat(dim);
    out.push_back(nest.region());
  }
}

} // namespace

bool detail::makeRegion(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims, Region &region) {
  Dims ascending;
  const unsigned count = sortedDims(dims, ascending);
  Nest nest(begin, elementBytes);
  for (unsigned d = 0; d < count; ++d)
    if (!nest.repeat(ascending[d]))
      return false;
  nest.finish(region);
  return true;
}

void appendRegions(uint64_t begin, uint64_t elementBytes, std::span<const Steps> dims,
                   std::vector<Region> &out) {
  Region region;
  if (detail::makeRegion(begin, elementBytes, dims, region)) {
    out.push_back(region);
    return;
  }
  Dims ascending;
  const unsigned count = sortedDims(dims, ascending);
  appendInterlocked(begin, elementBytes, std::span(ascending).first(count), out);
}

namespace {

// The shape of a region, without its address.
struct Shape {
  std::span<const Steps> dims;
  uint64_t run, extent;

  Shape inner() const { return {dims.subspan(1), run, extent - (dims[0].count - 1) * dims[0].stride}; }
};

int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Whether there are numbers i in 0 .. a-1 and j in 0 .. b-1 with i - j = difference.
bool differByThis(uint64_t a, uint64_t b, int64_t difference) {
  return difference < static_cast<int64_t>(a) && -difference < static_cast<int64_t>(b);
}

// Whether region `b`, placed `offset` bytes after region `a`, shares a byte with `a`. Recursive over the
// outermost dimensions.
bool overlapAt(const Shape &a, const Shape &b, int64_t offset) {
  const auto extentA = static_cast<int64_t>(a.extent), extentB = static_cast<int64_t>(b.extent);
  if (offset >= extentA || -offset >= extentB)
    return false;
  if (a.dims.empty() && b.dims.empty())
    return true;
  if (a.dims.empty() || (!b.dims.empty() && b.dims[0].stride > a.dims[0].stride))
    return overlapAt(b, a, -offset);

  const auto stride = static_cast<int64_t>(a.dims[0].stride);
  const uint64_t count = a.dims[0].count;
  const Shape inner = a.inner();
  // If both outermost dimensions have the same stride, a repetition of `a` can meet at most two repetitions
  // of `b`. The distances to these two are the same for every repetition of `a`.
  if (!b.dims.empty() && b.dims[0].stride == a.dims[0].stride) {
    const int64_t whole = floorDivide(offset, stride), part = offset - whole * stride;
    return (differByThis(count, b.dims[0].count, whole) && overlapAt(inner, b.inner(), part)) ||
           (differByThis(count, b.dims[0].count, whole + 1) && overlapAt(inner, b.inner(), part - stride));
  }
  // Otherwise region `a` has the wider stride, and those of its repetitions that reach into the bounds of `b`
  // are tested one by one.
  const int64_t first =
      std::max<int64_t>(0, floorDivide(offset - static_cast<int64_t>(inner.extent), stride) + 1);
  const int64_t last =
      std::min<int64_t>(static_cast<int64_t>(count) - 1, floorDivide(offset + extentB - 1, stride));
  for (int64_t i = first; i <= last; ++i)
    if (overlapAt(inner, b, offset - i * stride))
      return true;
  return false;
}

Shape shapeOf(const Region &region) { return {region.dims(), region.run, region.end - region.begin}; }

} // namespace

bool overlapAt(const Region &a, const Region &b, int64_t distance) {
  return overlapAt(shapeOf(a), shapeOf(b), distance);
}

bool overlap(const Region &a, const Region &b) {
  return overlapAt(a, b, static_cast<int64_t>(b.begin) - static_cast<int64_t>(a.begin));
}

std::optional<ByteRange> firstOverlap(const Region &a, const Region &b) {
  std::optional<ByteRange> firstShared;
  if (overlap(a, b))
    forEachRun(a, b.bounds(), [&](ByteRange mine) {
      return forEachRun(b, mine, [&](ByteRange shared) {
        firstShared = shared;
        return false;
      });
    });
  return firstShared;
}

// Compares the dimensions of the outer region one by one. In each, the inner region must repeat with the same
// stride, or lie within one repetition.
bool coversAt(const Region &outer, std::span<const Steps> dims, uint64_t run, int64_t distance) {
  if (distance < 0)
    return false;
  auto offset = static_cast<uint64_t>(distance);
  for (const Steps &its : outer.dims()) {
    const bool repeats = !dims.empty() && dims.front().stride == its.stride;
    if (offset / its.stride + (repeats ? dims.front().count : 1) > its.count)
      return false;
    offset %= its.stride;
    if (repeats)
      dims = dims.subspan(1);
  }
  uint64_t extent = run;
  for (const Steps &rest : dims)
    extent += rest.stride * (rest.count - 1);
  return offset + extent <= outer.run;
}

bool covers(const Region &outer, const Region &inner) {
  return inner.begin >= outer.begin && inner.end <= outer.end &&
         coversAt(outer, inner.dims(), inner.run, static_cast<int64_t>(inner.begin - outer.begin));
}

} // namespace tilerig
