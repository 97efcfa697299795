#include "compiler/Graph/Import/HostTypes.h"

#include "compiler/Graph/Import/Opaque.h"
#include "compiler/Graph/Import/RuntimeTypes.h"
#include "compiler/Graph/Import/WindowAttributes.h"
#include "isa/Base/Tensor/FourBits.h"

#include <fmt/core.h>
#include <unordered_map>

namespace tilerig::compiler {

namespace {

using Rule = Result<HostTypes> (*)(const NodeReader &);
constexpr int64_t open = mlir::ShapedType::kDynamic;

HostTypes like(const NodeReader &node, size_t operand, llvm::ArrayRef<int64_t> shape) {
  return {mlir::RankedTensorType::get(shape, node.elementType(operand))};
}
mlir::RankedTensorType indices(const NodeReader &node, llvm::ArrayRef<int64_t> shape) {
  return mlir::RankedTensorType::get(shape, node.typeOf(DType::i64));
}

// The value of an operand that must be a single integer; `open` if the value is known only at run time.
Result<int64_t> sizeFrom(const NodeReader &node, size_t operand, std::string_view subject) {
  const auto values = node.constantInts(operand, subject);
  if (!values && values.error().kind == ErrorKind::unsupported)
    return open;
  if (!values)
    return values.error();
  if (values->size() != 1)
    return node.refuse(fmt::format("{} is not a single number", subject));
  return values->front();
}

Error doesNotFit(const NodeReader &node, const char *subject, size_t operand) {
  return node.refuse(fmt::format("{} cannot have the shape {}", subject, graph::text(node.shape(operand))));
}

Result<HostTypes> nonMaxSuppression(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 5));
  const auto boxes = node.shape(0), scores = node.shape(1);
  if (boxes.size() != 3 || boxes[2] != 4 || scores.size() != 3 || scores[0] != boxes[0] ||
      scores[2] != boxes[1])
    return node.refuse(fmt::format("the shapes of boxes {} and scores {} do not match", graph::text(boxes),
                                   graph::text(scores)));
  return HostTypes{indices(node, {open, 3})};
}

Result<HostTypes> nonZeroIndices(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  return HostTypes{indices(node, {node.rank(0), open})};
}

// The result of Compress; if the node has no axis, the selected elements form a flat list.
Result<HostTypes> chosen(const NodeReader &node) {
  if (!node.attribute("axis"))
    return like(node, 0, {open});
  TILERIG_TRY(const int64_t axis, node.axis(node.integer("axis", 0), node.rank(0)));
  Ints shape(node.shape(0));
  shape[axis] = open;
  return like(node, 0, shape);
}

Result<HostTypes> compressed(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  if (node.rank(1) != 1 || !node.elementType(1).isInteger(1))
    return doesNotFit(node, "a condition", 1);
  return chosen(node);
}

Result<HostTypes> unique(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(HostTypes types, chosen(node));
  int64_t size = 1;
  for (size_t i = 0; i < node.shape(0).size(); ++i)
    if (!node.attribute("axis") || mlir::ShapedType::isDynamic(types[0].getShape()[i]))
      size *= node.shape(0)[i];
  types.append({indices(node, {open}), indices(node, {size}), indices(node, {open})});
  return types;
}

Result<HostTypes> gridSample(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  const auto image = node.shape(0), grid = node.shape(1);
  if (image.size() < 3 || grid.size() != image.size() || grid[0] != image[0] ||
      grid.back() != static_cast<int64_t>(image.size() - 2))
    return node.refuse(fmt::format("a grid of shape {} does not fit an input of shape {}", graph::text(grid),
                                   graph::text(image)));
  Ints shape = {image[0], image[1]};
  llvm::append_range(shape, grid.drop_front().drop_back());
  return like(node, 0, shape);
}

Result<HostTypes> affineGrid(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  TILERIG_TRY(const Ints size, node.constantInts(1, "the size"));
  const auto axes = static_cast<int64_t>(size.size()) - 2;
  if ((axes != 2 && axes != 3) || node.shape(0) != llvm::ArrayRef<int64_t>{size[0], axes, axes + 1})
    return doesNotFit(node, "theta", 0);
  Ints shape = {size[0]};
  shape.append(size.begin() + 2, size.end());
  shape.push_back(axes);
  return like(node, 0, shape);
}

