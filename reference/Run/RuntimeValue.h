// What a value of a graph holds during a run: a tensor, or a sequence of tensors.
//
// Sequences exist only inside of models: inputs and outputs of a model are tensors. ONNX's third kind, optional
// values, is not supported.
#pragma once

#include "isa/Base/Tensor/Tensor.h"
#include "reference/Run/Scratch.h"

#include <array>
#include <variant>

namespace tilerig::reference {

// A list of tensors of one element type, whose shapes may differ. Copies share the list.
class Sequence {
public:
  // An empty sequence, to which add() appends up to `length` tensors. The list is charged to the memory limit,
  // because a tensor of no elements can be split into any number of parts. Throws std::bad_alloc or
  // std::length_error if it is too long.
  explicit Sequence(DType type, size_t length = 0)
      : elementType(type), list(std::make_shared<List>(length)) {}
  // Appends a tensor of the sequence's type. Only for a sequence that has not been copied.
  void add(Tensor tensor) {
    assert(tensor.dtype() == elementType && list.use_count() == 1);
    list->tensors.push_back(std::move(tensor));
  }

  DType type() const { return elementType; }
  const std::vector<Tensor> &tensors() const { return list->tensors; }

private:
  struct List {
    explicit List(size_t length) : charge(chargeFor(length)) { tensors.reserve(length); }
    std::vector<Tensor> tensors;
    // Memory as large as the list with the shapes of its tensors, which is not written.
    Scratch<std::array<std::byte, 2 * sizeof(Tensor)>> charge;

  private:
    int64_t chargeFor(size_t length) const {
      if (length > tensors.max_size() / 2)
        throw std::length_error("sequence");
      return static_cast<int64_t>(length);
    }
  };

  DType elementType;
  std::shared_ptr<List> list;
};

using RuntimeValue = std::variant<Tensor, Sequence>;

inline std::vector<RuntimeValue> asValues(std::vector<Tensor> tensors) {
  return {std::make_move_iterator(tensors.begin()), std::make_move_iterator(tensors.end())};
}

} // namespace tilerig::reference
