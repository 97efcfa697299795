#include "compiler/Graph/Import/Operators.h"

#include <fmt/core.h>
#include <llvm/ADT/STLExtras.h>

namespace tilerig::compiler {

namespace {

using namespace graph;
using Value = Result<mlir::Value>;

Value reshapeTo(const NodeReader &node, llvm::ArrayRef<int64_t> shape) {
  return node.makeAs<ReshapeOp>(shape, node.elementType(0), node.input(0));
}

int64_t product(llvm::ArrayRef<int64_t> sizes) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

// Imports Reshape. In the target shape, 0 keeps the size of the input axis (unless allowzero is set), and -1
// is inferred from the remaining elements.
Value reshape(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 5 ? node.needs(1) : node.needs(2));
  TILERIG_TRY(const std::optional<Ints> wanted, node.integersOrInput("shape", 1));
  if (!wanted)
    return node.refuse("the target shape is missing: neither an attribute nor an input gives it");
  Ints shape = *wanted;
  size_t open = shape.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 0 && node.integer("allowzero", 0) == 0) {
      if (static_cast<int64_t>(i) >= node.rank(0))
        return node.refuse(
            fmt::format("size {} of the target shape is 0 and would copy the size of an input axis that does "
                        "not exist",
                        i));
      shape[i] = node.shape(0)[i];
    } else if (shape[i] == -1) {
      if (open != shape.size())
        return node.refuse("two sizes of the target shape are -1");
      open = i;
      shape[i] = 1;
    } else if (shape[i] < 0) {
      return node.refuse(fmt::format("size {} of the target shape is negative: {}", i, shape[i]));
    }
  }
  if (open != shape.size()) {
    const int64_t rest = product(shape);
    if (rest == 0 || product(node.shape(0)) % rest != 0)
      return node.refuse(
          fmt::format("the input's {} elements do not fit the target shape", product(node.shape(0))));
    shape[open] = product(node.shape(0)) / rest;
  }
  return reshapeTo(node, shape);
}

Value flatten(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const int64_t signedAxis = node.integer("axis", 1),
                axis = signedAxis < 0 ? signedAxis + node.rank(0) : signedAxis;
  if (axis < 0 || axis > node.rank(0))
    return node.refuse(
        fmt::format("axis {} is out of range: the tensor has {} axes", signedAxis, node.rank(0)));
  return reshapeTo(node, {product(node.shape(0).take_front(axis)), product(node.shape(0).drop_front(axis))});
}

Value squeeze(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 13 ? node.needs(1) : node.needs(1, 2));
  TILERIG_TRY(std::optional<Ints> axes, node.integersOrInput("axes", 1));
  if (axes)
    for (int64_t &axis : *axes) {
      TILERIG_TRY(axis, node.axis(axis, node.rank(0)));
      if (node.shape(0)[axis] != 1)
        return node.refuse(
            fmt::format("axis {} cannot be removed: it has size {}, not 1", axis, node.shape(0)[axis]));
    }
  Ints shape;
  for (int64_t i = 0; i < node.rank(0); ++i)
    if (axes ? !llvm::is_contained(*axes, i) : node.shape(0)[i] != 1)
      shape.push_back(node.shape(0)[i]);
  return reshapeTo(node, shape);
}

Value unsqueeze(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 13 ? node.needs(1) : node.needs(2));
  TILERIG_TRY(std::optional<Ints> axes, node.integersOrInput("axes", 1));
  if (!axes)
    return node.refuse("the axes to insert are missing: neither an attribute nor an input gives them");
  const int64_t rank = node.rank(0) + static_cast<int64_t>(axes->size());
  for (int64_t &axis : *axes) {
    TILERIG_TRY(axis, node.axis(axis, rank));
  }
  Ints shape;
  for (int64_t i = 0, from = 0; i < rank; ++i)
    if (llvm::is_contained(*axes, i))
      shape.push_back(1);
    else if (from < node.rank(0))
      shape.push_back(node.shape(0)[from++]);
  if (static_cast<int64_t>(shape.size()) != rank)
    return node.refuse("an axis to insert is given twice");
  return reshapeTo(node, shape);
}

Value transpose(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  Ints perm;
  for (int64_t i = node.rank(0); i-- > 0;)
    perm.push_back(i);
  return node.make<TransposeOp>(node.input(0), node.integers("perm").value_or(perm));
}

Value concat(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(std::max<size_t>(1, node.inputs().size())));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", 1), node.rank(0)));
  return node.make<ConcatOp>(mlir::ValueRange(node.inputs()), static_cast<uint64_t>(axis));
}

// Bounds of a slice over all axes, clamped as ONNX specifies.
struct SliceBounds {
  Ints starts, ends, steps;

