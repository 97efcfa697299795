#include "verify/Check/MissingClip.h"

#include <algorithm>
#include <limits>

namespace tilerig::verify {

namespace {

bool narrowsWithoutClip(const Instruction &instruction) {
  return std::visit(
      [](const auto &typed) {
        if constexpr (requires { typed.clip; })
          return typed.source.type == ElementType::i9 && typed.destination.type != ElementType::i9 &&
                 !typed.clip;
        else
          return false;
      },
      instruction);
}

bool narrowsWithoutClip(const Program &program, uint32_t layer) {
  for (const Stage &stage : program.stages)
    if (const auto *device = std::get_if<DeviceStage>(&stage.work))
      for (const std::vector<Instruction> &code : device->tiles)
        if (std::ranges::any_of(code, [&](const Instruction &instruction) {
              return layerOf(instruction) == layer && narrowsWithoutClip(instruction);
            }))
          return true;
  return false;
}

// Whether a value was stored without clipping: the reference is an end of the 8-bit range, and the target has
// the low eight bits of a value just beyond this end.
template <class T>
bool hasWrapped(T reference, T target) {
  constexpr int low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  const int above = target + 256, below = target - 256;
  return (reference == high && above > high && above <= 255) ||
         (reference == low && below < low && below >= -256);
}

template <class T>
bool allHaveWrapped(const Tensor &reference, const Tensor &target) {
  const auto from = reference.as<T>(), to = target.as<T>();
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[i] && !hasWrapped(from[i], to[i]))
      return false;
  return true;
}

} // namespace

bool lacksClip(const Program &program, const std::string &tensor, const Tensor &reference,
               const Tensor &target) {
  const auto placement = std::ranges::find(program.metadata.tensors(), tensor, &proto::Tensor::name);
  if (placement == program.metadata.tensors().end() || reference.dtype() != target.dtype() ||
      reference.shape() != target.shape() || !narrowsWithoutClip(program, placement->layer()))
    return false;
  return reference.dtype() == DType::i8   ? allHaveWrapped<int8_t>(reference, target)
         : reference.dtype() == DType::u8 ? allHaveWrapped<uint8_t>(reference, target)
                                          : false;
}

} // namespace tilerig::verify
