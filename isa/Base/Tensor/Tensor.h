// A tensor on the host: element type, shape, and bytes in row-major order.
//
// A Tensor is a value type with copy-on-write: copies share their bytes until one of them is written. The
// bytes may lie in a mapped file (or belong to any other owner), which lives as long as a tensor refers to
// it; writing then makes a copy first. So passing tensors is cheap, and a 10 GB file is opened without
// reading it. Rank 0 is a scalar; a dimension may be 0. Shapes from files must go through make() and
// sizeBytesOf(), which return an error for an invalid or too large shape. Elsewhere, lack of memory throws
// std::bad_alloc, as with any container.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/DType.h"

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

// Upper limit of the rank, far above that of any model; higher ranks are refused.
inline constexpr size_t maxRank = 64;

// Size in bytes of a tensor of that type and shape. Refuses negative dimensions, ranks above maxRank, and
// shapes whose size overflows, even if another dimension is 0, because strides are computed without overflow
// checks.
Result<size_t> sizeBytesOf(DType type, const Shape &shape);
// Formats a shape for users: "[2, 3, 4]".
std::string showShape(const Shape &shape);

// Tensor::view copies the data if they have fewer bytes than this.
inline constexpr size_t viewFromBytes = 1 << 20;

class Tensor {
public:
  // An empty tensor of type float32.
  Tensor() = default;
  // A tensor of zeros, for shapes that are known to be valid; shapes from outside must go through make().
  Tensor(DType type, Shape shape);

  // A tensor of zeros; an error if the shape is invalid or there is no memory.
  static Result<Tensor> make(DType type, Shape shape);
  // Like make(), with undefined content: for a caller that writes every byte.
  static Result<Tensor> makeUninitialised(DType type, Shape shape);
  // A view of `bytes`, whose number must match the shape. `owner` owns the bytes, and the tensor keeps it
  // alive. The data are copied if there is no owner, if they are not aligned for the type, or if there are
  // fewer bytes than viewFromBytes.
  static Result<Tensor> view(DType type, Shape shape, std::span<const std::byte> bytes,
                             std::shared_ptr<const void> owner);
  // A tensor of the given elements, whose number must match the shape.
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
  // The strides of the tensor in elements.
  std::vector<int64_t> strides() const;
  // Whether the bytes belong to another owner, usually a mapped file.
  bool isView() const { return byteCount && !owned; }

  std::span<const std::byte> bytes() const { return {storage.get(), byteCount}; }
  // The bytes of the tensor, for writing; makes a copy first if they are shared or belong to another owner.
  std::span<std::byte> mutableBytes();

  // The elements of the tensor. T must be the C++ type of dtype().
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
  // The elements of the tensor, or an error if T is not the C++ type of dtype().
  template <class T>
  Result<std::span<const T>> tryAs() const {
    TILERIG_CHECK_OK(expectType(dtypeOf<T>));
    return as<T>();
  }

  // A tensor of the same bytes with another shape of equally many elements.
  Result<Tensor> reshaped(Shape shape) const;
  // A tensor of the same bits as another type of equal size, for example uint16 data of a file as the
  // bfloat16 of the model.
  Result<Tensor> reinterpreted(DType type) const;

private:
  Status expectType(DType wanted) const;

  DType type = DType::f32;
  bool owned = true;
  Shape dims = {0};
  size_t byteCount = 0;
  std::shared_ptr<const std::byte> storage;
};

// Whether type, shape and bits are equal: a NaN equals the same NaN, and -0 differs from +0.
bool identical(const Tensor &left, const Tensor &right);

// Checks that a bool tensor contains only 0 and 1; other values in a file would be undefined behaviour in
// C++.
Status checkBools(const Tensor &tensor, const std::string &place);

template <class T>
Tensor Tensor::of(Shape shape, std::initializer_list<T> elements) {
  Tensor tensor(dtypeOf<T>, std::move(shape));
  assert(tensor.elementCount() == elements.size());
  std::copy(elements.begin(), elements.end(), tensor.mutableAs<T>().begin());
  return tensor;
}

} // namespace tilerig
