#include "compiler/Layer/Precision/PrecisionWarnings.h"

#include "compiler/Graph/IR/Shapes.h"
#include "compiler/Graph/IR/TensorAttributes.h"
#include "compiler/Layer/IR/LayerBuilder.h"
#include "compiler/Layer/IR/Types.h"
#include "compiler/Layer/Precision/LayerNames.h"
#include "isa/Base/Support/File.h"

#include <cmath>
#include <fmt/format.h>

namespace tilerig::compiler {

namespace {

using layer::elementOf;
using layer::quantisedOf;

size_t countInfinite(const Tensor &tensor) {
  return dispatch(tensor.dtype(), [&]<class T>() -> size_t {
    const auto count = [&](auto isInfinite) {
      return static_cast<size_t>(std::ranges::count_if(tensor.as<T>(), isInfinite));
    };
    if constexpr (std::is_floating_point_v<T>)
      return count([](T element) { return std::isinf(element); });
    else if constexpr (std::is_same_v<T, Float16>)
      return count([](T element) { return (element.bits & 0x7FFF) == 0x7C00; });
    else if constexpr (std::is_same_v<T, BFloat16>)
      return count([](T element) { return (element.bits & 0x7FFF) == 0x7F80; });
    else
      return 0;
  });
}

// The sums that a convolution or matrix product computes. Each adds up `depth` products; the weights in these
// products are `stride` elements apart.
struct Sums {
  mlir::Value input, weights, bias;
  int64_t depth = 0, stride = 1;
};

std::optional<Sums> sumsOf(mlir::Operation *product) {
  if (auto conv = llvm::dyn_cast<layer::ConvOp>(product)) {
    const auto shape = graph::shapeOf(conv.getWeights());
    return Sums{conv.getInput(), conv.getWeights(), conv.getBias(), shape[1] * shape[2] * shape[3]};
  }
  if (auto matmul = llvm::dyn_cast<layer::MatMulOp>(product)) {
    const auto shape = graph::shapeOf(matmul.getB());
    const size_t rank = shape.size();
    return matmul.getTransposedB()
               ? Sums{matmul.getA(), matmul.getB(), matmul.getBias(), shape[rank - 2], shape[rank - 1]}
               : Sums{matmul.getA(), matmul.getB(), matmul.getBias(), shape[rank - 1]};
  }
  return std::nullopt;
}

// The zero point of a quantised type; if each channel has its own, that with the largest magnitude.
int64_t zeroPointOf(mlir::quant::QuantizedType type) {
  if (auto uniform = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(type))
    return uniform.getZeroPoint();
  int64_t largest = 0;
  for (const int64_t zeroPoint : llvm::cast<mlir::quant::UniformQuantizedPerAxisType>(type).getZeroPoints())
    if (std::abs(zeroPoint) > std::abs(largest))
      largest = zeroPoint;
  return largest;
}

// The largest |q - zero point| of all integers q of the type.
int64_t largestOf(mlir::quant::QuantizedType type) {
  const int64_t zeroPoint = zeroPointOf(type);
  return std::max(std::abs(type.getStorageTypeMin() - zeroPoint),
                  std::abs(type.getStorageTypeMax() - zeroPoint));
}

// Adds up the magnitudes of the weights of each sum of the product; returns the largest total.
int64_t largestSumOfWeights(const Sums &sums, mlir::quant::QuantizedType type) {
  const std::optional<Tensor> constant = elementsOf(sums.weights);
  const bool haveOwnZeroPoints =
      llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(type) && zeroPointOf(type) != 0;
  if (!constant || haveOwnZeroPoints)
    return sums.depth * largestOf(type);
  const int64_t zeroPoint = zeroPointOf(type);
  return dispatch(constant->dtype(), [&]<class T>() -> int64_t {
    int64_t most = 0;
    if constexpr (std::is_integral_v<T>) {
      const std::span<const T> elements = constant->as<T>();
      const auto depth = static_cast<size_t>(sums.depth), stride = static_cast<size_t>(sums.stride);
      for (size_t block = 0; block < elements.size(); block += depth * stride)
        for (size_t first = block; first < block + stride; ++first) {
          int64_t sum = 0;
          for (size_t k = 0; k < depth; ++k)
            sum += std::abs(static_cast<int64_t>(elements[first + k * stride]) - zeroPoint);
          most = std::max(most, sum);
        }
    }
    return most;
  });
}

int64_t largestBias(mlir::Value bias) {
  const std::optional<Tensor> constant = bias ? elementsOf(bias) : std::nullopt;
  int64_t most = 0;
  if (constant && constant->dtype() == DType::i32)
    for (const int32_t element : constant->as<int32_t>())
      most = std::max(most, std::abs(int64_t{element}));
  return most;
}

} // namespace

std::optional<std::string> warnOfInfiniteWeights(mlir::Operation *product, Precision precision,
                                                 mlir::Value original, mlir::Value stored) {
  const auto before = elementsOf(original), after = elementsOf(stored);
  if (original == stored || !before || !after)
    return std::nullopt;
  const size_t count = countInfinite(*after) - countInfinite(*before);
  releasePages(before->bytes()); // the weights as they were are not read again
  if (count == 0)
    return std::nullopt;
  return fmt::format("layer '{}': {} of {} weights are too large for {} and become infinite; give this layer "
                     "the precision {}, in a file for --precision",
                     namesOf(product->getLoc()).last(), count, after->elementCount(), nameOf(precision),
                     precision == Precision::fp16 ? "bf16 or fp32" : "fp32");
}

std::optional<std::string> warnOfWideSums(mlir::Operation *product) {
  const std::optional<Sums> sums = sumsOf(product);
  const auto input = sums ? quantisedOf(elementOf(sums->input)) : nullptr,
             weights = sums ? quantisedOf(elementOf(sums->weights)) : nullptr;
  constexpr int64_t limit = int64_t{1} << 31;
  if (!input || !weights)
    return std::nullopt;
  const int64_t bias = largestBias(sums->bias);
  // Computes an upper limit of the magnitudes of sums: first for any weights of the type, then, more tightly,
  // for constant weights.
  if (sums->depth * largestOf(weights) * largestOf(input) + bias < limit ||
      largestSumOfWeights(*sums, weights) * largestOf(input) + bias < limit)
    return std::nullopt;
  return fmt::format(
      "layer '{}': its sums of {} products of 8-bit integers may exceed 32 bits, and then wrap "
      "around; give this layer the precision fp32, fp16 or bf16, in a file for --precision",
      namesOf(product->getLoc()).last(), sums->depth);
}

} // namespace tilerig::compiler
