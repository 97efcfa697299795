// Decodes the elements of an ONNX TensorProto from its typed lists: float_data, int32_data and so on. The
// message is read twice, because a list may precede the shape and may be split into several fields. The first
// pass counts the numbers. If the count matches the shape, the second pass decodes them into a tensor.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "isa/Base/Tensor/Wire.h"

#include <span>

namespace tilerig {

class TypedList {
public:
  // Whether the field with this number is one of the typed lists.
  static bool has(uint32_t fieldNumber);
  // Counts the numbers in a field that belongs to a typed list. Refuses a message with two different lists.
  Status count(const WireField &field);
  bool empty() const { return numbers == 0; }

  // Decodes the tensor from the encoded message. Before, count() must have been called for all fields that
  // hold its elements.
  Result<Tensor> decode(std::span<const std::byte> message, DType type, const Shape &shape) const;

private:
  uint32_t fieldNumber = 0;
  uint64_t numbers = 0;
};

Error wrongEncoding(const char *name);

// Calls each(number) for all numbers of a field of type varint, packed or not.
template <class Each>
Status forEachVarint(const WireField &field, const char *name, Each each) {
  if (field.type == WireType::varint)
    return each(field.value);
  if (field.type != WireType::bytes)
    return wrongEncoding(name);
  for (WireReader packed(field.bytes); !packed.atEnd();) {
    TILERIG_TRY(uint64_t value, packed.varint());
    TILERIG_CHECK_OK(each(value));
  }
  return success();
}

} // namespace tilerig
