// What happens to accumulators before they are stored: one position's outputs at a time.
#pragma once

#include "emulator/Execute/Prepare.h"
#include "isa/Instructions/CheckTypes.h"

namespace tilerig::pod {

class EpilogueRunner {
public:
  EpilogueRunner() = default;
  // `outputs` of an instruction; operands of `epilogue` lie where `places` says.
  EpilogueRunner(const Epilogue &epilogue, rules::Arithmetic arithmetic, View output, unsigned tile,
                 const Places &places);

  // What the accumulators of the output row at `at` start from.
  void start(Index4 at, std::span<int32_t> acc) const;
  void start(Index4 at, std::span<float> acc) const;
  // Stores them; `acc` is used up.
  void finish(Index4 at, std::span<int32_t> acc, Scratch &scratch) const;
  void finish(Index4 at, std::span<float> acc, Scratch &scratch) const;

private:
  template <class T>
  void startFrom(Index4 at, std::span<T> acc) const;
  void finishQuantised(Index4 at, std::span<int32_t> acc, Scratch &scratch) const;
  void addQuantised(Index4 at, std::span<int32_t> acc, Scratch &scratch) const;
  void finishReals(Index4 at, std::span<float> y, Scratch &scratch) const;
  void scaled(std::span<const int32_t> acc, std::span<float> y) const;

  Epilogue it;
  rules::Arithmetic arithmetic = rules::Arithmetic::podInteger;
  View output, accumulateFrom, addend;
  const std::byte *bias = nullptr, *scale = nullptr, *table = nullptr;
};

} // namespace tilerig::pod
