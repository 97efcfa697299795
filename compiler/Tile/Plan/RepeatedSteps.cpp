#include "compiler/Tile/Plan/RepeatedSteps.h"

#include <algorithm>

namespace tilerig::compiler {

namespace {

void extend(StepRange &range, size_t last) {
  range.period = last - range.last;
  range.last = last;
}

bool areAlike(const DeviceNetwork &network, size_t step, size_t other) {
  const auto *one = std::get_if<DeviceOp>(&network.steps[step]),
             *two = std::get_if<DeviceOp>(&network.steps[other]);
  return one && two && one->kind == two->kind && one->action.index() == two->action.index() &&
         network.tensors[one->result].shape == network.tensors[two->result].shape;
}

} // namespace

std::vector<StepRange> repeatedRanges(const DeviceNetwork &network) {
  std::map<const void *, StepRange> users; // the first and the last product with a factor
  for (size_t step = 0; step < network.steps.size(); ++step)
    if (const auto *deviceOp = std::get_if<DeviceOp>(&network.steps[step]);
        deviceOp && deviceOp->kind == DeviceOpKind::matmul)
      for (const Operand &operand : deviceOp->operands)
        if (const auto &bytes = network.tensors[operand.tensor].bytes)
          extend(users.try_emplace(bytes.get(), StepRange{step, step}).first->second, step);
  std::vector<StepRange> ranges;
  for (const auto &[bytes, range] : users)
    if (range.first < range.last)
      ranges.push_back(range);
  std::ranges::sort(ranges, {}, &StepRange::first);
  std::vector<StepRange> merged;
  for (const StepRange &range : ranges)
    if (!merged.empty() && range.first < merged.back().last) {
      merged.back().last = std::max(merged.back().last, range.last);
      merged.back().period = std::max(merged.back().period, range.period);
    } else {
      merged.push_back(range);
    }
  return merged;
}

std::vector<StepRange> rangesOfWholeSteps(const DeviceNetwork &network) {
  const auto isNoProduct = [&](size_t step) {
    const auto *deviceOp = std::get_if<DeviceOp>(&network.steps[step]);
    return deviceOp && deviceOp->kind != DeviceOpKind::matmul;
  };
  std::vector<StepRange> ranges = repeatedRanges(network);
  size_t end = 0; // of the range before
  for (StepRange &range : ranges) {
    while (range.first > end && isNoProduct(range.first - 1))
      --range.first;
    while (range.last + 1 < network.steps.size() && isNoProduct(range.last + 1) &&
           areAlike(network, range.last + 1, range.last + 1 - range.period))
      ++range.last;
    end = range.last + 1;
  }
  return ranges;
}

std::vector<bool> repeatedSteps(const DeviceNetwork &network) {
  return stepsIn(repeatedRanges(network), network);
}

std::vector<bool> stepsIn(std::span<const StepRange> ranges, const DeviceNetwork &network) {
  std::vector<bool> repeated(network.steps.size());
  for (const StepRange &range : ranges)
    std::fill(repeated.begin() + static_cast<std::ptrdiff_t>(range.first),
              repeated.begin() + static_cast<std::ptrdiff_t>(range.last) + 1, true);
  return repeated;
}

} // namespace tilerig::compiler