  explicit SliceBounds(llvm::ArrayRef<int64_t> shape)
      : starts(shape.size(), 0), ends(shape), steps(shape.size(), 1) {}
  void set(llvm::ArrayRef<int64_t> shape, int64_t axis, int64_t start, int64_t end, int64_t step) {
    const int64_t size = shape[axis], lowest = step > 0 ? 0 : -1, highest = step > 0 ? size : size - 1;
    const auto clamped = [&](int64_t at) { return std::clamp(at < 0 ? at + size : at, lowest, highest); };
    starts[axis] = clamped(start);
    // An end far below zero means "before the first element", whatever the size.
    ends[axis] = clamped(end < -size ? -size - 1 : end);
    steps[axis] = step;
  }
};

Value slice(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 10 ? node.needs(1) : node.needs(3, 5));
  TILERIG_TRY(const std::optional<Ints> starts, node.integersOrInput("starts", 1));
  TILERIG_TRY(const std::optional<Ints> ends, node.integersOrInput("ends", 2));
  TILERIG_TRY(std::optional<Ints> axes, node.integersOrInput("axes", 3));
  TILERIG_TRY(const std::optional<Ints> steps, node.integersOrInput("steps", 4));
  if (!starts || !ends || starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
      (steps && steps->size() != starts->size()))
    return node.refuse("starts and ends are missing, or starts, ends, axes and steps differ in length");
  SliceBounds bounds(node.shape(0));
  for (size_t i = 0; i < starts->size(); ++i) {
    TILERIG_TRY(const int64_t axis, node.axis(axes ? (*axes)[i] : static_cast<int64_t>(i), node.rank(0)));
    const int64_t step = steps ? (*steps)[i] : 1;
    if (step == 0)
      return node.refuse("a step is 0");
    bounds.set(node.shape(0), axis, (*starts)[i], (*ends)[i], step);
  }
  return node.make<SliceOp>(node.input(0), bounds.starts, bounds.ends, bounds.steps);
}

// Imports Split: each part becomes a slice.
ImportedValues split(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 2));
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", 0), node.rank(0)));
  TILERIG_TRY(const std::optional<Ints> statedParts, node.integersOrInput("split", 1));
  const int64_t size = node.shape(0)[axis], count = static_cast<int64_t>(node.numOutputs());
  Ints parts;
  for (int64_t left = size, each = (size + count - 1) / std::max<int64_t>(count, 1);
       !statedParts && count > 0;) {
    parts.push_back(std::min(left, each));
    left -= parts.back();
    if (static_cast<int64_t>(parts.size()) == count)
      break;
  }
  if (statedParts)
    parts = *statedParts;
  int64_t sum = 0;
  for (int64_t part : parts)
    sum += part;
  if (static_cast<int64_t>(parts.size()) != count || sum != size)
    return node.refuse(
        fmt::format("the split gives {} parts with {} elements in total, expected {} parts with {} elements",
                    parts.size(), sum, count, size));
  Values results;
  int64_t start = 0;
  for (int64_t part : parts) {
    SliceBounds bounds(node.shape(0));
    bounds.set(node.shape(0), axis, start, start + part, 1);
    TILERIG_TRY(const mlir::Value result,
                node.make<SliceOp>(node.input(0), bounds.starts, bounds.ends, bounds.steps));
    results.push_back(result);
    start += part;
  }
  return results;
}

Value expand(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const Ints wanted, node.constantInts(1, "the shape"));
  const auto shape = broadcast(node.shape(0), wanted);
  if (!shape)
    return node.refuse("the input cannot be broadcast to the target shape");
  return node.makeAs<ExpandOp>(*shape, node.elementType(0), node.input(0));
}

Value pad(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 11 ? node.needs(1) : node.needs(2, 4));
  TILERIG_TRY(const std::optional<Ints> statedPads, node.integersOrInput("pads", 1));
  const auto mode = symbolizePadMode(node.text("mode", "constant"));
  if (!statedPads || !mode)
    return node.refuse(statedPads ? "attribute 'mode' has an unknown value"
                                  : "the pads are missing: neither an attribute nor an input gives them");
  Ints pads(2 * node.rank(0), 0);
  Ints axes;
  if (node.has(3)) {
    TILERIG_TRY(axes, node.constantInts(3, "the axes"));
  } else {
    for (int64_t i = 0; i < node.rank(0); ++i)
      axes.push_back(i);
  }
  if (statedPads->size() != 2 * axes.size())
    return node.refuse("there must be two pads for each axis");
  for (size_t i = 0; i < axes.size(); ++i) {
    TILERIG_TRY(const int64_t axis, node.axis(axes[i], node.rank(0)));
    pads[axis] = (*statedPads)[i];
    pads[node.rank(0) + axis] = (*statedPads)[axes.size() + i];
  }
  TILERIG_TRY(mlir::Value value, node.number(2, "the value"));
  if (const auto *old = node.attribute("value"); old && node.opset() < 11) {
    value = node.constantValue(Tensor::scalar(old->f()));
    if (!node.elementType(0).isF32()) {
      TILERIG_TRY(value, node.makeAs<CastOp>({}, node.elementType(0), value));
    }
  }
  return node.make<PadOp>(node.input(0), value, pads, *mode);
}