Result<HostTypes> roiAlign(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  const auto image = node.shape(0), regions = node.shape(1);
  if (image.size() != 4 || regions.size() != 2 || regions[1] != 4 || node.shape(2) != regions.take_front(1))
    return doesNotFit(node, "regions", 1);
  return like(node, 0,
              {regions[0], image[1], node.integer("output_height", 1), node.integer("output_width", 1)});
}

Result<HostTypes> maxRoiPool(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2));
  const Ints bins = node.integers("pooled_shape").value_or(Ints());
  const auto image = node.shape(0), regions = node.shape(1);
  if (bins.size() != 2 || image.size() != 4 || regions.size() != 2 || regions[1] != 5)
    return doesNotFit(node, "regions", 1);
  return like(node, 0, {regions[0], image[1], bins[0], bins[1]});
}

// --- Windows ---

// The maxima of windows and their positions.
Result<HostTypes> maxPoolWithPositions(const NodeReader &node) {
  TILERIG_TRY(const WindowAttributes attributes, poolingWindows(node));
  const graph::Windows windows{attributes.kernel, attributes.strides, attributes.dilations, attributes.pads,
                               node.integer("ceil_mode", 0) != 0};
  if (llvm::failed(windows.check(node.shape(0), {std::nullopt})))
    return doesNotFit(node, "the image", 0);
  Ints shape(node.shape(0).take_front(2));
  for (size_t i = 0; i < windows.axes(); ++i)
    shape.push_back(windows.outputs(i, node.shape(0)[i + 2]));
  HostTypes types = like(node, 0, shape);
  types.push_back(indices(node, shape));
  return types;
}

Result<HostTypes> maxUnpool(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  const Ints kernel = node.integers("kernel_shape").value_or(Ints());
  const size_t axes = kernel.size();
  const Ints strides = node.integers("strides").value_or(Ints(axes, 1)),
             pads = node.integers("pads").value_or(Ints(2 * axes, 0));
  if (node.shape(0) != node.shape(1) || node.rank(0) != static_cast<int64_t>(axes + 2) || axes == 0 ||
      strides.size() != axes || pads.size() != 2 * axes)
    return doesNotFit(node, "indices", 1);
  if (node.has(2)) {
    TILERIG_TRY(const Ints stated, node.constantInts(2, "the shape"));
    return like(node, 0, stated);
  }
  Ints shape(node.shape(0).take_front(2));
  for (size_t i = 0; i < axes; ++i)
    shape.push_back((node.shape(0)[i + 2] - 1) * strides[i] - pads[i] - pads[axes + i] + kernel[i]);
  return like(node, 0, shape);
}

Result<HostTypes> col2Im(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3));
  TILERIG_TRY(const Ints image, node.constantInts(1, "the image's shape"));
  TILERIG_TRY(const Ints block, node.constantInts(2, "the block's shape"));
  int64_t taps = 1;
  for (int64_t size : block)
    taps *= size;
  if (node.rank(0) != 3 || taps < 1 || node.shape(0)[1] % taps != 0)
    return doesNotFit(node, "columns", 0);
  Ints shape = {node.shape(0)[0], node.shape(0)[1] / taps};
  llvm::append_range(shape, image);
  return like(node, 0, shape);
}

// The result of DeformConv, which has the spatial size of the operand with the offsets.
Result<HostTypes> deformConv(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(3, 5));
  if (node.rank(0) != 4 || node.rank(1) != 4 || node.rank(2) != 4)
    return doesNotFit(node, "offsets", 2);
  return like(node, 0, {node.shape(0)[0], node.shape(1)[0], node.shape(2)[2], node.shape(2)[3]});
}

// --- Signals ---

Result<HostTypes> window(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  TILERIG_TRY(const int64_t size, sizeFrom(node, 0, "the size"));
  const auto type = dtypeOfOnnx(node.integer("output_datatype", 1));
  if (!type)
    return node.unsupportedHere("attribute 'output_datatype' is not a supported element type");
  return HostTypes{mlir::RankedTensorType::get({size}, node.typeOf(*type))};
}

Result<HostTypes> melWeights(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(5));
  TILERIG_TRY(const int64_t bins, sizeFrom(node, 0, "the number of mel frequency bins"));
  TILERIG_TRY(const int64_t length, sizeFrom(node, 1, "the length of the Fourier transform"));
  const auto type = dtypeOfOnnx(node.integer("output_datatype", 1));
  if (!type)
    return node.unsupportedHere("attribute 'output_datatype' is not a supported element type");
  return HostTypes{
      mlir::RankedTensorType::get({length == open ? open : length / 2 + 1, bins}, node.typeOf(*type))};
}

