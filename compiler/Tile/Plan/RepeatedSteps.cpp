#include "compiler/Tile/Plan/RepeatedSteps.h"

#include <algorithm>

namespace tilerig::compiler {

std::vector<bool> repeatedSteps(const DeviceNetwork &network) {
  std::map<const void *, std::pair<size_t, size_t>> users; // the first and the last product with a factor
  for (size_t step = 0; step < network.steps.size(); ++step)
    if (const auto *deviceOp = std::get_if<DeviceOp>(&network.steps[step]);
        deviceOp && deviceOp->kind == DeviceOpKind::matmul)
      for (const Operand &operand : deviceOp->operands)
        if (const auto &bytes = network.tensors[operand.tensor].bytes)
          users.try_emplace(bytes.get(), step, step).first->second.second = step;
  std::vector<bool> repeated(network.steps.size());
  for (const auto &[bytes, range] : users)
    if (range.first < range.second)
      std::fill(repeated.begin() + static_cast<std::ptrdiff_t>(range.first),
                repeated.begin() + static_cast<std::ptrdiff_t>(range.second) + 1, true);
  return repeated;
}

} // namespace tilerig::compiler
