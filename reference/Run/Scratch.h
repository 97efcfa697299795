// Scratch memory of an operator, besides its tensors.
#pragma once

#include "isa/Base/Tensor/MemoryBudget.h"

#include <new>

namespace tilerig::reference {

// An uninitialised array, aligned for vectors and charged to the run's memory limit. If the limit would be
// exceeded it throws std::bad_alloc, which the run reports as an error of the node.
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
