#include "isa/Timing/Host.h"

#include <algorithm>
#include <array>
#include <bit>

namespace tilerig {

namespace {

using Shapes = HostOperator::Shapes;

uint64_t countOf(const std::vector<int64_t> &shape) {
  uint64_t count = 1;
  for (const int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  return count;
}

// A sort of every element.
uint64_t sorting(Shapes inputs, Shapes) {
  const uint64_t elements = countOf(inputs[0]);
  return elements * (1 + std::bit_width(elements));
}

// Every box against every other one.
uint64_t comparingBoxes(Shapes inputs, Shapes) {
  const uint64_t boxes = inputs[1].empty() ? 0 : static_cast<uint64_t>(inputs[1].back());
  return 8 * countOf(inputs[1]) * boxes;
}
uint64_t touching(Shapes inputs, Shapes) { return 2 * countOf(inputs[0]); }

// A copy, a few steps for the place of each.
uint64_t picking(Shapes, Shapes outputs) { return 4 * countOf(outputs[0]); }
uint64_t putting(Shapes inputs, Shapes) { return countOf(inputs[0]) + 4 * countOf(inputs[2]); }

// Every weight for every step and batch.
uint64_t multiplyingSteps(Shapes inputs, Shapes) {
  const std::vector<int64_t> &x = inputs[0];
  return x.size() < 2 ? 0 : static_cast<uint64_t>(x[0] * x[1]) * (countOf(inputs[1]) + countOf(inputs[2]));
}

constexpr std::array operators = {
    HostOperator{"GRU", multiplyingSteps},
    HostOperator{"GatherElements", picking},
    HostOperator{"GatherND", picking},
    HostOperator{"LSTM", multiplyingSteps},
    HostOperator{"NonMaxSuppression", comparingBoxes, 0},
    HostOperator{"NonZero", touching, 1},
    HostOperator{"RNN", multiplyingSteps},
    HostOperator{"ReverseSequence", touching},
    HostOperator{"ScatterElements", putting},
    HostOperator{"ScatterND", putting},
    HostOperator{"TopK", sorting},
};

constexpr uint64_t divideUp(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

} // namespace

uint64_t hostNanoseconds(uint64_t bytesInAndOut, uint64_t operations) {
  const HostFigures &it = hostFigures;
  return it.callNanoseconds + 2 * it.transferNanoseconds +
         divideUp(bytesInAndOut * 1000, it.linkBytesPerMicrosecond) +
         divideUp(operations * 1000, it.operationsPerMicrosecond);
}

std::span<const HostOperator> hostOperators() { return operators; }

const HostOperator *findHostOperator(std::string_view name) {
  const auto row = std::ranges::find(operators, name, &HostOperator::name);
  return row == operators.end() ? nullptr : &*row;
}

} // namespace tilerig
