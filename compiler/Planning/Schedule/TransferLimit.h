// Limit of transfers in flight: at most a given number of transfers at a time, and about a given number of bytes.
// Once the limit is reached, each new transfer waits for the end of an earlier one. It waits for one only: behind a
// large transfer, which takes the place of several, those before this one may still be in flight.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tilerig::compiler {

// How many transfers, and how many bytes of them, may be in flight at a time; 0: no limit.
struct MostInFlight {
  uint64_t transfers = 0, bytes = 0;
  // This many transfers may be in flight even if they have more than `bytes` bytes.
  uint64_t always = 0;
  bool isSet() const { return transfers > 0 || bytes > 0; }
  bool operator==(const MostInFlight &) const = default;
};

class TransferLimit {
public:
  explicit TransferLimit(const MostInFlight &most) : most(most) {}

  bool isSet() const { return most.isSet(); }
  // The transfer that has to end before the next transfer may begin; nullopt if the next may begin at once.
  std::optional<uint32_t> before() const {
    return first > 0 ? std::optional(begun[first - 1].task) : std::nullopt;
  }
  void begin(uint32_t task, uint64_t itsBytes) {
    begun.push_back({task, itsBytes});
    bytes += itsBytes;
    while (isReached())
      bytes -= begun[first++].bytes;
  }

private:
  struct Begun {
    uint32_t task;
    uint64_t bytes;
  };
  // Whether no other transfer may begin while all from `first` on are in flight.
  bool isReached() const {
    const size_t number = begun.size() - first;
    return (most.transfers > 0 && number >= most.transfers) ||
           (most.bytes > 0 && bytes >= most.bytes && number >= most.always);
  }

  MostInFlight most;
  std::vector<Begun> begun;
  size_t first = 0;   // index of the first transfer that may be in flight when the next begins
  uint64_t bytes = 0; // of the transfers from `first` on
};

} // namespace tilerig::compiler
