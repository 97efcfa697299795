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

// Adds the bytes of a tensor's pieces in DDR to `ddr`, the set of initialised bytes.
void addTensor(const proto::Tensor &tensor, ByteSet &ddr);
// Adds the bytes of the program's inputs to `ddr`, the set of initialised bytes. The host writes the inputs
// before the first inference stage.
void addInputs(const Program &program, ByteSet &ddr);
// For each memory, all bytes that are written before `stage` begins, assuming that all earlier stages
// terminate.
std::vector<ByteSet> initialisedBefore(const Program &program, const Constants &constants, uint32_t stage);

} // namespace tilerig
