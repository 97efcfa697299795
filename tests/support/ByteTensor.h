// Adds a tensor of bytes in DDR to the metadata of a program.
#pragma once

#include "isa/Program/Program.h"

namespace tilerig::test {

// The tensor has `count` bytes, stored without gaps from `address` on.
inline void addByteTensor(Program &program, const char *name, proto::TensorRole role, uint64_t address,
                          uint32_t count) {
  proto::Tensor &tensor = *program.metadata.add_tensors();
  tensor.set_name(name);
  tensor.set_dtype("uint8");
  tensor.add_shape(count);
  tensor.set_role(role);
  tensor.set_stored_type("u8");
  proto::Piece &piece = *tensor.add_pieces();
  piece.set_ddr(true);
  piece.set_address(address);
  piece.add_begin(0);
  piece.add_extent(count);
  piece.add_stride(1);
}

} // namespace tilerig::test