// DFT: the axis is an attribute before operator set 20, an operand since.
Result<HostTypes> dft(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, 3));
  int64_t raw = node.opset() < 20 ? node.integer("axis", 1) : -2;
  if (node.opset() >= 20 && node.has(2)) {
    TILERIG_TRY(const Ints values, node.constantInts(2, "the axis"));
    raw = values.size() == 1 ? values[0] : node.rank(0);
  }
  TILERIG_TRY(const int64_t axis, node.axis(raw, node.rank(0)));
  if (axis + 1 == node.rank(0))
    return node.refuse(
        "the axis of the transform must not be the last one, which holds the real and imaginary parts");
  Ints shape(node.shape(0));
  if (node.has(1)) {
    TILERIG_TRY(shape[axis], sizeFrom(node, 1, "the length"));
  }
  if (node.integer("onesided", 0) != 0 && shape[axis] != open)
    shape[axis] = shape[axis] / 2 + 1;
  shape.back() = 2;
  return like(node, 0, shape);
}

Result<HostTypes> stft(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 4));
  TILERIG_TRY(const int64_t step, sizeFrom(node, 1, "the step"));
  const auto signal = node.shape(0);
  if (signal.size() < 2 || signal.size() > 3 || step == 0 || (node.has(2) && node.rank(2) != 1))
    return doesNotFit(node, "a signal", 0);
  int64_t length = node.has(2) ? node.shape(2)[0] : signal[1];
  if (node.has(3)) {
    TILERIG_TRY(length, sizeFrom(node, 3, "the length of a frame of the signal"));
  }
  const bool isHalf = node.integer("onesided", 1) != 0 && (signal.size() == 2 || signal[2] == 1);
  const int64_t frames = step == open || length == open ? open : (signal[1] - length) / step + 1;
  return like(node, 0, {signal[0], frames, length == open ? open : isHalf ? length / 2 + 1 : length, 2});
}

// --- Others ---

Result<HostTypes> determinant(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  if (node.rank(0) < 2 || node.shape(0).back() != node.shape(0).end()[-2])
    return doesNotFit(node, "a square matrix", 0);
  return like(node, 0, node.shape(0).drop_back(2));
}

Result<HostTypes> ngrams(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1));
  const Ints places = node.integers("ngram_indexes").value_or(Ints());
  if (places.empty() || node.rank(0) < 1 || node.rank(0) > 2)
    return doesNotFit(node, "a list of rows", 0);
  Ints shape(node.shape(0).drop_back());
  shape.push_back(*std::max_element(places.begin(), places.end()) + 1);
  return HostTypes{mlir::RankedTensorType::get(shape, node.typeOf(DType::f32))};
}

// Loss operators: the result is a loss for each element, or reduced to a scalar.
Result<HostTypes> loss(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  if (node.rank(0) < 2 || node.rank(1) + 1 != node.rank(0))
    return doesNotFit(node, "labels", 1);
  HostTypes types =
      node.text("reduction", "mean") == "none" ? like(node, 0, node.shape(1)) : like(node, 0, {});
  // The log-probabilities, an optional result of the loss operator.
  types.append(like(node, 0, node.shape(0)));
  return types;
}

// The result of QuantizeLinear with 4-bit integers, which tensors hold in bytes.
Result<HostTypes> fourBits(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(2, 3));
  const auto type = fourBitsOfOnnx(node.integer("output_dtype", 0));
  return type ? HostTypes{mlir::RankedTensorType::get(node.shape(0), node.typeOf(type->storage))}
              : HostTypes();
}

Result<HostTypes> asInput(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(1, std::max<size_t>(1, node.inputs().size())));
  return like(node, 0, node.shape(0));
}

// Batch normalisation in training mode: the output, then the updated mean and variance.
Result<HostTypes> trainedBatchNorm(const NodeReader &node) {
  TILERIG_CHECK_OK(node.needs(5));
  HostTypes types = like(node, 0, node.shape(0));
  types.append(like(node, 3, node.shape(3)));
  types.append(like(node, 4, node.shape(4)));
  return types;
}

