// A tensor of the host: element type, shape, bytes in row-major order.
//
// A Tensor is a value. Copies share their bytes until one of them is written to, and bytes may lie in a
// mapped file (or any other owner) that lives as long as a tensor shows them; writing then makes a copy
// first. So passing tensors about costs nothing, and a 10 GB file is opened without reading it. Rank 0 is a
// scalar, a dimension may be zero. Shapes from files go through make() and sizeBytesOf(), which refuse what
// does not fit; elsewhere memory that runs out is std::bad_alloc, as with any container.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/DType.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

using Shape = std::vector<int64_t>;

// More dimensions than any model has; what claims more is not a tensor.
inline constexpr size_t maxRank = 64;

// The number of bytes of such a tensor. Refuses negative dimensions, ranks above maxRank, and shapes whose
// size overflows, also when another dimension is zero: strides are computed without looking.
Result<size_t> sizeBytesOf(DType type, const Shape &shape);
// "[2, 3, 4]", the way shapes are shown to people.
std::string showShape(const Shape &shape);

// Tensor::view copies what is smaller.
inline constexpr size_t viewFromBytes = 1 << 20;

class Tensor {
public:
  // No elements, of type float32.
  Tensor() = default;
  // Zeros, for shapes the caller knows to be sound; sizes from outside go through make().
  Tensor(DType type, Shape shape);

  // Zeros; refused when the shape is impossible or the memory is not there.
  static Result<Tensor> make(DType type, Shape shape);
  // As make(), with any content: for a caller that writes every byte.
  static Result<Tensor> makeUninitialised(DType type, Shape shape);
  // Shows `bytes`, which must be exactly as many as the shape needs and live as long as `owner`. Copies them
  // instead when nobody owns them, when they are not aligned for their type, and when they are fewer than
  // viewFromBytes, so that little tensors do not depend on what happens to a file.
  static Result<Tensor> view(DType type, Shape shape, std::span<const std::byte> bytes,
                             std::shared_ptr<const void> owner);
  // The given elements, which must be as many as the shape has.
  template <class T>
  static Tensor of(Shape shape, std::initializer_list<T> elements);
  template <class T>
  static Tensor scalar(T element) {
    return of<T>({}, {element});
  }

  DType dtype() const { return type; }
  const Shape &shape() const { return dims; }
  size_t rank() const { return dims.size(); }
  size_t elementCount() const { return byteCount / tilerig::sizeBytes(type); }
  size_t sizeBytes() const { return byteCount; }
  // Elements to step over for one step in each dimension.
  std::vector<int64_t> strides() const;
  // The bytes belong to someone else, a mapped file usually.
  bool isView() const { return byteCount && !owned; }

  std::span<const std::byte> bytes() const { return {storage.get(), byteCount}; }
  // To be written to: first makes the bytes this tensor's alone.
  std::span<std::byte> mutableBytes();

  // The elements; T must be the C++ type of dtype().
  template <class T>
  std::span<const T> as() const {
    assert(type == dtypeOf<T>);
    return {reinterpret_cast<const T *>(storage.get()), elementCount()};
  }
  template <class T>
  std::span<T> mutableAs() {
    assert(type == dtypeOf<T>);
    return {reinterpret_cast<T *>(mutableBytes().data()), elementCount()};
  }
  // As as(), for a type that the caller does not know: refused in words when it is another.
  template <class T>
  Result<std::span<const T>> tryAs() const {
    CHECK_OK(expectType(dtypeOf<T>));
    return as<T>();
  }

  // The same bytes in another shape of as many elements.
  Result<Tensor> reshaped(Shape shape) const;
  // The same bits as another type of the same size: uint16 of a file that the model says are bfloat16.
  Result<Tensor> reinterpreted(DType type) const;

private:
  Status expectType(DType wanted) const;

  DType type = DType::f32;
  bool owned = true;
  Shape dims = {0};
  size_t byteCount = 0;
  std::shared_ptr<const std::byte> storage;
};

// Same type, shape and bits: NaN equals the same NaN, and -0 differs from +0.
bool identical(const Tensor &left, const Tensor &right);

// Values of bool are 0 and 1; anything else in a file is refused before C++ gets to see it.
Status checkBools(const Tensor &tensor, const std::string &place);

template <class T>
Tensor Tensor::of(Shape shape, std::initializer_list<T> elements) {
  Tensor tensor(dtypeOf<T>, std::move(shape));
  assert(tensor.elementCount() == elements.size());
  std::copy(elements.begin(), elements.end(), tensor.mutableAs<T>().begin());
  return tensor;
}

} // namespace tilerig
