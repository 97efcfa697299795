// Broadcasting: the common shape of several tensors, and loops over it with long inner runs.
//
// Dimensions that all operands traverse with compatible strides are merged first, so that the usual cases
// (equal shapes, a scalar, a vector per channel) become one or two loops; the innermost stride is 0 or 1 for
// each operand.
#pragma once

#include "reference/Run/Operator.h"

#include <array>
#include <fmt/core.h>

namespace tilerig::reference {

// The shape that all of `shapes` broadcast to, by the rules of numpy.
Result<Shape> broadcastShape(const OpContext &context, std::span<const Shape> shapes);

// Runs an operator's kernel with its second input replaced by the tensor `second`.
Status withSecondInput(OpContext &context, Tensor second, Kernel kernel);

// Before opset 7, operators broadcast only their second input, and only with `broadcast` = 1: its dimensions
// are matched to those of the first input from `axis` on, or to the last ones. Runs `kernel` with the second
// input reshaped so that numpy broadcasting has the same meaning.
Status withLegacyBroadcast(OpContext &context, Kernel kernel);

template <Kernel kernel>
Status legacyBroadcast(OpContext &context) {
  return withLegacyBroadcast(context, kernel);
}

// The sizes of a loop over a broadcast result, and the strides of its `count` operands, after dimensions that
// all operands traverse alike have been merged.
template <size_t count>
struct BroadcastLoop {
  std::vector<int64_t> sizes;
  std::vector<std::array<int64_t, count>> strides;
  int64_t rows = 1;  // number of rows: product of all sizes but the last
  int64_t inner = 1; // length of a row: the last size

  BroadcastLoop(const Shape &result, const std::array<Shape, count> &operands) {
    for (size_t d = 0; d < result.size(); ++d)
      addDimension(result, operands, d);
    if (sizes.empty()) {
      sizes.push_back(1);
      strides.push_back({});
    }
    inner = sizes.back();
    for (size_t d = 0; d + 1 < sizes.size(); ++d)
      rows *= sizes[d];
  }

  // Offset of each operand at the start of row `row`, in elements.
  std::array<int64_t, count> startOf(int64_t row) const {
    std::array<int64_t, count> start{};
    for (size_t d = sizes.size() - 1; d-- > 0;) {
      int64_t index = row % sizes[d];
      row /= sizes[d];
      for (size_t i = 0; i < count; ++i)
        start[i] += index * strides[d][i];
    }
    return start;
  }
  int64_t innerStride(size_t operand) const { return strides.back()[operand]; }

private:
  static int64_t strideOf(const Shape &operand, const Shape &result, size_t d) {
    size_t missing = result.size() - operand.size();
    if (d < missing || operand[d - missing] == 1)
      return 0;
    int64_t stride = 1;
    for (size_t i = d - missing + 1; i < operand.size(); ++i)
      stride *= operand[i];
    return stride;
  }

  void addDimension(const Shape &result, const std::array<Shape, count> &operands, size_t d) {
    if (result[d] == 1)
      return;
    std::array<int64_t, count> stride;
    bool mergeable = !sizes.empty();
    for (size_t i = 0; i < count; ++i) {
      stride[i] = strideOf(operands[i], result, d);
      mergeable = mergeable && strides.back()[i] == stride[i] * result[d];
    }
    if (mergeable) {
      sizes.back() *= result[d];
      strides.back() = stride;
    } else {
      sizes.push_back(result[d]);
      strides.push_back(stride);
    }
  }
};

// Sets output 0 to f(a, b), element by element and with broadcasting, in parallel.
template <class Out, class In, class F>
Status mapBroadcast(OpContext &context, const Tensor &a, const Tensor &b, F f) {
  TILERIG_TRY(Shape shape, broadcastShape(context, std::array{a.shape(), b.shape()}));
  TILERIG_TRY(Tensor output, Tensor::makeUninitialised(dtypeOf<Out>, shape));
  if (output.elementCount() == 0) {
    context.outputs[0] = std::move(output);
    return success();
  }
  BroadcastLoop<2> loop(shape, {a.shape(), b.shape()});
  const In *left = a.as<In>().data(), *right = b.as<In>().data();
  Out *to = output.mutableAs<Out>().data();
  auto run = [&](const In *x, const In *y, Out *z, int64_t size) {
    if (loop.innerStride(0) == 0)
      for (int64_t i = 0; i < size; ++i)
        z[i] = f(*x, y[i * loop.innerStride(1)]);
    else if (loop.innerStride(1) == 0)
      for (int64_t i = 0; i < size; ++i)
        z[i] = f(x[i], *y);
    else
      for (int64_t i = 0; i < size; ++i)
        z[i] = f(x[i], y[i]);
  };
  constexpr int64_t grain = 1 << 14;
  if (loop.rows == 1) {
    context.threads.forEach(loop.inner, grain, [&](int64_t begin, int64_t end) {
      run(left + begin * loop.innerStride(0), right + begin * loop.innerStride(1), to + begin, end - begin);
    });
  } else {
    int64_t rowGrain = std::max<int64_t>(1, grain / loop.inner);
    context.threads.forEach(loop.rows, rowGrain, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        auto start = loop.startOf(row);
        run(left + start[0], right + start[1], to + row * loop.inner, loop.inner);
      }
    });
  }
  context.outputs[0] = std::move(output);
  return success();
}

} // namespace tilerig::reference
