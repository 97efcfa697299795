// A cache of packed weights, shared by all instructions that multiply with the same weights.
#pragma once

#include "emulator/Execute/View.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace tilerig::emulator {

// Maps keys to packed weights. A key is everything that determines the packed weights: the address of the
// constant weights, their shape, the zero point, and the layout. A layout implies the type of the packed
// data.
class PackCache {
public:
  struct Key {
    const std::byte *data;
    ElementType type;
    std::array<std::pair<uint32_t, uint32_t>, 5> dims;
    int32_t zeroPoint;
    uint32_t layout;
    auto operator<=>(const Key &) const = default;
  };
  static Key keyOf(const View &view, int32_t zeroPoint, uint32_t layout) {
    Key key{view.data, view.type, {}, zeroPoint, layout};
    for (unsigned d = 0; d < 5; ++d)
      key.dims[d] = {view.dims[d].size, view.dims[d].stride};
    return key;
  }

  // Returns the packed weights (of type T) for the key; make() packs them at the first call.
  template <class Make>
  auto find(const Key &key, Make make) {
    using T = decltype(make());
    std::lock_guard lock(mutex);
    std::shared_ptr<const void> &known = packed[key];
    if (!known)
      known = std::make_shared<const T>(make());
    return std::static_pointer_cast<const T>(known);
  }
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;

private:
  std::mutex mutex;
  std::map<Key, std::shared_ptr<const void>> packed;
};

} // namespace tilerig::emulator
