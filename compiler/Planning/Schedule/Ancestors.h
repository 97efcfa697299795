// Stores as bit matrices which tasks are ancestors of a task: which of them come before it, directly or
// transitively.
//
// Each of the most recent tasks has a row in the matrix, with one bit for each task in a window before it. A
// task comes after the tasks that it depends on, and after all ancestors of these. So its row is the union of
// their rows, plus the bits that stand for these tasks themselves. A row has at most 512 words, however many
// paths there are between two tasks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tilerig::compiler {

class Ancestors {
public:
  // `numTasks`: number of tasks; they are added in order of their numbers, from 0.
  explicit Ancestors(size_t numTasks)
      : words(std::min(mostWords, numTasks / bits + 1)), numRows(words * bits), rows(words * numRows) {}

  void begin(uint32_t task) { std::ranges::fill(rowOf(task), 0); }
  // Whether `before` is an ancestor of `task`. Also false if `before` lies before the window of recent tasks
  // that the row of `task` covers.
  bool comesAfter(uint32_t task, uint32_t before) const {
    return isInWindow(task, before) && (rowOf(task)[wordOf(before)] >> before % bits & 1);
  }
  // Records that `task`, the most recent one, depends on `before`.
  void add(uint32_t task, uint32_t before) {
    if (!isInWindow(task, before))
      return;
    const std::span<uint64_t> to = rowOf(task);
    const std::span<const uint64_t> from = rowOf(before);
    // Rows of the bit matrix are circular buffers, and the row of `task` covers a window that begins later
    // than that of `before`. Only the words from `first` up to `end` stand for the same tasks in both rows.
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
  std::vector<uint64_t> rows; // the row of task t has the index t modulo numRows
};

} // namespace tilerig::compiler
