// Lowering of GridSample with linear interpolation of small images to products.
//
// The weight of an element at place i for a sample at position p of an axis is max(0, 1 - |p - i|). So the samples are the
// product of the weights along the rows, a matrix with a row for each sample, and the image, of which the weighted sum
// along the columns is taken. This computes all elements of an image for each sample, but needs no gather.
#include "compiler/Layer/FromGraph/Lowerings.h"
#include "compiler/Layer/FromGraph/Products.h"
#include "compiler/Layer/IR/Types.h"

#include "compiler/Graph/IR/TensorAttributes.h"

namespace tilerig::compiler {

namespace {

using namespace graph;
using Found = std::optional<Lowered>;

struct Samples {
  int64_t batch, channels, height, width; // of the images
  int64_t count;                          // samples of an image
  bool alignsCorners, repeatsBorder;
};

std::string textOf(OpaqueOp op, llvm::StringRef name, llvm::StringRef fallback) {
  const auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(op.getNodeAttributes().get(name));
  return text ? text.getValue().str() : fallback.str();
}

// The samples of a GridSample that can be lowered to products; nullopt for other operations.
std::optional<Samples> samplesOf(OpaqueOp op) {
  if (!op.getDomain().empty() || op.getNodeType() != "GridSample" || op.getInputs().size() != 2)
    return {};
  const mlir::Value image = op.getInputs()[0], grid = op.getInputs()[1];
  const std::string mode = textOf(op, "mode", "linear"), padding = textOf(op, "padding_mode", "zeros");
  const mlir::Type element = tensorType(image).getElementType();
  if (shapeOf(image).size() != 4 || shapeOf(grid).size() != 4 || mode != "linear" ||
      (padding != "zeros" && padding != "border") || !layer::isFloatForInstructions(element) ||
      tensorType(grid).getElementType() != element)
    return {};
  const auto align = llvm::dyn_cast_or_null<mlir::IntegerAttr>(op.getNodeAttributes().get("align_corners"));
  const auto shape = shapeOf(image), places = shapeOf(grid);
  return Samples{
      shape[0],           shape[1], shape[2], shape[3], places[1] * places[2], align && align.getInt() != 0,
      padding == "border"};
}

// Whether products are expected to take less time than the kernel of the host. Estimates in nanoseconds for a sample: the
// tensors of the products cross a memory of 100 bytes per nanosecond a few times, and the host takes a step for each
// product and ten for each coordinate (isa/Timing/Host.cpp).
bool areProductsFaster(const Samples &samples) {
  constexpr int64_t mostElements = int64_t{1} << 24; // of a tensor
  const int64_t elements = samples.channels * samples.width;
  if (samples.batch * samples.count * std::max(elements, samples.height) > mostElements)
    return false;
  const auto products = static_cast<double>(elements),
             weights = static_cast<double>(samples.height + samples.width),
             channels = static_cast<double>(samples.channels);
  return 0.16 * products + 0.12 * weights < 20 + 8 * channels;
}

// The weights of the `size` elements of an axis for each sample: [batch, samples, size]. `coordinates` has the samples'
// coordinates along the axis, [batch, samples, 1], where -1 and 1 are its ends.
mlir::Value weightsAlong(mlir::Value coordinates, int64_t size, const Samples &samples, LayerBuilder &to) {
  const double half = static_cast<double>(samples.alignsCorners ? size - 1 : size) / 2,
               centre = static_cast<double>(size - 1) / 2;
  const mlir::Value factor = to.number(half, coordinates), middle = to.number(centre, coordinates);
  mlir::Value position =
      to.binary(BinaryFunction::add, to.binary(BinaryFunction::mul, coordinates, factor), middle);
  if (samples.repeatsBorder)
    position = to.activate(UnaryFunction::clip, position, 0, static_cast<float>(size - 1));
  std::vector<double> places;
  for (int64_t i = 0; i < size; ++i)
    places.push_back(static_cast<double>(i));
  const DType type = *dtypeOfElement(tensorType(coordinates).getElementType());
  const mlir::Value all = to.constant(floatTensor(type, {size}, places), "places");
  const mlir::Value distance = to.activate(UnaryFunction::abs, to.binary(BinaryFunction::sub, position, all));
  const mlir::Value one = to.number(1, distance);
  return to.activate(UnaryFunction::relu, to.binary(BinaryFunction::sub, one, distance));
}

mlir::Value sample(mlir::Value image, mlir::Value grid, const Samples &samples, LayerBuilder &to) {
  const auto [batch, channels, height, width, count, aligns, repeats] = samples;
  const mlir::Value flat = to.reshape(grid, {batch, count, 2});
  const mlir::Value x = to.sliceAxis(flat, 2, 0, 1), y = to.sliceAxis(flat, 2, 1, 1);
  const mlir::Value rowWeights = weightsAlong(y, height, samples, to);
  const mlir::Value columnWeights = weightsAlong(x, width, samples, to);
  const mlir::Value rows =
      channels == 1 ? image : to.transpose(image, {0, 2, 1, 3}); // batch, rows, channels, columns
  const mlir::Value matrix = to.reshape(rows, {batch, height, channels * width});
  const mlir::Value lines = to.reshape(multiply(rowWeights, matrix, /*transposedB=*/true, {}, {}, to),
                                       {batch, count, channels, width});
  const mlir::Value weighted =
      to.binary(BinaryFunction::mul, lines, to.reshape(columnWeights, {batch, count, 1, width}));
  const mlir::Value sums =
      to.reshape(to.reduce(ReduceFunction::sum, weighted, {3}), {batch, count, channels});
  return channels == 1 ? sums : to.transpose(sums, {0, 2, 1});
}

} // namespace

std::optional<Lowered> lowerSampling(mlir::Operation *operation, LayerBuilder &to) {
  auto op = llvm::dyn_cast<OpaqueOp>(operation);
  const auto samples = op ? samplesOf(op) : std::nullopt;
  if (!samples || !areProductsFaster(*samples))
    return {};
  const mlir::Value result = sample(op.getInputs()[0], op.getInputs()[1], *samples, to);
  return lowered(to.reshape(result, shapeOf(op.getResult(0))));
}

} // namespace tilerig::compiler
