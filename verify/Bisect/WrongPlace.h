// Finds the instruction that made an element of a tensor wrong.
//
// The last instruction of the layer that wrote the element is found by its operands. If it only moves elements, the one that
// it read is looked at: the program runs once more, and the element is captured in the on-chip memory just before the
// move. If it is right there, the move is wrong; otherwise the instruction that wrote it there is the next to look at.
#pragma once

#include "isa/Base/Support/Json.h"
#include "verify/Check/Device.h"

#include <optional>

namespace tilerig::verify {

// An instruction, and the range of instructions of the same kind (with the same mnemonic) around it.
struct WrongPlace {
  std::string stage, engine, primitive; // the primitive is the instruction's mnemonic
  uint32_t tile = 0;
  uint32_t begin = 0, end = 0; // the range begin .. end - 1; all are of the same layer
  uint32_t instruction = 0;
  std::string text; // of the instruction, as in assembly text
};
Json asJson(const WrongPlace &place);
WrongPlace placeFromJson(const Json &json);

// A run in which a tensor was wrong.
struct WrongRun {
  const Program &program;
  const TensorMap &inputs;
  const DeviceOptions &options;
};

// The instruction that made the first element wrong in which two versions of a stored tensor differ. Nothing if the host
// writes it, or if no instruction of the tensor's layer does. Moves are followed only in programs that are proved free of
// races; otherwise the last writer is the result.
Result<std::optional<WrongPlace>> findWrongPlace(const WrongRun &run, const proto::Tensor &placement,
                                                 const Tensor &right, const Tensor &wrong);

} // namespace tilerig::verify
