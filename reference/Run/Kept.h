// A node's cache of a prepared constant (such as packed weights) across runs.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <memory>
#include <mutex>
#include <typeindex>

namespace tilerig::reference {

// Makes the value once for a tensor, and again if the tensor changes. Holding the tensor prevents its
// modification.
class Kept {
public:
  template <class T, class Make>
  std::shared_ptr<const T> get(const Tensor &of, Make make) {
    std::lock_guard lock(mutex);
    bool same = value && type == typeid(T) && source.dtype() == of.dtype() && source.shape() == of.shape() &&
                source.bytes().data() == of.bytes().data();
    if (!same) {
      value = std::make_shared<T>(make());
      type = typeid(T);
      source = of;
    }
    return std::static_pointer_cast<const T>(value);
  }

private:
  std::mutex mutex;
  Tensor source;
  std::type_index type = typeid(void);
  std::shared_ptr<const void> value;
};

} // namespace tilerig::reference
