// Transfers of which only so many, or so many bytes, may be on their way at a time, in the order in which
// they begin: each waits for the one that stood far enough before it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilerig {

class Turns {
public:
  explicit Turns(uint64_t most) : most(most) {} // 0: any number

  bool areLimited() const { return most > 0; }
  // The task that has to be over before the next one begins.
  std::optional<uint32_t> before() const {
    return first > 0 ? std::optional(begun[first - 1]) : std::nullopt;
  }
  void begin(uint32_t task, uint64_t itsWeight) {
    begun.push_back(task);
    weights.push_back(itsWeight);
    for (weight += itsWeight; weight >= most; ++first)
      weight -= weights[first];
  }

private:
  uint64_t most;
  std::vector<uint32_t> begun;
  std::vector<uint64_t> weights;
  size_t first = 0; // of the last ones, all of which may be on their way when the next begins
  uint64_t weight = 0;
};

} // namespace tilerig
