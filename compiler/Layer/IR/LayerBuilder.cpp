#include "compiler/Layer/IR/LayerBuilder.h"

#include "compiler/Graph/IR/TensorAttributes.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Spill.h"
#include "isa/Base/Tensor/TakenElements.h"

#include <mlir/IR/DialectResourceBlobManager.h>

namespace tilerig::compiler {

namespace {

Ints stridesOf(const Tensor &tensor) {
  const std::vector<int64_t> strides = tensor.strides();
  return Ints(strides.begin(), strides.end());
}

llvm::StringRef nameOfConstant(mlir::Value value) {
  auto constant = value.getDefiningOp<layer::ConstantOp>();
  const auto resource =
      constant ? llvm::dyn_cast<mlir::DenseResourceElementsAttr>(constant.getValue()) : nullptr;
  return resource ? resource.getRawHandle().getKey() : "constant";
}

} // namespace

std::optional<Tensor> elementsOf(mlir::Value value) {
  if (auto constant = value ? value.getDefiningOp<layer::ConstantOp>() : nullptr)
    return tensorOf(constant.getValue());
  if (auto constant = value ? value.getDefiningOp<graph::ConstantOp>() : nullptr)
    return tensorOf(constant.getValue());
  return {};
}

std::optional<double> numberOf(mlir::Value value) {
  const auto elements = elementsOf(value);
  const auto same = [](auto all) -> std::optional<double> {
    if (all.empty() || std::ranges::any_of(all, [&](auto x) { return x != all.front(); }))
      return {};
    return all.front();
  };
  if (elements && elements->dtype() == DType::f32)
    return same(elements->as<float>());
  if (elements && elements->dtype() == DType::f64)
    return same(elements->as<double>());
  return {};
}

mlir::Value LayerBuilder::constant(const Tensor &tensor, llvm::StringRef name) {
  const mlir::ElementsAttr value = attributeOf(*context(), tensor, name);
  return layer::ConstantOp::create(builder, location, value.getShapedType(), value);
}

mlir::Value LayerBuilder::number(double value, mlir::Value like) {
  const mlir::Type element = graph::tensorType(like).getElementType();
  const auto type = mlir::RankedTensorType::get({}, element);
  const mlir::Attribute number = llvm::isa<mlir::FloatType>(element)
                                     ? mlir::Attribute(builder.getFloatAttr(element, value))
                                     : builder.getIntegerAttr(element, static_cast<int64_t>(value));
  return layer::ConstantOp::create(builder, location, type, mlir::DenseElementsAttr::get(type, number));
}

// Creates a constant with new elements of type `element`, which takes its MLIR location and its name from the
// constant `from`.
static mlir::Value remade(mlir::OpBuilder &builder, mlir::Value from, const Tensor &elements,
                          mlir::Type element) {
  const mlir::ElementsAttr attribute = attributeOf(*builder.getContext(), elements, nameOfConstant(from));
  return layer::ConstantOp::create(builder, from.getLoc(),
                                   mlir::RankedTensorType::get(attribute.getShapedType().getShape(), element),
                                   attribute);
}

// Whether operations on the value can be computed at compile time: it must be a constant and, if it is
// quantised, have a single scale.
static bool isPlainConstant(mlir::Value value) {
  return value.getDefiningOp<layer::ConstantOp>() &&
         !llvm::isa<mlir::quant::UniformQuantizedPerAxisType>(graph::tensorType(value).getElementType());
}

mlir::Value LayerBuilder::reshape(mlir::Value value, Sizes shape) {
  if (graph::shapeOf(value) == shape)
    return value;
  if (isPlainConstant(value))
    return remade(builder, value, *elementsOf(value)->reshaped(Shape(shape.begin(), shape.end())),
                  graph::tensorType(value).getElementType());
  return make<layer::ReshapeOp>(shape, value);
}

// The element type of a value after a transpose. A quantised type that has a scale for each index of an axis
// contains the number of that axis, which the transpose changes.
static mlir::Type movedType(mlir::Type element, Sizes perm) {
  const auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(element);
  if (!perAxis)
    return element;
  const auto axis = static_cast<int32_t>(llvm::find(perm, perAxis.getQuantizedDimension()) - perm.begin());
  return mlir::quant::UniformQuantizedPerAxisType::get(
      perAxis.getFlags(), perAxis.getStorageType(), perAxis.getExpressedType(), perAxis.getScales(),
      perAxis.getZeroPoints(), axis, perAxis.getStorageTypeMin(), perAxis.getStorageTypeMax());
}

mlir::Value LayerBuilder::transpose(mlir::Value value, Sizes perm) {
  Ints shape;
  for (const int64_t axis : perm)
    shape.push_back(graph::shapeOf(value)[axis]);
  if (value.getDefiningOp<layer::ConstantOp>()) {
    const Tensor elements = *elementsOf(value);
    const Tensor moved = spilled(transposed(elements, perm));
    releasePages(elements.bytes()); // rarely read again; if it is, from the file
    return remade(builder, value, moved, movedType(graph::tensorType(value).getElementType(), perm));
  }
  // If the value is a dequantised constant, transposes the constant itself, at compile time.
  auto reals = value.getDefiningOp<layer::ActivateOp>();
  if (reals && !reals.getFunction() && reals.getInput().getDefiningOp<layer::ConstantOp>())
    return makeAs<layer::ActivateOp>(shape, graph::tensorType(value).getElementType(),
                                     transpose(reals.getInput(), perm), layer::FunctionAttr());
  return make<layer::TransposeOp>(shape, value, perm);
}

mlir::Value LayerBuilder::expand(mlir::Value value, Sizes shape) {
  Ints aligned(shape.size() - graph::shapeOf(value).size(), 1);
  aligned.append(graph::shapeOf(value).begin(), graph::shapeOf(value).end());
  value = reshape(value, aligned);
  if (aligned == Ints(shape))
    return value;
  // A broadcast of a constant matrix or of a long constant vector is not computed at compile time, because
  // its result would need much more memory.
  constexpr int64_t mostElements = 1 << 24;
  if (!isPlainConstant(value) || shape.size() > 1 || shape.front() > mostElements)
    return make<layer::ExpandOp>(shape, value);
  return remade(builder, value, takenByStrides(*elementsOf(value), shape, 0, Ints(shape.size(), 0)),
                graph::tensorType(value).getElementType());
}

mlir::Value LayerBuilder::slice(mlir::Value value, Sizes starts, Sizes steps, Sizes shape) {
  if (isPlainConstant(value)) {
    const Tensor elements = *elementsOf(value);
    Ints strides = stridesOf(elements);
    int64_t base = 0;
    for (size_t i = 0; i < strides.size(); ++i) {
      base += starts[i] * strides[i];
      strides[i] *= steps[i];
    }
    return remade(builder, value, takenByStrides(elements, shape, base, strides),
                  graph::tensorType(value).getElementType());
  }
  return make<layer::SliceOp>(shape, value, starts, steps);
}

mlir::Value LayerBuilder::sliceAxis(mlir::Value value, int64_t axis, int64_t start, int64_t count,
                                    int64_t step) {
  Ints shape(graph::shapeOf(value)), starts(shape.size(), 0), steps(shape.size(), 1);
  if (start == 0 && step == 1 && count == shape[axis])
    return value;
  shape[axis] = count, starts[axis] = start, steps[axis] = step;
  return slice(value, starts, steps, shape);
}

mlir::Value LayerBuilder::concat(mlir::ValueRange values, int64_t axis) {
  if (values.size() == 1)
    return values.front();
  Ints shape(graph::shapeOf(values.front()));
  for (const mlir::Value value : values.drop_front())
    shape[axis] += graph::shapeOf(value)[axis];
  const auto type = mlir::RankedTensorType::get(shape, graph::tensorType(values.front()).getElementType());
  return layer::ConcatOp::create(builder, location, type, values, static_cast<uint64_t>(axis));
}

mlir::Value LayerBuilder::pad(mlir::Value value, Sizes pads, double with) {
  if (llvm::all_of(pads, [](int64_t pad) { return pad == 0; }))
    return value;
  Ints shape(graph::shapeOf(value));
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] += pads[i] + pads[shape.size() + i];
  return make<layer::PadOp>(shape, value, pads, llvm::APFloat(static_cast<float>(with)));
}