// The result of GroupQueryAttention and the caches that it returns, which are as long as the longest sequence unless
// the given caches are longer.
Result<HostTypes> groupQueryTypes(const NodeReader &node) {
  constexpr size_t key = 1, pastKey = 3, totalLength = 6;
  TILERIG_CHECK_OK(node.needs(1, 16));
  TILERIG_TRY(const int64_t heads, node.neededInteger("num_heads"));
  TILERIG_TRY(const int64_t keyHeads, node.neededInteger("kv_num_heads"));
  if (node.integer("qk_output", 0) != 0 || node.integer("sliding_window_cache", 0) != 0 ||
      node.text("k_quant_type", "NONE") != "NONE" || node.text("v_quant_type", "NONE") != "NONE")
    return node.unsupportedHere("the framework does not support a quantised or sliding cache, and output_qk");
  const auto q = node.shape(0);
  const int64_t parts = node.has(key) ? heads : heads + 2 * keyHeads;
  if (q.size() != 3 || heads < 1 || keyHeads < 1 || q[2] % parts != 0 ||
      (node.has(pastKey) && node.rank(pastKey) != 4))
    return doesNotFit(node, "the query", 0);
  TILERIG_TRY(const int64_t total, sizeFrom(node, totalLength, "total_sequence_length"));
  const int64_t past = node.has(pastKey) ? node.shape(pastKey)[2] : 0;
  const Ints cache = {q[0], keyHeads, total == open ? open : std::max(past, total), q[2] / parts};
  HostTypes types = like(node, 0, {q[0], q[1], q[2] / parts * heads});
  types.append(2, like(node, 0, cache)[0]);
  return types;
}

const std::unordered_map<std::string, Rule> &rules() {
  static const std::unordered_map<std::string, Rule> all = {
      {"AffineGrid", affineGrid},
      {"BatchNormalization", trainedBatchNorm},
      {"BlackmanWindow", window},
      {"Col2Im", col2Im},
      {"Compress", compressed},
      {"DFT", dft},
      {"DeformConv", deformConv},
      {"Det", determinant},
      {"GridSample", gridSample},
      {"HammingWindow", window},
      {"HannWindow", window},
      {"MaxPool", maxPoolWithPositions},
      {"MaxRoiPool", maxRoiPool},
      {"MaxUnpool", maxUnpool},
      {"MeanVarianceNormalization", asInput},
      {"MelWeightMatrix", melWeights},
      {"NegativeLogLikelihoodLoss", loss},
      {"NonMaxSuppression", nonMaxSuppression},
      {"NonZero", nonZeroIndices},
      {"QuantizeLinear", fourBits},
      {"RoiAlign", roiAlign},
      {"STFT", stft},
      {"SoftmaxCrossEntropyLoss", loss},
      {"TensorScatter", asInput},
      {"TfIdfVectorizer", ngrams},
      {"Unique", unique},
      {"com.microsoft.GroupQueryAttention", groupQueryTypes},
      {"com.microsoft.MatMulNBits", blockProductTypes},
      {"com.microsoft.QGemm", quantisedGemmTypes},
      {"com.microsoft.QLinearAdd", quantisedBinaryTypes},
      {"com.microsoft.QLinearAveragePool", quantisedPoolTypes},
      {"com.microsoft.QLinearConcat", quantisedConcatTypes},
      {"com.microsoft.QLinearGlobalAveragePool", quantisedGlobalPoolTypes},
      {"com.microsoft.QLinearMul", quantisedBinaryTypes},
      {"com.microsoft.QLinearSigmoid", quantisedUnaryTypes},
  };
  return all;
}

} // namespace

Result<HostTypes> hostTypesOf(const NodeReader &node) {
  const auto rule = rules().find(operatorName(node));
  if (rule == rules().end())
    return HostTypes();
  for (mlir::Value operand : node.inputs())
    if (operand && !isStatic(operand))
      return HostTypes();
  const auto types = rule->second(node);
  if (!types && types.error().kind == ErrorKind::unsupported)
    return HostTypes(); // no types are returned if the size of a result is known only at run time
  if (!types)
    return types.error();
  for (const mlir::RankedTensorType type : *types)
    for (int64_t size : type.getShape())
      if (size < 0 && size != open)
        return node.refuse(fmt::format("the result would have the shape {}", graph::text(type.getShape())));
  return types;
}

} // namespace tilerig::compiler
