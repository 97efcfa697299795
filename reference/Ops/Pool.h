// Pooling loops, parameterised by a rule for combining the elements of a window.
//
// A rule has a start state, takes the elements of a window in ascending order (row-major in the taps), and
// computes the result from its state and the number of counted elements. There are two loop orders. Usually a
// row of positions is filled tap by tap, so that the innermost loop reads memory in order; if there are few
// positions or many taps, it is filled position by position. Every state takes the same elements in the same
// order in both cases.
#pragma once

#include "reference/Ops/Window.h"

#include <algorithm>
#include <limits>
#include <memory>

namespace tilerig::reference {

// Pooling rule for the average: the sum of the elements, divided by their number.
template <class T>
struct AverageOf {
  static constexpr bool orderMatters = true;
  T start() const { return 0; }
  void take(T &sum, T x) const { sum += x; }
  T finish(T sum, int64_t count) const { return sum / static_cast<T>(count); }
};

// Pooling rule for the maximum; NaN prevails over numbers. Padding counts as the lowest value of the type (or
// minus infinity), which is therefore the maximum of a window that lies entirely in the padding.
template <class T>
struct GreatestOf {
  static constexpr bool orderMatters = false;
  T start() const {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  }
  void take(T &best, T x) const { best = ((x > best) | (x != x)) ? x : best; }
  T finish(T best, int64_t) const { return best; }
};

// Lists the image rows that a row of positions reads, in ascending order, without those in the padding.
class RowsSeen {
public:
  explicit RowsSeen(const Window &window) : window(window) {}

  const std::vector<int64_t> &of(int64_t row) {
    positions.resize(window.size() - 1);
    for (size_t d = positions.size(); d-- > 0; row /= window[d].outputs)
      positions[d] = row % window[d].outputs;
    rows.assign(1, 0);
    for (size_t d = 0; d < positions.size(); ++d)
      extend(window[d], positions[d]);
    return rows;
  }

private:
  void extend(const WindowAxis &axis, int64_t position) {
    Span taps = tapsInside(axis, position);
    longer.clear();
    for (int64_t row : rows)
      for (int64_t tap = taps.begin; tap < taps.end; ++tap)
        longer.push_back(row * axis.size + axis.start(position) + tap * axis.dilation);
    rows.swap(longer);
  }

  const Window &window;
  std::vector<int64_t> positions, rows, longer;
};

// Pools rows of positions. Each piece of a parallel loop makes its own RowPool, because a RowPool holds
// buffers.
template <class Rule, class T>
class RowPool {
public:
  RowPool(Rule rule, const Window &window)
      : rule(rule), window(window), inner(window.back()), seen(window),
        byPosition(inner.outputs < 4 || inner.kernel > 64) {
    if (!byPosition)
      for (int64_t tap = 0; tap < inner.kernel; ++tap)
        reach.push_back(positionsInside(inner, tap, 0, inner.outputs));
    // If the order of elements does not matter to the pooling rule, the image rows of a window are first
    // combined into one row. This is faster if neighbouring positions read the same elements.
    if (!Rule::orderMatters && !byPosition && inner.kernel >= inner.stride)
      joined = std::make_unique<T[]>(static_cast<size_t>(inner.size));
  }

  // Pools row `row` of the window positions over the image `plane`: states[i] becomes the state of the
  // pooling rule after it has taken all elements of the window at position i of the row.
  void pool(const T *plane, int64_t row, T *states) {
    std::fill_n(states, inner.outputs, rule.start());
    const std::vector<int64_t> &rows = seen.of(row);
    if (joined && rows.size() > 1) {
      join(plane, rows);
      takeRow(joined.get(), states);
      return;
    }
    for (int64_t image : rows)
      if (byPosition)
        takePositions(plane + image * inner.size, states);
      else
        takeRow(plane + image * inner.size, states);
  }

private:
  void join(const T *plane, const std::vector<int64_t> &rows) {
    T *to = joined.get();
    std::copy_n(plane + rows[0] * inner.size, inner.size, to);
    for (size_t i = 1; i < rows.size(); ++i) {
      const T *from = plane + rows[i] * inner.size;
      for (int64_t x = 0; x < inner.size; ++x)
        rule.take(to[x], from[x]);
    }
  }

