// A node's cache of a value that it computes from a constant (such as packed weights), kept across runs.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <memory>
#include <mutex>
#include <typeindex>

namespace tilerig::reference {

// Keeps one value that was computed from a tensor; get() computes the value again if it is called with
// another tensor. Kept holds a reference to the tensor, so that nobody modifies the tensor's bytes in place.
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
