// The bytes of a constant, which are shared with their owner: a mapped model, a tensor or a buffer.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <memory>
#include <span>
#include <vector>

namespace tilerig::compiler {

// Null for tensors that are not constants.
using ConstantBytes = std::shared_ptr<const std::span<const std::byte>>;

// `owner` keeps `bytes` alive; moving `owner` must not change their address.
template <class Owner>
ConstantBytes ownedBytes(Owner owner, std::span<const std::byte> bytes) {
  struct Owned {
    Owner owner;
    std::span<const std::byte> bytes;
  };
  const auto owned = std::make_shared<const Owned>(Owned{std::move(owner), bytes});
  return {owned, &owned->bytes};
}
inline ConstantBytes constantBytes(std::vector<std::byte> buffer) {
  const std::span<const std::byte> bytes = buffer;
  return ownedBytes(std::move(buffer), bytes);
}
inline ConstantBytes constantBytes(Tensor tensor) {
  const std::span<const std::byte> bytes = tensor.bytes();
  return ownedBytes(std::move(tensor), bytes);
}

} // namespace tilerig::compiler
