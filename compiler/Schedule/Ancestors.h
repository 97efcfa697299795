// Which of the tasks shortly before a task come before it, directly or by way of others.
//
// A row of bits for each of the latest tasks, one bit for each task of a window in front of it. To come after
// a task is to come after all that it comes after, so a row is the union of others: some hundred words for
// each, however many ways there are from one task to another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tilerig {

class Ancestors {
public:
  // Tasks come one after the other, from 0 on, so many of them.
  explicit Ancestors(size_t numTasks)
      : words(std::min(mostWords, numTasks / bits + 1)), numRows(words * bits), rows(words * numRows) {}

  void begin(uint32_t task) { std::ranges::fill(rowOf(task), 0); }
  // False also of what is further back than is known.
  bool comesAfter(uint32_t task, uint32_t before) const {
    return isInWindow(task, before) && (rowOf(task)[wordOf(before)] >> before % bits & 1);
  }
  // `task` is the latest, and comes after `before`.
  void add(uint32_t task, uint32_t before) {
    if (!isInWindow(task, before))
      return;
    const std::span<uint64_t> to = rowOf(task);
    const std::span<const uint64_t> from = rowOf(before);
    // Words of `from` that stand for the same tasks in both.
    const size_t first = (task / bits + 1) % words, end = wordOf(before) + 1;
    if (first < end) {
      join(to.subspan(first, end - first), from.subspan(first, end - first));
    } else {
      join(to.first(end), from.first(end));
      join(to.subspan(first), from.subspan(first));
    }
    to[wordOf(before)] |= uint64_t{1} << before % bits;
  }

private:
  static constexpr size_t bits = 64, mostWords = 512;

  bool isInWindow(uint32_t task, uint32_t before) const { return before / bits + words > task / bits; }
  size_t wordOf(uint32_t task) const { return task / bits % words; }
  std::span<uint64_t> rowOf(uint32_t task) { return std::span(rows).subspan(task % numRows * words, words); }
  std::span<const uint64_t> rowOf(uint32_t task) const {
    return std::span(rows).subspan(task % numRows * words, words);
  }
  static void join(std::span<uint64_t> to, std::span<const uint64_t> from) {
    for (size_t i = 0; i < to.size(); ++i)
      to[i] |= from[i];
  }

  size_t words, numRows;
  std::vector<uint64_t> rows; // of the latest tasks, each at its number's place
};

} // namespace tilerig
