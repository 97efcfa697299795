// The operators MatMul and Gemm.
#include "reference/Ops/Products.h"

#include "reference/Gemm/Gemm.h"
#include "reference/Ops/Axes.h"
#include "reference/Ops/Broadcast.h"
#include "reference/Ops/Families.h"
#include "reference/Ops/Wrapping.h"

#include <cmath>

namespace tilerig::reference {

// For each index into the batch dimensions of the result, the indices of the left and the right matrix that
// are multiplied.
static std::vector<std::pair<int64_t, int64_t>> pairBatches(const Shape &batch, const Shape &a,
                                                            const Shape &b) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  if (product(batch) == 0)
    return pairs;
  BroadcastLoop<2> loop(batch, {a, b});
  for (int64_t row = 0; row < loop.rows; ++row) {
    auto start = loop.startOf(row);
    for (int64_t i = 0; i < loop.inner; ++i)
      pairs.emplace_back(start[0] + i * loop.innerStride(0), start[1] + i * loop.innerStride(1));
  }
  return pairs;
}

Result<ProductShape> productShape(const OpContext &context, const Shape &a, const Shape &b) {
  if (a.empty() || b.empty())
    return context.invalid("an operand of a matrix product must not be a scalar",
                           "use Mul for a product with a scalar");
  Shape left = a, right = b;
  if (a.size() == 1)
    left.insert(left.begin(), 1);
  if (b.size() == 1)
    right.push_back(1);
  int64_t rows = left.end()[-2], depth = left.back(), columns = right.back();
  if (depth != right.end()[-2])
    return context.invalid(
        fmt::format("operands {} and {} do not match in the inner axis", showShape(a), showShape(b)));
  left.resize(left.size() - 2);
  right.resize(right.size() - 2);
  TILERIG_TRY(Shape batch, broadcastShape(context, std::array{left, right}));
  // Detects that the size of the result overflows, before a list of its batches is made.
  Shape result = batch;
  if (a.size() > 1)
    result.push_back(rows);
  if (b.size() > 1)
    result.push_back(columns);
  TILERIG_CHECK_OK(sizeBytesOf(DType::c128, result));
  if (product(result) == 0)
    return ProductShape{rows, columns, depth, std::move(result), {}};
  // If one right matrix is multiplied with a dense stack of left matrices, the stack is treated as one tall
  // matrix.
  if (product(right) == 1 && left.size() >= right.size())
    return ProductShape{product(left) * rows, columns, depth, std::move(result), {{0, 0}}};
  return ProductShape{rows, columns, depth, std::move(result), pairBatches(batch, left, right)};
}

// Multiplies two matrices: each row y is a[0] * b[0] + a[1] * b[1] + ..., where a is a row of the left matrix
// and b[k] are whole rows of the right one.
template <class T, class Add>
static void multiplyInOrder(const T *a, const T *b, T *y, const ProductShape &shape, Add add,
                            Threads &threads) {
  constexpr int64_t grain = 1 << 16;
  int64_t perRow = std::max<int64_t>(1, shape.columns * shape.depth);
  threads.forEach(shape.rows, std::max<int64_t>(1, grain / perRow), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T *to = y + row * shape.columns;
      std::fill_n(to, shape.columns, T(0));
      for (int64_t k = 0; k < shape.depth; ++k) {
        T factor = a[row * shape.depth + k];
        const T *from = b + k * shape.columns;
        for (int64_t i = 0; i < shape.columns; ++i)
          to[i] = add(to[i], factor, from[i]);
      }
    }
  });
}

template <class T>
static void multiplyOne(const ProductShape &shape, const T *a, const T *b, T *y, Arithmetic arithmetic,
                        Threads &threads) {
  if constexpr (std::is_integral_v<T>) {
    auto add = [](T sum, T x, T z) { return wrappingSum(sum, wrappingProduct(x, z)); };
    multiplyInOrder(a, b, y, shape, add, threads);
  } else {
    multiply<T>({a, shape.depth}, {b, shape.columns}, {y, shape.columns}, shape.rows, shape.columns,
                shape.depth, {}, chainOf(arithmetic), threads);
  }
}

// Multiplies the matrices of all batches. If there are enough batches, each is computed by a single thread;
// if not, one batch after the other by all threads.
template <class T>
void multiplyBatches(const ProductShape &shape, const T *a, const T *b, T *y, Arithmetic arithmetic,
                     Threads &threads) {
  auto run = [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      auto [left, right] = shape.batches[i];
      multiplyOne(shape, a + left * shape.rows * shape.depth, b + right * shape.depth * shape.columns,
                  y + i * shape.rows * shape.columns, arithmetic, threads);
    }
  };
  int64_t count = static_cast<int64_t>(shape.batches.size());
  if (count >= 8)
    threads.forEach(count, 1, run);
  else
    run(0, count);
}
template void multiplyBatches(const ProductShape &, const float *, const float *, float *, Arithmetic,
                              Threads &);
