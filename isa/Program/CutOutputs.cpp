#include "isa/Program/CutOutputs.h"

#include "isa/Base/Tensor/TakenElements.h"

#include <algorithm>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace tilerig {

namespace {

Result<Tensor> cut(const std::string &name, const Tensor &tensor, const Tensor &sizes) {
  // A program may store integers of 64 bits in 32.
  const Shape shape =
      sizes.dtype() == DType::i32   ? Shape(sizes.as<int32_t>().begin(), sizes.as<int32_t>().end())
      : sizes.dtype() == DType::i64 ? Shape(sizes.as<int64_t>().begin(), sizes.as<int64_t>().end())
                                    : Shape();
  if (shape.size() != tensor.rank())
    return invalidInput(fmt::format("output '{}'", name),
                        "its sizes are no list with one integer for each axis");
  for (size_t axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] < 0 || shape[axis] > tensor.shape()[axis])
      return invalidInput(fmt::format("output '{}'", name),
                          fmt::format("the run computed the shape [{}], but the program stores at most [{}]",
                                      fmt::join(shape, ", "), fmt::join(tensor.shape(), ", ")));
  return takenByStrides(tensor, shape, 0, tensor.strides());
}

} // namespace

std::string sizesOf(const Program &program, const std::string &name) {
  const auto &tensors = program.metadata.tensors();
  const auto tensor = std::ranges::find(tensors, name, &proto::Tensor::name);
  return tensor == tensors.end() ? std::string() : tensor->sizes();
}

Result<TensorMap> cutToSizes(const Program &program, TensorMap tensors, bool keepsSizes) {
  std::map<std::string_view, const std::string *> sizesOf;
  std::set<std::string_view> sizes;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (!tensor.sizes().empty()) {
      sizesOf[tensor.name()] = &tensor.sizes();
      sizes.insert(tensor.sizes());
    }
  if (sizesOf.empty())
    return tensors;
  TensorMap result;
  for (const NamedTensor &each : tensors) {
    if (!keepsSizes && sizes.contains(each.name))
      continue;
    const auto entry = sizesOf.find(each.name);
    if (entry == sizesOf.end()) {
      TILERIG_CHECK_OK(result.add(each.name, each.tensor));
      continue;
    }
    TILERIG_TRY(const Tensor *const values, tensors.get(*entry->second));
    TILERIG_TRY(Tensor part, cut(each.name, each.tensor, *values));
    TILERIG_CHECK_OK(result.add(each.name, std::move(part)));
  }
  return result;
}

} // namespace tilerig
