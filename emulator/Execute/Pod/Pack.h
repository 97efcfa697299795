// Weights that are packed once and used by every instruction that multiplies with them.
#pragma once

#include "emulator/Execute/View.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

namespace tilerig {

// Keyed by what decides the packed bytes: where constant weights lie, their shape, and the zero point.
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

  // The bytes for this key, made by `make` if nobody has.
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  Bytes find(const Key &key, const std::function<std::vector<std::byte>()> &make) {
    std::lock_guard lock(mutex);
    Bytes &bytes = packed[key];
    if (!bytes)
      bytes = std::make_shared<const std::vector<std::byte>>(make());
    return bytes;
  }

private:
  std::mutex mutex;
  std::map<Key, Bytes> packed;
};

} // namespace tilerig