template void multiplyBatches(const ProductShape &, const double *, const double *, double *, Arithmetic,
                              Threads &);

Status multiplyBatches(OpContext &context, const ProductShape &shape, const Tensor &a, const Tensor &b,
                       Tensor &y) {
  return dispatch(a.dtype(), [&]<class T>() -> Status {
    if constexpr (std::is_floating_point_v<T> || (std::is_integral_v<T> && sizeof(T) >= 4)) {
      multiplyBatches(shape, a.as<T>().data(), b.as<T>().data(), y.mutableAs<T>().data(), context.arithmetic,
                      context.threads);
      return success();
    } else {
      return context.invalid(fmt::format("operands of type {} are not supported", nameOf(a.dtype())));
    }
  });
}

// Whether to pack a constant right matrix once and keep it, which doubles its memory. This is not worthwhile
// if the left matrix has few rows.
static bool isWorthKeeping(const OpContext &context, int64_t rows) {
  constexpr int64_t fewRows = 8;
  return context.isConstant(1) && rows > fewRows;
}

template <class T>
static void multiplyByKept(OpContext &context, MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> y,
                           int64_t rows, int64_t columns, int64_t depth, Start<T> start) {
  auto right = context.keep<ColumnPanels<T>>(
      1, [&] { return ColumnPanels<T>::pack(b, columns, depth, context.threads); });
  auto left = RowPanels<T>::pack(a, rows, depth, context.threads);
  multiply(left, *right, y, start, chainOf(context.arithmetic), context.threads);
}

static bool multiplyByConstant(OpContext &context, const ProductShape &shape, Tensor &y) {
  if (shape.batches.size() != 1 || !isWorthKeeping(context, shape.rows))
    return false;
  auto run = [&]<class T>() {
    multiplyByKept<T>(context, {context.input(0).as<T>().data(), shape.depth},
                      {context.input(1).as<T>().data(), shape.columns},
                      {y.mutableAs<T>().data(), shape.columns}, shape.rows, shape.columns, shape.depth, {});
    return true;
  };
  if (y.dtype() == DType::f32)
    return run.operator()<float>();
  if (y.dtype() == DType::f64)
    return run.operator()<double>();
  return false;
}

static Status matMul(OpContext &context) {
  const Tensor &a = context.input(0), &b = context.input(1);
  if (a.dtype() != b.dtype())
    return context.invalid(fmt::format("the operands have the types {} and {}, expected one type",
                                       nameOf(a.dtype()), nameOf(b.dtype())));
  TILERIG_TRY(ProductShape shape, productShape(context, a.shape(), b.shape()));
  TILERIG_TRY(Tensor y, Tensor::makeUninitialised(a.dtype(), shape.result));
  if (!multiplyByConstant(context, shape, y))
    TILERIG_CHECK_OK(multiplyBatches(context, shape, a, b, y));
  context.outputs[0] = std::move(y);
  return success();
}

