// Memory for what an operator works with beside its tensors.
#pragma once

#include "isa/Tensor/MemoryBudget.h"

#include <new>

namespace tilerig::reference {

// Elements without values, aligned for vectors and charged to the run's limit on memory. Where that would be
// passed it is std::bad_alloc, which the run tells with the node.
template <class T>
class Scratch {
public:
  explicit Scratch(int64_t size) : count(size) {
    if (size && !(storage = allocateStorage(static_cast<size_t>(size) * sizeof(T))))
      throw std::bad_alloc();
  }
  T *data() const { return reinterpret_cast<T *>(storage.get()); }
  int64_t size() const { return count; }
  T &operator[](int64_t index) const { return data()[index]; }
  T *begin() const { return data(); }
  T *end() const { return data() + count; }

private:
  int64_t count;
  std::shared_ptr<std::byte> storage;
};

} // namespace tilerig::reference
