#include "emulator/Host/Kernels.h"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/core.h>

namespace tilerig {

namespace {

// A sort of every element.
uint64_t sorting(std::span<const Shape> inputs, std::span<const Shape>) {
  const uint64_t elements = countOf(inputs[0]);
  return elements * (1 + std::bit_width(elements));
}

constexpr std::array kernels = {
    HostKernel{"TopK", runTopK, sorting},
};

} // namespace

const HostKernel *findHostKernel(std::string_view name) {
  const auto row = std::ranges::find(kernels, name, &HostKernel::name);
  return row == kernels.end() ? nullptr : &*row;
}

uint64_t countOf(const Shape &shape) {
  uint64_t count = 1;
  for (int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  return count;
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
