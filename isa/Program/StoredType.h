// The types in which a program stores the elements of its tensors (field `stored_type` of the metadata).
#pragma once

#include "isa/Instructions/Types.h"
#include "isa/Program/Program.h"

#include <optional>

namespace tilerig {

// Stored type of tensors that only the host reads and writes: each element is stored as the bytes of the type
// that it has in the model. So the machine can keep tensors of types that its instructions do not know.
inline constexpr std::string_view rawStoredType = "raw";
inline bool isRaw(const proto::Tensor &tensor) { return tensor.stored_type() == rawStoredType; }

// The machine's type in which the elements of a tensor are stored. Empty for a raw tensor, and if the machine
// has no such type.
std::optional<ElementType> storedTypeOf(const proto::Tensor &tensor);
// Number of bytes of a stored element; 0 if there is no such type.
unsigned storedBytes(const proto::Tensor &tensor);

} // namespace tilerig
