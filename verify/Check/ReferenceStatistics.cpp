#include "verify/Check/ReferenceStatistics.h"

#include <fmt/core.h>

namespace tilerig::verify {

Result<compiler::StatisticsByName> ReferenceStatistics::statistics(std::span<const std::string> tensors) {
  compiler::StatisticsByName result;
  for (const std::string &name : tensors)
    result.try_emplace(name);
  for (size_t sample = 0; sample < samples.size(); ++sample) {
    const std::string place = fmt::format("calibration with sample {} of {}", sample, description);
    auto values = model.run(samples[sample]);
    if (!values)
      return values.error().within(place);
    for (auto &[name, statistics] : result) {
      const Tensor *value = values->find(name);
      if (!value)
        return internalError(place, fmt::format("the model to calibrate does not compute tensor '{}'", name));
      if (const Status added = statistics.add(*value); !added)
        return added.error().within(fmt::format("{}: tensor '{}'", place, name));
    }
  }
  return result;
}

} // namespace tilerig::verify
