// Finds the instruction that wrote a wrong element of a tensor.
#pragma once

#include "isa/Base/Support/Json.h"
#include "isa/Base/Tensor/Tensor.h"
#include "isa/Program/Program.h"

#include <optional>

namespace tilerig::verify {

// An instruction, and the range of instructions of the same kind (with the same mnemonic) around it.
struct WrongPlace {
  std::string stage, engine, primitive; // the primitive is the instruction's mnemonic
  uint32_t tile = 0;
  uint32_t begin = 0, end = 0; // the range begin .. end - 1; all are of the same layer
  uint32_t instruction = 0;
};
Json asJson(const WrongPlace &place);
WrongPlace placeFromJson(const Json &json);

// The last instruction of the tensor's layer that writes the first element in which two versions of a stored tensor
// differ. Nothing if the host writes it, or if no instruction of the layer does.
std::optional<WrongPlace> findWrongPlace(const Program &program, const proto::Tensor &placement,
                                         const Tensor &right, const Tensor &wrong);

} // namespace tilerig::verify
