#include "verify/Check/OtherProgram.h"

#include "isa/Base/Support/Printable.h"

#include <fmt/format.h>
#include <map>

namespace tilerig::verify {

namespace {

using TensorsByName = std::map<std::string_view, const proto::Tensor *>;

TensorsByName byName(const Program &program) {
  TensorsByName tensors;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    tensors.emplace(tensor.name(), &tensor);
  return tensors;
}

// A tensor's stored type in words: "int8 with scale 0.5 and zero point 3".
std::string describeStorage(const proto::Tensor &tensor) {
  return tensor.scale() == 0 ? tensor.stored_type()
                             : fmt::format("{} with scale {} and zero point {}", tensor.stored_type(),
                                           tensor.scale(), tensor.zero_point());
}

} // namespace

Status checkComparable(const Program &other, const std::string &path, const Program &compiled,
                       const std::string &model) {
  const TensorsByName theirs = byName(other), ours = byName(compiled);
  const auto sameName = [](const auto &left, const auto &right) { return left.first == right.first; };
  if (!std::ranges::equal(theirs, ours, sameName))
    return invalidInput(
        path, "the program has other tensors than the program that this check compiles from " + model,
        "compile the program from this model, with the options of this check");
  for (const auto &[name, tensor] : theirs) {
    const proto::Tensor &expected = *ours.at(name);
    if (tensor->stored_type() != expected.stored_type())
      return invalidInput(path,
                          fmt::format("the program stores tensor '{}' as {}, and this check expects {}",
                                      printable(name), tensor->stored_type(), expected.stored_type()),
                          "check it with the --precision that it was compiled with");
    if (tensor->scale() != expected.scale() || tensor->zero_point() != expected.zero_point())
      return invalidInput(
          path,
          fmt::format("the program was calibrated differently: it stores tensor '{}' as {}, and this check "
                      "expects {}",
                      printable(name), describeStorage(*tensor), describeStorage(expected)),
          "check it with the --calibration that it was compiled with");
  }
  return success();
}

} // namespace tilerig::verify
