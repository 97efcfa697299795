// Which bytes of each memory are initialised when a stage begins, computed from the program alone.
#pragma once

#include "isa/Analyser/Constants.h"
#include "isa/Order/ByteSet.h"
#include "isa/Order/Pieces.h"

#include <string_view>

namespace tilerig {

inline const proto::Tensor *findTensor(const Program &program, std::string_view name) {
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.name() == name)
      return &tensor;
  return nullptr;
}

// Adds the bytes of those pieces of a tensor that lie in DDR.
void addTensor(const proto::Tensor &tensor, ByteSet &ddr);
// Adds the input tensors, which the host writes before the first inference stage.
void addInputs(const Program &program, ByteSet &ddr);
// All bytes written before `stage` begins, by memory, assuming that all earlier stages terminate.
std::vector<ByteSet> initialisedBefore(const Program &program, const Constants &constants, uint32_t stage);

} // namespace tilerig
