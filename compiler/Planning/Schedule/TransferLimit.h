// Limit of transfers in flight: at most a given number of transfers, or of bytes, at a time. Once the limit
// is reached, each new transfer waits for the end of an earlier one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilerig::compiler {

class TransferLimit {
public:
  // `most`: how many transfers, or bytes, may be in flight at a time; 0: no limit
  explicit TransferLimit(uint64_t most) : most(most) {}

  bool isSet() const { return most > 0; }
  // The transfer that has to end before the next transfer may begin; nullopt if the next may begin at once.
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
  size_t first = 0; // index of the first transfer that may be in flight when the next begins
  uint64_t weight = 0;
};

} // namespace tilerig::compiler
