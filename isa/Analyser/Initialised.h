// What is initialised when a stage begins, from the program alone.
#pragma once

#include "isa/Analyser/ByteSet.h"
#include "isa/Analyser/Constants.h"
#include "isa/Analyser/Pieces.h"

#include <string_view>

namespace tilerig {

inline const proto::Tensor *findTensor(const Program &program, std::string_view name) {
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.name() == name)
      return &tensor;
  return nullptr;
}

// Adds the pieces of a tensor that lie in DDR.
void addTensor(const proto::Tensor &tensor, ByteSet &ddr);
// Adds the tensors that the host writes before the first inference stage.
void addInputs(const Program &program, ByteSet &ddr);
// All that is written before that stage begins, by memory, if the stages before it come to their ends.
std::vector<ByteSet> initialisedBefore(const Program &program, const Constants &constants, uint32_t stage);

} // namespace tilerig
