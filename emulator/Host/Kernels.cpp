#include "emulator/Host/Kernels.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace tilerig {

namespace {

struct Row {
  std::string_view name;
  HostKernel kernel;
};
constexpr std::array rows = {Row{"TopK", runTopK}};

} // namespace

const HostKernel *findHostKernel(std::string_view name) {
  const auto row = std::ranges::find(rows, name, &Row::name);
  return row == rows.end() ? nullptr : &row->kernel;
}

Error HostCall::refuse(std::string what) const {
  return invalidInput(fmt::format("host kernel '{}'", work.kernel()), std::move(what));
}

Result<const Tensor *> HostCall::input(size_t index) const {
  if (index >= inputs.size() || !inputs[index])
    return refuse(fmt::format("input {} is missing", index));
  return inputs[index];
}

Result<int64_t> HostCall::integer(const std::string &attribute, std::optional<int64_t> fallback) const {
  const auto found = work.attributes().find(attribute);
  if (found == work.attributes().end() && fallback)
    return *fallback;
  if (found == work.attributes().end() || found->second.ints_size() != 1)
    return refuse(fmt::format("attribute '{}' is not one integer", attribute));
  return found->second.ints(0);
}

} // namespace tilerig
