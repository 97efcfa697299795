// A cache of packed weights, shared by all instructions that multiply with the same weights.
#pragma once

#include "emulator/Execute/View.h"
#include "isa/Base/Support/File.h"

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

  // Returns the packed weights (of type T) for the key; make() packs them at the first call. The pages of the program
  // file that hold the weights are given back then, since only the packed ones are used from now on.
  template <class Make>
  auto find(const Key &key, Make make) {
    using T = decltype(make());
    Entry &entry = entryOf(key);
    std::call_once(entry.isMade, [&] {
      entry.packed = std::make_shared<const T>(make());
      releasePages(bytesOf(key));
    });
    return std::static_pointer_cast<const T>(entry.packed);
  }

  // The same for weights that an instruction can also pack at each run. Returns null if all weights packed by this
  // function would exceed `mostBytes`, so that memory does not grow with the network.
  using Bytes = std::shared_ptr<const std::vector<std::byte>>;
  template <class Make>
  Bytes findWithinLimit(const Key &key, size_t size, Make make) {
    {
      std::lock_guard lock(mutex);
      if (!entries.contains(key)) {
        if (limitedBytes + size > mostBytes)
          return {};
        limitedBytes += size;
        entries[key];
      }
    }
    return find(key, make);
  }

private:
  static constexpr size_t mostBytes = size_t{1} << 30;

  // The bytes from the first element of the weights to the last.
  static std::span<const std::byte> bytesOf(const Key &key) {
    uint64_t size = sizeBytes(key.type);
    for (const auto &[count, stride] : key.dims)
      size += uint64_t{count - 1} * stride;
    return {key.data, size};
  }

  struct Entry {
    std::once_flag isMade;
    std::shared_ptr<const void> packed;
  };
  Entry &entryOf(const Key &key) {
    std::lock_guard lock(mutex);
    return entries[key];
  }

  std::mutex mutex;
  std::map<Key, Entry> entries;
  size_t limitedBytes = 0; // of the weights that findWithinLimit() has packed
};

} // namespace tilerig::emulator