namespace {

struct GemmNode {
  int64_t m, n, k;
  bool transA, transB;
  float alpha, beta;
};

Result<GemmNode> gemmNode(const OpContext &context) {
  const Shape &a = context.input(0).shape(), &b = context.input(1).shape();
  TILERIG_TRY(int64_t transA, context.intAttribute("transA", 0));
  TILERIG_TRY(int64_t transB, context.intAttribute("transB", 0));
  TILERIG_TRY(float alpha, context.floatAttribute("alpha", 1.0f));
  TILERIG_TRY(float beta, context.floatAttribute("beta", 1.0f));
  if (a.size() != 2 || b.size() != 2)
    return context.invalid(fmt::format("operands {} and {} must be matrices", showShape(a), showShape(b)));
  int64_t depth = a[transA ? 0 : 1];
  if (depth != b[transB ? 1 : 0])
    return context.invalid(
        fmt::format("operands {} and {} do not match in the inner axis", showShape(a), showShape(b)));
  return GemmNode{a[transA ? 1 : 0], b[transB ? 0 : 1], depth, transA != 0, transB != 0, alpha, beta};
}

Status checkAddend(const OpContext &context, const GemmNode &node) {
  const Tensor &c = context.input(2);
  Shape result{node.m, node.n};
  if (c.dtype() != context.input(0).dtype())
    return context.invalid("operands A and C must have the same type");
  TILERIG_TRY(Shape together, broadcastShape(context, std::array{c.shape(), result}));
  if (together != result)
    return context.invalid(
        fmt::format("C of shape {} cannot be broadcast to {}", showShape(c.shape()), showShape(result)));
  return success();
}

// Replaces every element y by combine(y, c), where c is the element of Gemm's input C, broadcast to y's
// shape.
template <class T, class Combine>
void combineWithAddend(T *y, const Tensor &c, const GemmNode &node, Combine combine) {
  BroadcastLoop<1> loop({node.m, node.n}, {c.shape()});
  const T *from = c.as<T>().data();
  for (int64_t row = 0; row < loop.rows; ++row)
    for (int64_t i = 0, at = loop.startOf(row)[0]; i < loop.inner; ++i, ++y)
      *y = combine(*y, from[at + i * loop.innerStride(0)]);
}

// The operator Gemm for floats: with alpha = beta = 1 the sum starts from C; otherwise the complete sum is
// multiplied by alpha, and beta * C is added.
template <class T>
Status runGemm(OpContext &context, const GemmNode &node, Tensor &output) {
  MatrixView<const T> a{context.input(0).as<T>().data(), node.transA ? node.m : node.k, node.transA};
  MatrixView<const T> b{context.input(1).as<T>().data(), node.transB ? node.k : node.n, node.transB};
  T *y = output.mutableAs<T>().data();
  bool hasC = context.has(2) && node.m * node.n != 0;
  bool plain = node.alpha == 1 && node.beta == 1;
  Start<T> start{hasC && plain, nullptr};
  if (start.held)
    combineWithAddend(y, context.input(2), node, [](T, T c) { return c; });
  if (isWorthKeeping(context, node.m))
    multiplyByKept<T>(context, a, b, {y, node.n}, node.m, node.n, node.k, start);
  else
    multiply<T>(a, b, {y, node.n}, node.m, node.n, node.k, start, chainOf(context.arithmetic),
                context.threads);
  T alpha = node.alpha, beta = node.beta;
  if (hasC && !plain)
    combineWithAddend(y, context.input(2), node, [=](T sum, T c) { return alpha * sum + beta * c; });
  else if (!hasC && alpha != 1)
    for (int64_t i = 0; i < node.m * node.n; ++i)
      y[i] *= alpha;
  return success();
}

// The operator Gemm for integers, which ONNX allows; sums wrap around.
template <class T>
Status runIntegerGemm(OpContext &context, const GemmNode &node, Tensor &output) {
  if (node.alpha != 1 || node.beta != 1)
    return context.notSupported("alpha or beta other than 1 is not supported for integers");
  auto a = context.input(0).as<T>(), b = context.input(1).as<T>();
  T *y = output.mutableAs<T>().data();
  if (context.has(2) && node.m * node.n != 0)
    combineWithAddend(y, context.input(2), node, [](T, T c) { return c; });
  for (int64_t i = 0; i < node.m; ++i)
    for (int64_t j = 0; j < node.n; ++j, ++y)
      for (int64_t k = 0; k < node.k; ++k)
        *y = wrappingSum(*y, wrappingProduct(a[node.transA ? k * node.m + i : i * node.k + k],
                                             b[node.transB ? j * node.k + k : k * node.n + j]));
  return success();
}

Status gemm(OpContext &context) {
  DType type = context.input(0).dtype();
  if (context.input(1).dtype() != type)
    return context.invalid("operands A and B must have the same type");
  TILERIG_TRY(GemmNode node, gemmNode(context));
  if (context.has(2))
    TILERIG_CHECK_OK(checkAddend(context, node));
  TILERIG_TRY(Tensor y, Tensor::make(type, {node.m, node.n}));
  TILERIG_CHECK_OK(dispatch(type, [&]<class T>() -> Status {
    if constexpr (std::is_floating_point_v<T>)
      return runGemm<T>(context, node, y);
    else if constexpr (std::is_integral_v<T> && sizeof(T) >= 4)
      return runIntegerGemm<T>(context, node, y);
    else
      return context.invalid(fmt::format("operands of type {} are not supported", nameOf(type)));
  }));
  context.outputs[0] = std::move(y);
  return success();
}

} // namespace

std::span<const OpEntry> productOps() {
  static constexpr OpEntry entries[] = {
      {"MatMul", 1, 2, 2, matMul},
      {"Gemm", 1, 3, 3, gemm},
      {"Gemm", 11, 2, 3, gemm},
  };
  return entries;
}

} // namespace tilerig::reference