  void takeRow(const T *from, T *states) const {
    for (int64_t tap = 0; tap < inner.kernel; ++tap) {
      Span inside = reach[static_cast<size_t>(tap)];
      const T *first = from + inner.start(inside.begin) + tap * inner.dilation;
      T *to = states + inside.begin;
      int64_t length = inside.length();
      // Strides 1 and 2 are passed as constants, so that the C++ compiler can load whole vectors.
      if (inner.stride == 1)
        takeStrided<1>(first, to, length);
      else if (inner.stride == 2)
        takeStrided<2>(first, to, length);
      else
        for (int64_t i = 0; i < length; ++i)
          rule.take(to[i], first[i * inner.stride]);
    }
  }
  template <int64_t stride>
  void takeStrided(const T *first, T *to, int64_t length) const {
    for (int64_t i = 0; i < length; ++i)
      rule.take(to[i], first[i * stride]);
  }

  void takePositions(const T *from, T *states) const {
    for (int64_t position = 0; position < inner.outputs; ++position) {
      Span taps = tapsInside(inner, position);
      const T *first = from + inner.start(position);
      T state = states[position];
      for (int64_t tap = taps.begin; tap < taps.end; ++tap)
        rule.take(state, first[tap * inner.dilation]);
      states[position] = state;
    }
  }

  Rule rule;
  const Window &window;
  const WindowAxis &inner;
  RowsSeen seen;
  bool byPosition;
  std::vector<Span> reach; // for each tap, the positions for which it lies inside the image
  std::unique_ptr<T[]> joined;
};

// The number of elements in the window at each position along an axis: those inside the image and, with
// `countPadding`, also those in the padding.
inline std::vector<int64_t> countsAlong(WindowAxis axis, bool countPadding) {
  if (countPadding)
    axis.size += axis.padBegin + axis.padEnd, axis.padBegin = 0;
  std::vector<int64_t> counts(static_cast<size_t>(axis.outputs));
  for (int64_t position = 0; position < axis.outputs; ++position)
    counts[static_cast<size_t>(position)] = tapsInside(axis, position).length();
  return counts;
}

// Pools each of `planes` images (a channel of an element of the batch) of x into one of y; with
// `countPadding`, averages count padding as elements.
template <class Rule, class T>
void poolPlanes(Rule rule, const Window &window, bool countPadding, int64_t planes, const T *x, T *y,
                Threads &threads) {
  int64_t width = window.back().outputs, image = countImage(window), positions = countOutputs(window);
  if (planes == 0 || positions == 0)
    return;
  std::vector<std::vector<int64_t>> counts;
  for (const WindowAxis &axis : window)
    counts.push_back(countsAlong(axis, countPadding));
  int64_t rows = positions / width;
  auto countAt = [&](int64_t row) {
    int64_t count = 1;
    for (size_t d = window.size() - 1; d-- > 0; row /= window[d].outputs)
      count *= counts[d][static_cast<size_t>(row % window[d].outputs)];
    return count;
  };
  constexpr int64_t grain = 1 << 12;
  threads.forEach(planes * rows, std::max<int64_t>(1, grain / width), [&](int64_t begin, int64_t end) {
    RowPool<Rule, T> pool(rule, window);
    for (int64_t i = begin; i < end; ++i) {
      T *to = y + i * width;
      pool.pool(x + i / rows * image, i % rows, to);
      int64_t outer = countAt(i % rows);
      for (int64_t position = 0; position < width; ++position)
        to[position] = rule.finish(to[position], outer * counts.back()[static_cast<size_t>(position)]);
    }
  });
}

// Global pooling: reduces each of `planes` images (a channel of an element of the batch) of `size` elements
// to one. Several images are processed together, so that their dependent chains of operations overlap.
template <class Rule, class T>
void poolWhole(Rule rule, int64_t planes, int64_t size, const T *x, T *y, Threads &threads) {
  constexpr int64_t together = 8;
  auto poolSome = [&](int64_t first, auto count) {
    T states[together];
    std::fill_n(states, together, rule.start());
    for (int64_t i = 0; i < size; ++i)
      for (int64_t p = 0; p < count; ++p)
        rule.take(states[p], x[(first + p) * size + i]);
    for (int64_t p = 0; p < count; ++p)
      y[first + p] = rule.finish(states[p], size);
  };
  threads.forEach(planes, together, [&](int64_t begin, int64_t end) {
    int64_t plane = begin;
    for (; plane + together <= end; plane += together)
      poolSome(plane, std::integral_constant<int64_t, together>());
    for (; plane < end; ++plane)
      poolSome(plane, std::integral_constant<int64_t, 1>());
  });
}

} // namespace tilerig::reference
