// The elements of an ONNX TensorProto in one of its lists of numbers: float_data, int32_data and so on.
//
// A message is walked twice, because a list may come before the shape, and in pieces. The first walk counts
// the numbers; the second decodes them into a tensor, after its size was found to be as many.
#pragma once

#include "isa/Tensor/Tensor.h"
#include "isa/Tensor/Wire.h"

#include <span>

namespace tilerig {

class TypedList {
public:
  // Whether a field with this number is part of a list.
  static bool has(uint32_t fieldNumber);
  // Counts its numbers. Refuses a second kind of list.
  Status count(const WireField &field);
  bool empty() const { return numbers == 0; }

  // The tensor, from the message whose fields were counted.
  Result<Tensor> decode(std::span<const std::byte> message, DType type, const Shape &shape) const;

private:
  uint32_t fieldNumber = 0;
  uint64_t numbers = 0;
};

Error wrongEncoding(const char *name);

// Calls each(number) for the numbers of a varint field, packed or not.
template <class Each>
Status forEachVarint(const WireField &field, const char *name, Each each) {
  if (field.type == WireType::varint)
    return each(field.value);
  if (field.type != WireType::bytes)
    return wrongEncoding(name);
  for (WireReader packed(field.bytes); !packed.atEnd();) {
    TRY(uint64_t value, packed.varint());
    CHECK_OK(each(value));
  }
  return success();
}

} // namespace tilerig
