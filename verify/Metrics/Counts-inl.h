// Counts the elements of a block: by relative error and order of magnitude (Plane.h), by distance in units in
// the last place, by distance in 8-bit steps, and at the ends of integer ranges (Rails).
#if defined(TILERIG_VERIFY_METRICS_COUNTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TILERIG_VERIFY_METRICS_COUNTS_INL_H_
#undef TILERIG_VERIFY_METRICS_COUNTS_INL_H_
#else
#define TILERIG_VERIFY_METRICS_COUNTS_INL_H_
#endif

#include "verify/Metrics/CellTables.h"
#include "verify/Metrics/Sums-inl.h"

#include <bit>

HWY_BEFORE_NAMESPACE();
namespace tilerig::verify::HWY_NAMESPACE {

// For each element of a block, the numbers from which its histogram cell (Plane.h) is computed. Tables give
// the bins of the relative error and of the order of magnitude. `base` is the index of the cell for bins 0
// and 0. `step` is the distance from one bin of the relative error to the next, in cells.
struct Cells {
  alignas(64) int32_t base[blockElements], step[blockElements];
  alignas(64) double relative[blockElements], oom[blockElements];
};

// Computes the histogram cells of the elements of one vector, from element `i` on, by the rules of Element.h
// and the rows of Grid.h.
HWY_INLINE void prepareVector(Vector r, Vector t, Vector difference, const Rule &rule, Cells &cells,
                              size_t i) {
  const Part d;
  const hn::Rebind<int32_t, Part> dInteger;
  constexpr auto columns = static_cast<double>(gridColumns), sheet = static_cast<double>(sheetSize);
  const Vector zero = hn::Zero(d), limit = hn::Set(d, rule.oomLimit);
  const auto noReference = hn::Eq(r, zero);
  const Vector undefined = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  const Vector whenZero = hn::IfThenElse(hn::Eq(t, zero), zero, undefined);
  const Vector percent = hn::Mul(hn::Div(difference, r), hn::Set(d, 100.0));
  const Vector relative = hn::IfThenElse(noReference, whenZero, percent);
  const Vector divisor = hn::Abs(hn::IfThenElse(noReference, t, r));
  const auto bothZero = hn::Eq(divisor, zero);
  const Vector ratio = hn::Div(hn::Set(d, rule.anchor), divisor);
  const Vector oom = hn::IfThenElse(bothZero, hn::Set(d, rule.oomLimit + 1), ratio);

  const auto within = hn::Le(hn::Abs(relative), hn::Set(d, rule.relativePercent));
  const Vector judged = hn::IfThenElse(within, hn::Set(d, sheet), hn::Set(d, 2 * sheet));
  const Vector subset = hn::IfThenElseZero(hn::Le(oom, limit), judged);
  const auto above = hn::Gt(relative, zero), below = hn::Lt(relative, zero);
  auto rowStart = [&](int32_t row) HWY_ATTR { return hn::Set(d, row * columns); };
  Vector row = hn::IfThenElse(hn::Eq(relative, zero), rowStart(equalRow), rowStart(undefinedRow));
  row = hn::IfThenElse(above, rowStart(rowOfBin(0, false)), row);
  row = hn::IfThenElse(below, rowStart(rowOfBin(0, true)), row);
  const Vector beside = hn::IfThenElseZero(bothZero, hn::Set(d, 1.0));
  const Vector step =
      hn::IfThenElse(below, hn::Set(d, -columns), hn::IfThenElseZero(above, hn::Set(d, columns)));

  auto clamped = [&](Vector x, const auto &lookup, double first) HWY_ATTR {
    const Vector low = hn::Set(d, first), high = hn::Set(d, lookup.beyondLast);
    const Vector least = hn::IfThenElse(hn::Gt(x, low), x, low); // replaces NaN too
    return hn::IfThenElse(hn::Lt(least, high), least, high);
  };
  const Vector farthest = hn::Set(d, oomLookup.beyondLast);
  hn::Store(clamped(hn::Abs(relative), relativeLookup, relativeEdges.front()), d, cells.relative + i);
  hn::Store(hn::IfThenElse(bothZero, farthest, clamped(oom, oomLookup, oomEdges.front())), d, cells.oom + i);
  hn::Store(hn::DemoteTo(dInteger, hn::Add(hn::Add(subset, row), beside)), dInteger, cells.base + i);
  hn::Store(hn::DemoteTo(dInteger, step), dInteger, cells.step + i);
}

inline void prepareCells(Block &block, const Rule &rule, Cells &cells) {
  const Part d;
  padWithZeros(block);
  for (size_t i = 0; i < block.count; i += partLanes)
    prepareVector(hn::Load(d, block.reference + i), hn::Load(d, block.target + i),
                  hn::Load(d, block.difference + i), rule, cells, i);
}

// Counts the elements of a block by cell of the histogram (by relative error and order of magnitude), in the
// narrow counters of one thread (Counts::recent).
inline void countPlane(Block &block, const Rule &rule, uint32_t *sheets) {
  Cells cells;
  prepareCells(block, rule, cells);
  for (size_t i = 0; i < block.count && rule.eightBit; ++i)
    cells.base[i] +=
        bitOff(block.difference[i], rule) <= rule.bitOff ? static_cast<int32_t>(numSubsets * sheetSize) : 0;
  for (size_t i = 0; i < block.count; ++i) {
    const int32_t column = oomLookup.ofClamped(cells.oom[i]);
    const int32_t cell = cells.base[i] + cells.step[i] * relativeLookup.ofClamped(cells.relative[i]) + column;
    ++sheets[static_cast<size_t>(cell) * Counts::copies + i % Counts::copies];
  }
}

// For each element of a block, the keys for two lookup tables (CellTables.h). `quotient` gives the histogram
// row, by the relative error. `size` gives the column, by the absolute value. A key is the difference between
// the bits of a double and the bits at which the first cell of the table begins.
struct Lookups {
  alignas(64) uint64_t quotient[blockElements], size[blockElements];
};

HWY_INLINE void prepareLookups(Vector r, Vector t, Vector difference, const SizeTable &sizes,
                               Lookups &lookups, size_t i) {
  const Part d;
  auto number = [&](double x) HWY_ATTR { return hn::Set(d, x); };
  const Vector zero = hn::Zero(d), quotient = hn::Div(difference, r);
  const auto noReference = hn::Eq(r, zero);
  const Vector size = hn::Abs(hn::IfThenElse(noReference, t, r));
  auto store = [&](Vector x, uint64_t firstCell, uint64_t *to) HWY_ATTR {
    const hn::RebindToUnsigned<Part> dBits;
    hn::Store(hn::Sub(hn::BitCast(dBits, x), hn::Set(dBits, firstCell << cellShift)), dBits, to);
  };
  store(hn::Min(hn::Max(size, number(sizes.least)), number(sizes.most)), sizes.firstCell, lookups.size + i);

  // If the reference is zero, the quotient of error and reference is NaN or infinite. The element then gets a
  // row for special cases instead.
  const Vector far = hn::Min(hn::Max(hn::Abs(quotient), number(quotients::least)), number(quotients::most));
  const Vector sided =
      hn::IfThenElse(hn::Lt(quotient, zero), hn::Mul(far, number(quotients::negativeFactor)), far);
  const Vector ordinary =
      hn::IfThenElse(hn::Eq(quotient, zero), number(quotients::special(countedEqual)), sided);
  const Vector special = hn::IfThenElse(hn::Eq(t, zero), number(quotients::special(countedBothZero)),
                                        number(quotients::special(countedUndefined)));
  store(hn::IfThenElse(noReference, special, ordinary), quotients::firstCell, lookups.quotient + i);
}

HWY_INLINE void countLookups(const Lookups &lookups, size_t count, const SizeTable &sizes, uint16_t *cells) {
  auto add = [&](size_t i, size_t copy) HWY_ATTR {
    const uint64_t row = lookUp(quotients::table.addends.data(), lookups.quotient[i]);
    const uint64_t column = lookUp(sizes.addends.data(), lookups.size[i]);
    ++cells[(row * countedColumns + column) * Counts::cellCopies + copy];
  };
  size_t i = 0;
  for (; i + Counts::cellCopies <= count; i += Counts::cellCopies)
    for (size_t copy = 0; copy < Counts::cellCopies; ++copy)
      add(i + copy, copy);
  for (; i < count; ++i)
    add(i, 0);
}

// Counts the elements of a block by histogram cell, without counting subsets (discarded, passed or failed)
// separately. If the limits are edges of bins (Grid.h), all elements of a cell belong to the same subset.
inline void countCells(Block &block, const SizeTable &sizes, uint16_t *cells) {
  Lookups lookups;
  const FromBlock source = fromBlock(block);
  for (size_t i = 0; i < source.padded; i += partLanes) {
    Vector r, t, e;
    source.load(i, r, t, e);
    prepareLookups(r, t, e, sizes, lookups, i);
  }
  countLookups(lookups, block.count, sizes, cells);
}

inline void countBitsOff(const Block &block, const Rule &rule, BitOffHistogram &histogram) {
  constexpr double last = bitOffBins - 1;
  for (size_t i = 0; i < block.count; ++i) {
    const double off = bitOff(block.difference[i], rule);
    ++histogram[static_cast<size_t>(off < last ? off : last)];
  }
}

// The index of a float among all floats of its type in ascending order; −0 and +0 have the same index.
template <class Bits>
HWY_INLINE Bits rankOf(Bits bits) {
  constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  return bits & sign ? sign - (bits & ~sign) : sign + bits;
}

// The bin of UlpHistogram for a distance: 0 for no distance, else 1 + bit width of (distance − 1). The bit
// width is taken from the exponent of the distance converted to float, which every processor can vectorise. A
// bit is cleared before, so that the conversion cannot round up.
template <class Bits>
HWY_INLINE uint8_t ulpBinOf(Bits distance) {
  if constexpr (sizeof(Bits) > sizeof(uint32_t))
    return distance ? static_cast<uint8_t>(std::bit_width(distance - 1) + 1) : uint8_t{0};
  constexpr int32_t exponentOfHalf = 126;
  const uint32_t below = static_cast<uint32_t>(distance) - 1;
  const auto cleared = static_cast<int32_t>(below & ~(below >> 1));
  const int32_t exponent = (std::bit_cast<int32_t>(static_cast<float>(cleared)) >> 23) - exponentOfHalf;
  const int32_t bits = cleared < 0 ? 32 : exponent > 0 ? exponent : 0;
  return static_cast<uint8_t>(distance ? bits + 1 : 0);
}

// Counts bytes in a histogram, for blocks with few different bytes: for each value between the least and the
// largest, counts how often it occurs.
inline void countBytes(uint8_t *bytes, size_t count, UlpHistogram &histogram) {
  const hn::CappedTag<uint8_t, 64> d;
  uint8_t least = 255, largest = 0;
  for (size_t i = 0; i < count; ++i) {
    least = std::min(least, bytes[i]);
    largest = std::max(largest, bytes[i]);
  }
  const size_t padded = hwy::RoundUpTo(count, hn::Lanes(d));
  for (size_t i = count; i < padded; ++i)
    bytes[i] = 255;
  for (uint32_t value = least; value <= largest; ++value) {
    size_t occurrences = 0;
    for (size_t i = 0; i < padded; i += hn::Lanes(d))
      occurrences +=
          hn::CountTrue(d, hn::Eq(hn::LoadU(d, bytes + i), hn::Set(d, static_cast<uint8_t>(value))));
    histogram[value] += occurrences;
  }
}

// Counts the distances between reference and target in units in the last place, computed from the stored bits
// of a block's elements. Elements that are NaN or infinite are counted elsewhere.
template <class Bits>
void countUlps(const Block &block, const std::byte *reference, const std::byte *target,
               UlpHistogram &histogram) {
  const auto *r = reinterpret_cast<const Bits *>(reference) + block.begin;
  const auto *t = reinterpret_cast<const Bits *>(target) + block.begin;
  const size_t stored = block.whole ? block.count : block.position[block.count - 1] + size_t{1};
  Bits distances[blockElements];
  for (size_t i = 0; i < stored; ++i) {
    const Bits left = rankOf(r[i]), right = rankOf(t[i]);
    distances[i] = left < right ? static_cast<Bits>(right - left) : static_cast<Bits>(left - right);
  }
  if (!block.whole)
    for (size_t i = 0; i < block.count; ++i)
      distances[i] = distances[block.position[i]];
  uint8_t bins[blockElements];
  for (size_t i = 0; i < block.count; ++i)
    bins[i] = ulpBinOf(distances[i]);
  countBytes(bins, block.count, histogram);
}

inline void countUlps(const TensorPair &pair, const Block &block, UlpHistogram &histogram) {
  if (pair.referenceType != pair.targetType || block.count == 0)
    return;
  switch (pair.referenceType) {
  case DType::f16:
  case DType::bf16:
    return countUlps<uint16_t>(block, pair.reference, pair.target, histogram);
  case DType::f32:
    return countUlps<uint32_t>(block, pair.reference, pair.target, histogram);
  case DType::f64:
    return countUlps<uint64_t>(block, pair.reference, pair.target, histogram);
  default:
    return;
  }
}

inline void countRails(const double *elements, size_t count, DType type, Rails &rails) {
  dispatch(type, [&]<class T>() {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      constexpr auto low = static_cast<double>(std::numeric_limits<T>::min());
      constexpr auto high = static_cast<double>(std::numeric_limits<T>::max());
      for (size_t i = 0; i < count; ++i) {
        rails.low += elements[i] == low ? 1 : 0;
        rails.high += elements[i] == high ? 1 : 0;
      }
    }
  });
}

} // namespace tilerig::verify::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif // guard