// Imports Dropout. In inference mode it drops nothing: the result is the input, and the mask is true
// everywhere. Before operator set 10 the mask consisted of ones of the input's type.
ImportedValues dropout(const NodeReader &node) {
  TILERIG_CHECK_OK(node.opset() < 12 ? node.needs(1) : node.needs(1, 3));
  if (node.opset() < 7 && node.integer("is_test", 0) == 0)
    return node.unsupportedHere("dropout in training mode is random", "export the model for inference");
  if (node.has(2)) {
    TILERIG_TRY(const Tensor training, node.constant(2, "the training mode"));
    TILERIG_TRY(const Tensor ratio, node.has(1) ? node.constant(1, "the ratio") : Tensor::scalar(0.5f));
    const auto zero = [](const Tensor &tensor) {
      return llvm::all_of(tensor.bytes(), [](std::byte byte) { return byte == std::byte{0}; });
    };
    if (!zero(training) && !zero(ratio))
      return node.unsupportedHere("dropout in training mode is random", "export the model for inference");
  }
  Values results = {node.input(0)};
  if (node.numOutputs() > 1 && !node.proto().output(1).empty()) {
    const mlir::Type type = node.opset() < 10 ? node.elementType(0) : node.typeOf(DType::boolean);
    TILERIG_TRY(const mlir::Value kept,
                node.makeAs<CastOp>({}, type, node.constantValue(Tensor::scalar(true))));
    TILERIG_TRY(const mlir::Value mask, node.makeAs<ExpandOp>(node.shape(0), type, kept));
    results.push_back(mask);
  }
  return results;
}

// Imports CenterCropPad, which crops or zero-pads each axis, equally at the front and the back; an odd
// element goes to the back.
Value centerCropPad(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const Ints wanted, node.constantInts(1, "the shape"));
  Ints axes = node.integers("axes").value_or(Ints());
  for (int64_t i = 0; i < node.rank(0) && !node.attribute("axes"); ++i)
    axes.push_back(i);
  if (axes.size() != wanted.size())
    return node.refuse(fmt::format("{} sizes are given for {} axes", wanted.size(), axes.size()));
  SliceBounds cut(node.shape(0));
  Ints pads(2 * node.shape(0).size(), 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    TILERIG_TRY(const int64_t axis, node.axis(axes[i], node.rank(0)));
    const int64_t size = node.shape(0)[axis], target = wanted[i];
    if (target < 0)
      return node.refuse(fmt::format("size {} is negative", target));
    if (target < size)
      cut.set(node.shape(0), axis, (size - target) / 2, (size - target) / 2 + target, 1);
    pads[axis] = target > size ? (target - size) / 2 : 0;
    pads[node.shape(0).size() + axis] = target > size ? target - size - pads[axis] : 0;
  }
  TILERIG_TRY(const mlir::Value inner, node.make<SliceOp>(node.input(0), cut.starts, cut.ends, cut.steps));
  return node.make<PadOp>(inner, mlir::Value(), pads, PadMode::constant);
}

Value tile(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const Ints repeats, node.constantInts(1, "the repeats"));
  return node.make<TileOp>(node.input(0), repeats);
}

} // namespace

void addMovement(ImporterTable &table) {
  table.emplace("Reshape", one(reshape));
  table.emplace("Flatten", one(flatten));
  table.emplace("Squeeze", one(squeeze));
  table.emplace("Unsqueeze", one(unsqueeze));
  table.emplace("Transpose", one(transpose));
  table.emplace("Concat", one(concat));
  table.emplace("Slice", one(slice));
  table.emplace("Split", split);
  table.emplace("Expand", one(expand));
  table.emplace("Pad", one(pad));
  table.emplace("Tile", one(tile));
  table.emplace("CenterCropPad", one(centerCropPad));
  table.emplace("DepthToSpace", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.make<DepthToSpaceOp>(node.input(0),
                                                   static_cast<uint64_t>(node.integer("blocksize", 0)),
                                                   node.text("mode", "DCR") == "CRD");
                }));
  table.emplace("SpaceToDepth", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.make<SpaceToDepthOp>(node.input(0),
                                                   static_cast<uint64_t>(node.integer("blocksize", 0)));
                }));
  // Operators that do not change their input: their result is the input, without an operation.
  table.emplace("Identity", one([](const NodeReader &node) -> Value {
                  TILERIG_CHECK_OK(node.needs(1));
                  return node.input(0);
                }));
  table.emplace("Dropout", dropout);
}

} // namespace tilerig::compiler
