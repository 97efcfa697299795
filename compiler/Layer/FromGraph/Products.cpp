#include "compiler/Layer/FromGraph/Products.h"
#include "compiler/Layer/FromGraph/DynamicQuantise.h"
#include "compiler/Layer/FromGraph/Images.h"
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/FromGraph/Quantised.h"

#include <llvm/ADT/TypeSwitch.h>
#include <utility>

namespace tilerig::compiler {

using namespace graph;

// Whether the value is a constant, possibly converted or transposed.
static bool isOfConstant(mlir::Value value) {
  mlir::Operation *const maker = value.getDefiningOp();
  return maker && (maker->getNumOperands() == 0 ||
                   (maker->getNumOperands() == 1 && isOfConstant(maker->getOperand(0))));
}

// Whether the bias is added by a layer of its own after the product: only a constant bias can be the initial
// value of the accumulators.
static bool isAddedBehind(mlir::Value bias, mlir::Type result) {
  return bias && !result && !isOfConstant(bias);
}

mlir::Value multiply(mlir::Value a, mlir::Value b, bool transposedB, mlir::Value bias, mlir::Value addend,
                     LayerBuilder &to, mlir::Type result) {
  if (isAddedBehind(bias, result))
    return to.binary(BinaryFunction::add, multiply(a, b, transposedB, {}, addend, to, result), bias);
  Ints shape = *broadcast(shapeOf(a).drop_back(2), shapeOf(b).drop_back(2));
  const auto last = shapeOf(b).take_back(2);
  shape.append({shapeOf(a).drop_back().back(), transposedB ? last[1] : last[0]});
  return to.makeAs<layer::MatMulOp>(shape, result, a, b, bias, addend, transposedB, layer::FunctionAttr(),
                                    /*functionFirst=*/false, mlir::TypeAttr());
}

namespace {

using Found = std::optional<Lowered>;

bool isConstant(mlir::Value value) { return value.getDefiningOp<layer::ConstantOp>() != nullptr; }

struct ConvParts {
  mlir::Value image, weights, bias; // axes of the weights: outputs, rows, columns, channels of the group
  int64_t groups;
  Ints strides, dilations, pads;
  mlir::Type result = {}; // element type of the result; if null, that of the image
};

mlir::Value convolve(ConvParts parts, LayerBuilder &to) {
  if (isAddedBehind(parts.bias, parts.result)) {
    const mlir::Value bias = std::exchange(parts.bias, {});
    return to.binary(BinaryFunction::add, convolve(std::move(parts), to), bias);
  }
  const auto image = shapeOf(parts.image), weights = shapeOf(parts.weights);
  const auto outputs = [&](size_t axis) {
    const int64_t reach = (weights[axis + 1] - 1) * parts.dilations[axis] + 1;
    return (image[axis + 1] + parts.pads[axis] + parts.pads[axis + 2] - reach) / parts.strides[axis] + 1;
  };
  return to.makeAs<layer::ConvOp>({image[0], outputs(0), outputs(1), weights[0]}, parts.result, parts.image,
                                  parts.weights, parts.bias, mlir::Value(),
                                  static_cast<uint64_t>(parts.groups), parts.strides, parts.dilations,
                                  parts.pads, layer::FunctionAttr(),
                                  /*functionFirst=*/false, mlir::TypeAttr());
}

// Weights of images with one spatial axis get a row axis of size 1; other weights are returned unchanged.
mlir::Value withRows(mlir::Value weights, LayerBuilder &to) {
  const auto shape = shapeOf(weights);
  return shape.size() == 3 ? to.reshape(weights, {shape[0], shape[1], 1, shape[2]}) : weights;
}

// Transposes weights from ONNX's axis order (outputs, channels, rows, columns) to the machine's (outputs,
// rows, columns, channels).
mlir::Value weightsOf(mlir::Value weights, LayerBuilder &to) {
  return to.transpose(withRows(weights, to), {0, 2, 3, 1});
}

Lowered conv(ConvOp op, LayerBuilder &to) {
  TILERIG_TRY(const mlir::Value image, imageOf(op.getInput(), isChannelsLast(op), to));
  const mlir::Value weights = weightsOf(op.getWeights(), to);
  const mlir::Value result =
      convolve({image, weights, op.getBias(), static_cast<int64_t>(op.getGroups()),
                forImage(op.getStrides(), 1), forImage(op.getDilations(), 1), padsForImage(op.getPads())},
               to);
  return lowered(fromImage(result, op.getOutput(), isChannelsLast(op), to));
}

Lowered conv(QLinearConvOp op, LayerBuilder &to) {
  const auto typeOf = [](mlir::Value value, mlir::Value scale, mlir::Value zeroPoint) {
    return quantisedType(tensorType(value).getElementType(), scale, zeroPoint, /*axis=*/0);
  };
  TILERIG_TRY(const mlir::Type input,
              typeOf(op.getInputZeroPoint(), op.getInputScale(), op.getInputZeroPoint()));
  TILERIG_TRY(const mlir::Type kernel,
              typeOf(op.getWeightZeroPoint(), op.getWeightScale(), op.getWeightZeroPoint()));
  TILERIG_TRY(const mlir::Type result,
              typeOf(op.getOutputZeroPoint(), op.getOutputScale(), op.getOutputZeroPoint()));
  TILERIG_TRY(const mlir::Value integers, asQuantised(op.getInput(), input, to));
  TILERIG_TRY(const mlir::Value image, imageOf(integers, isChannelsLast(op), to));
  TILERIG_TRY(const mlir::Value weights, asQuantised(weightsOf(op.getWeights(), to), kernel, to));
  const mlir::Value convolution = convolve(
      {image, weights, op.getBias(), static_cast<int64_t>(op.getGroups()), forImage(op.getStrides(), 1),
       forImage(op.getDilations(), 1), padsForImage(op.getPads()), result},
      to);
  return lowered(fromImage(convolution, op.getOutput(), isChannelsLast(op), to));
}

// A transposed convolution is a convolution of the image dilated with zeros, with a flipped kernel.
Lowered convTranspose(ConvTransposeOp op, LayerBuilder &to) {
  TILERIG_TRY(mlir::Value image, imageOf(op.getInput(), isChannelsLast(op), to));
  const Ints strides = forImage(op.getStrides(), 1), dilations = forImage(op.getDilations(), 1),
             pads = padsForImage(op.getPads()), more = forImage(op.getOutputPadding(), 0);
  const auto groups = static_cast<int64_t>(op.getGroups());
  // The axes of the weights are channels, outputs of a group, rows, columns. Flips the kernel along rows and
  // columns, then puts the axis of outputs in front of the channels of the group.
  mlir::Value weights = withRows(op.getWeights(), to);
  const Ints w(shapeOf(weights));
  weights = to.sliceAxis(weights, 2, w[2] - 1, w[2], -1);
  weights = to.sliceAxis(weights, 3, w[3] - 1, w[3], -1);
  weights = to.reshape(weights, {groups, w[0] / groups, w[1], w[2], w[3]});
  weights = to.transpose(weights, {0, 2, 3, 4, 1});
  weights = to.reshape(weights, {groups * w[1], w[2], w[3], w[0] / groups});
  if (strides[0] > 1 || strides[1] > 1) {
    const auto s = shapeOf(image);
    image = to.make<layer::DilateOp>({s[0], (s[1] - 1) * strides[0] + 1, (s[2] - 1) * strides[1] + 1, s[3]},
                                     image, strides);
  }
  Ints padding(4, 0);
  for (size_t i = 0; i < 2; ++i) {
    const int64_t reach = (w[i + 2] - 1) * dilations[i];
    padding[i] = reach - pads[i];
    padding[i + 2] = reach - pads[i + 2] + more[i];
    // Negative padding crops the image.
    const int64_t before = std::max<int64_t>(0, -padding[i]), after = std::max<int64_t>(0, -padding[i + 2]);
    const auto axis = static_cast<int64_t>(i) + 1;
    const int64_t left = shapeOf(image)[axis] - before - after;
    if (left < 1)
      return noLayer("the padding removes the whole image");
    image = to.sliceAxis(image, axis, before, left);
    padding[i] += before, padding[i + 2] += after;
  }
  const mlir::Value result = convolve({image, weights, op.getBias(), groups, {1, 1}, dilations, padding}, to);
  return lowered(fromImage(result, op.getOutput(), isChannelsLast(op), to));
}

// An error if the factor of a product has integers without a scale, as MatMul and Gemm allow: the machine
// multiplies only 8-bit integers with a scale.
std::optional<Error> refuseIntegers(mlir::Value factor) {
  if (!llvm::isa<mlir::IntegerType>(tensorType(factor).getElementType()))
    return {};
  return noLayer("products of integers without a quantisation scale are not supported by the accelerator");
}

// The operands of a product as matrices: a vector becomes a matrix with one row or column. Constant weights
// are stored as outputs x depth (the summed axis, K).
struct Factors {
  mlir::Value a, b;
  bool isTransposed; // whether matrix b has the shape depth x outputs, not outputs x depth
};

Factors factorsOf(mlir::Value a, mlir::Value b, LayerBuilder &to) {
  if (shapeOf(a).size() == 1)
    a = to.reshape(a, {1, shapeOf(a)[0]});
  if (shapeOf(b).size() == 1)
    b = to.reshape(b, {shapeOf(b)[0], 1});
  if (!isConstant(b))
    return {a, b, true};
  Ints perm;
  for (size_t i = 0; i < shapeOf(b).size(); ++i)
    perm.push_back(static_cast<int64_t>(i));
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return {a, to.transpose(b, perm), false};
}

Lowered matmul(MatMulOp op, LayerBuilder &to) {
  if (auto error = refuseIntegers(op.getA()))
    return *error;
  const auto [a, b, isTransposed] = factorsOf(op.getA(), op.getB(), to);
  return lowered(to.reshape(multiply(a, b, isTransposed, {}, {}, to), shapeOf(op.getOutput())));
}

Lowered matmul(QLinearMatMulOp op, LayerBuilder &to) {
  const auto typeOf = [](mlir::Value scale, mlir::Value zeroPoint, int64_t axis) {
    return quantisedType(tensorType(zeroPoint).getElementType(), scale, zeroPoint, axis);
  };
  // A constant matrix will be stored as [outputs, depth], so scales by output vary along axis 0.
  const bool isMatrix = isConstant(op.getB()) && shapeOf(op.getB()).size() == 2;
  TILERIG_TRY(const mlir::Type aType, typeOf(op.getAScale(), op.getAZeroPoint(), /*axis=*/0));
  TILERIG_TRY(const mlir::Type bType, typeOf(op.getBScale(), op.getBZeroPoint(), /*axis=*/0));
  TILERIG_TRY(const mlir::Type result, typeOf(op.getOutputScale(), op.getOutputZeroPoint(), /*axis=*/0));
  using PerTensor = mlir::quant::UniformQuantizedType;
  if (!llvm::isa<PerTensor>(aType) || !llvm::isa<PerTensor>(result))
    return noLayer("a scale for each row is not supported by the accelerator");
  if (!llvm::isa<PerTensor>(bType) && !isMatrix)
    return noLayer(
        "a scale for each column of a matrix that is not constant is not supported by the accelerator");
  TILERIG_TRY(const mlir::Value left, asQuantised(op.getA(), aType, to));
  TILERIG_TRY(const mlir::Value right,
              isMatrix ? Result<mlir::Value>(op.getB()) : asQuantised(op.getB(), bType, to));
  const auto [a, b, isTransposed] = factorsOf(left, right, to);
  TILERIG_TRY(const mlir::Value weights, asQuantised(b, bType, to));
  return lowered(to.reshape(multiply(a, weights, isTransposed, {}, {}, to, result), shapeOf(op.getOutput())));
}

// Lowers ConvInteger, whose result is the 32-bit sum without scaling.
Lowered conv(ConvIntegerOp op, LayerBuilder &to) {
  // A zero point that is known only at run time is subtracted from the sums.
  const bool isShifted =
      op.getInputZeroPoint() && !isConstant(op.getInputZeroPoint()) && isConstant(op.getWeights());
  TILERIG_TRY(const mlir::Value integers,
              asIntegers(op.getInput(), isShifted ? mlir::Value() : op.getInputZeroPoint(), /*axis=*/0, to));
  TILERIG_TRY(const mlir::Value image, imageOf(integers, isChannelsLast(op), to));
  TILERIG_TRY(const mlir::Value weights,
              asIntegers(weightsOf(op.getWeights(), to), op.getWeightZeroPoint(), /*axis=*/0, to));
  const Ints strides = forImage(op.getStrides(), 1), dilations = forImage(op.getDilations(), 1),
             pads = padsForImage(op.getPads());
  mlir::Value convolution = convolve({image, weights, mlir::Value(), static_cast<int64_t>(op.getGroups()),
                                      strides, dilations, pads, tensorType(op.getOutput()).getElementType()},
                                     to);
  if (isShifted) {
    const auto from = shapeOf(image), size = shapeOf(convolution);
    const Tensor sums = sumsOfWindows(withRows(op.getWeights(), to), op.getWeightZeroPoint(),
                                      {{from[1], from[2]}, {size[1], size[2]}, strides, dilations, pads});
    convolution = withoutZeroPoint(convolution, op.getInputZeroPoint(), sums, to);
  }
  return lowered(fromImage(convolution, op.getOutput(), isChannelsLast(op), to));
}

Lowered matmul(MatMulIntegerOp op, LayerBuilder &to) {
  const auto isScalar = [](mlir::Value value) { return !value || tensorType(value).getNumElements() == 1; };
  const bool isMatrix = isConstant(op.getB()) && shapeOf(op.getB()).size() == 2;
  if (!isScalar(op.getAZeroPoint()) || (!isScalar(op.getBZeroPoint()) && !isMatrix))
    return noLayer("a zero point for each row, or for each column of a matrix that is not constant, "
                   "is not supported by the accelerator");
  // A zero point that is known only at run time is subtracted from the sums.
  const bool isShifted = op.getAZeroPoint() && !isConstant(op.getAZeroPoint()) && isMatrix;
  TILERIG_TRY(const mlir::Value left,
              asIntegers(op.getA(), isShifted ? mlir::Value() : op.getAZeroPoint(), /*axis=*/0, to));
  TILERIG_TRY(const mlir::Value right, isMatrix ? Result<mlir::Value>(op.getB())
                                                : asIntegers(op.getB(), op.getBZeroPoint(), /*axis=*/0, to));
  const auto [a, b, isTransposed] = factorsOf(left, right, to);
  TILERIG_TRY(const mlir::Value weights, asIntegers(b, op.getBZeroPoint(), /*axis=*/0, to));
  const mlir::Type sum = tensorType(op.getOutput()).getElementType();
  const mlir::Value sums =
      to.reshape(multiply(a, weights, isTransposed, {}, {}, to, sum), shapeOf(op.getOutput()));
  return lowered(
      isShifted ? withoutZeroPoint(sums, op.getAZeroPoint(), sumsOfColumns(op.getB(), op.getBZeroPoint()), to)
                : sums);
}

Lowered gemm(GemmOp op, LayerBuilder &to) {
  if (auto error = refuseIntegers(op.getA()))
    return *error;
  mlir::Value a = op.getA(), b = op.getB(), c = op.getC();
  if (op.getTransA())
    a = to.transpose(a, {1, 0});
  bool isTransposed = !op.getTransB();
  if (isTransposed && isConstant(b)) {
    b = to.transpose(b, {1, 0});
    isTransposed = false;
  }
  b = to.scale(b, op.getAlpha().convertToFloat());
  if (!c)
    return lowered(multiply(a, b, isTransposed, {}, {}, to));
  c = to.scale(c, op.getBeta().convertToFloat());
  const auto result = shapeOf(op.getOutput());
  const int64_t rows = shapeOf(c).size() == 2 ? shapeOf(c)[0] : 1,
                columns = shapeOf(c).empty() ? 1 : shapeOf(c).back();
  if (rows > 1)
    return lowered(multiply(a, b, isTransposed, {}, to.expand(c, result), to));
  c = to.reshape(c, {columns});
  return lowered(multiply(a, b, isTransposed, to.expand(c, {result[1]}), {}, to));
}

// Lowers attention: scaled scores, their softmax, and the sum of the values weighted by the softmax.
mlir::Value attention(AttentionOp op, LayerBuilder &to) {
  mlir::Value scores =
      to.scale(multiply(op.getQ(), op.getK(), false, {}, {}, to), op.getScale().convertToDouble());
  const auto fill = [&] {
    const mlir::Value with = to.number(op.getFill()->convertToDouble(), scores);
    scores = op.getFillsChosen() ? to.select(op.getChoice(), with, scores)
                                 : to.select(op.getChoice(), scores, with);
  };
  if (op.getChoice() && op.getFillFirst())
    fill();
  if (op.getMask())
    scores = to.binary(BinaryFunction::add, scores, op.getMask());
  if (op.getChoice() && !op.getFillFirst())
    fill();
  mlir::Value shares = to.make<layer::SoftmaxOp>(shapeOf(scores), scores, shapeOf(scores).size() - 1,
                                                 /*logarithm=*/false, layer::FunctionAttr());
  if (op.getNanIsZero()) // NaN differs from itself, so elements for which shares == shares is false become 0
    shares = to.select(to.binary(BinaryFunction::equal, shares, shares), shares, to.number(0, shares));
  return multiply(shares, op.getV(), /*transposedB=*/true, {}, {}, to);
}

} // namespace

Found lowerProducts(mlir::Operation *operation, LayerBuilder &to) {
  return llvm::TypeSwitch<mlir::Operation *, Found>(operation)
      .Case([&](ConvOp op) -> Found { return conv(op, to); })
      .Case([&](QLinearConvOp op) -> Found { return conv(op, to); })
      .Case([&](ConvIntegerOp op) -> Found { return conv(op, to); })
      .Case([&](ConvTransposeOp op) -> Found { return convTranspose(op, to); })
      .Case([&](MatMulOp op) -> Found { return matmul(op, to); })
      .Case([&](QLinearMatMulOp op) -> Found { return matmul(op, to); })
      .Case([&](MatMulIntegerOp op) -> Found { return matmul(op, to); })
      .Case([&](GemmOp op) -> Found { return gemm(op, to); })
      .Case([&](AttentionOp op) -> Found { return lowered(attention(op, to)); })
      .Default([](mlir::Operation *) { return Found(); });
}

} // namespace tilerig::compiler
