#include "reference/Ops/StridedCopy.h"

#include "reference/Ops/Axes.h"
#include "reference/Ops/ElementOfSize.h"

#include <cstring>

namespace tilerig::reference {

namespace {

// Returns a view of the same elements with fewer dimensions: dimensions of size 1 are dropped, and contiguous
// ones are merged.
StridedView simplified(const StridedView &view) {
  StridedView result;
  result.offset = view.offset;
  for (size_t d = 0; d < view.shape.size(); ++d) {
    if (view.shape[d] == 1)
      continue;
    if (!result.shape.empty() && result.strides.back() == view.strides[d] * view.shape[d]) {
      result.shape.back() *= view.shape[d];
      result.strides.back() = view.strides[d];
    } else {
      result.shape.push_back(view.shape[d]);
      result.strides.push_back(view.strides[d]);
    }
  }
  if (result.shape.empty()) {
    result.shape.push_back(1);
    result.strides.push_back(1);
  }
  return result;
}

template <class Element>
void copyRow(const Element *from, int64_t stride, Element *to, int64_t size) {
  if (stride == 1)
    std::memcpy(to, from, size * sizeof(Element));
  else
    for (int64_t i = 0; i < size; ++i)
      to[i] = from[i * stride];
}

template <class Element>
void copyElements(const Element *from, Element *to, const StridedView &view, Threads &threads) {
  int64_t inner = view.shape.back(), innerStride = view.strides.back();
  int64_t rows = product(std::span(view.shape).first(view.shape.size() - 1));
  auto rowStart = [&](int64_t row) {
    int64_t start = view.offset;
    for (size_t d = view.shape.size() - 1; d-- > 0; row /= view.shape[d])
      start += row % view.shape[d] * view.strides[d];
    return start;
  };
  constexpr int64_t grain = 1 << 15;
  threads.forEach(rows, std::max<int64_t>(1, grain / inner), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      copyRow(from + rowStart(row), innerStride, to + row * inner, inner);
  });
}

} // namespace

Result<Tensor> stridedCopy(const Tensor &input, const StridedView &view, Threads &threads) {
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(input.dtype(), view.shape));
  if (output.elementCount() == 0)
    return output;
  StridedView simple = simplified(view);
  withElementOfSize(sizeBytes(input.dtype()), [&]<class Element>() {
    copyElements(reinterpret_cast<const Element *>(input.bytes().data()),
                 reinterpret_cast<Element *>(output.mutableBytes().data()), simple, threads);
  });
  return output;
}

void insertBox(Tensor &whole, const Tensor &piece, const Shape &begin) {
  if (piece.elementCount() == 0)
    return;
  size_t element = sizeBytes(whole.dtype());
  std::vector<int64_t> strides = whole.strides();
  const Shape &shape = piece.shape();
  // Elements along the dimensions from `split` on are contiguous in the target tensor, so they are copied as
  // one run.
  size_t split = shape.size();
  int64_t run = 1;
  while (split > 0 && shape[split - 1] == whole.shape()[split - 1])
    run *= shape[--split];
  if (split > 0)
    run *= shape[--split];
  int64_t origin = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    origin += begin[d] * strides[d];
  std::byte *to = whole.mutableBytes().data();
  const std::byte *from = piece.bytes().data();
  int64_t rows = product(std::span(shape).first(split));
  for (int64_t row = 0; row < rows; ++row) {
    int64_t at = origin, rest = row;
    for (size_t d = split; d-- > 0; rest /= shape[d])
      at += rest % shape[d] * strides[d];
    std::memcpy(to + at * element, from + row * run * element, run * element);
  }
}

StridedView viewOf(const Tensor &tensor) { return {tensor.shape(), tensor.strides(), 0}; }

} // namespace tilerig::reference