mlir::Value LayerBuilder::scale(mlir::Value value, double factor) {
  if (factor == 1)
    return value;
  auto elements = value.getDefiningOp<layer::ConstantOp>() ? elementsOf(value) : std::nullopt;
  const auto times = [&](auto all) {
    for (auto &x : all)
      x = static_cast<std::decay_t<decltype(x)>>(x * factor);
    return constant(*elements, nameOfConstant(value));
  };
  if (elements && elements->dtype() == DType::f32)
    return times(elements->mutableAs<float>());
  if (elements && elements->dtype() == DType::f64)
    return times(elements->mutableAs<double>());
  return binary(BinaryFunction::mul, value, number(factor, value));
}

mlir::Value LayerBuilder::activate(UnaryFunction kind, mlir::Value value, float alpha, float beta) {
  return make<layer::ActivateOp>(graph::shapeOf(value), value, function(kind, alpha, beta));
}

mlir::Value LayerBuilder::convert(mlir::Value value, mlir::Type element) {
  if (graph::tensorType(value).getElementType() == element)
    return value;
  return makeAs<layer::ActivateOp>(graph::shapeOf(value), element, value, layer::FunctionAttr());
}

mlir::Value LayerBuilder::binary(BinaryFunction kind, mlir::Value a, mlir::Value b) {
  const bool isTruth = kind >= BinaryFunction::equal;
  return makeAs<layer::BinaryOp>(*graph::broadcast(graph::shapeOf(a), graph::shapeOf(b)),
                                 isTruth ? builder.getI1Type() : mlir::Type(), a, b,
                                 layer::BinaryKindAttr::get(context(), kind), layer::FunctionAttr());
}

mlir::Value LayerBuilder::select(mlir::Value condition, mlir::Value a, mlir::Value b) {
  const auto values = graph::broadcast(graph::shapeOf(a), graph::shapeOf(b));
  return makeAs<layer::SelectOp>(*graph::broadcast(graph::shapeOf(condition), *values),
                                 graph::tensorType(a).getElementType(), condition, a, b,
                                 layer::FunctionAttr());
}

mlir::Value LayerBuilder::reduce(ReduceFunction kind, mlir::Value value, Sizes axes) {
  Ints shape(graph::shapeOf(value));
  for (const int64_t axis : axes)
    shape[axis] = 1;
  return make<layer::ReduceOp>(shape, value, layer::ReduceKindAttr::get(context(), kind), axes,
                               /*lastIndex=*/false, layer::FunctionAttr());
}

layer::FunctionAttr LayerBuilder::function(UnaryFunction kind, float alpha, float beta) {
  return layer::FunctionAttr::get(context(), kind, alpha, beta);
}

} // namespace tilerig::compiler
