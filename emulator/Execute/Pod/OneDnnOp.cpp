// Instructions of the POD (matrix engine) whose integer sums oneDNN computes: 8-bit convolutions without
// groups and matrix products with constant weights, if no sum can overflow.
//
// The results have the same bits as with the emulator's own kernels. oneDNN computes the sums of all
// positions at once; starting values and the zero-point correction are added modulo 2^32, and the usual
// epilogue finishes the results block by block. If only some rows of an instruction are to be computed, as
// happens in programs that are not proved free of races, the emulator's own kernel computes them.
#include "emulator/Execute/Pod/ByteWeights.h"
#include "emulator/Execute/Pod/EightBitImage.h"
#include "emulator/Execute/Pod/Epilogue.h"
#include "emulator/Execute/Pod/OneDnn.h"
#include "emulator/Execute/Pod/Ops.h"
#include "emulator/Execute/Pod/Product.h"
#include "emulator/Execute/Pod/WindowGroups.h"
#include "isa/Instructions/CheckRules.h"

#include <deque>
#include <numeric>

namespace tilerig::emulator::pod {

namespace {

// Everything that oneDNN needs to execute an instruction.
struct Prepared {
  EightBitImage image;
  // The oneDNN kernel that computes one part of the channels.
  std::shared_ptr<const OneDnnProduct> product;
  // Weights of each part of the channels, in oneDNN's layout.
  std::vector<std::shared_ptr<const ReorderedWeights>> weights;
  // For each output, the number that is added to its sums to correct for the input's zero point.
  std::vector<int32_t> zeroPointShare;
  SharedOperand *shared = nullptr;
  EpilogueRunner epilogue;
  uint32_t outputs = 0;
};

class PreparedOneDnn final : public PreparedOp {
public:
  PreparedOneDnn(Prepared prepared, std::unique_ptr<PreparedOp> own)
      : PreparedOp(own->rows()), prepared(std::move(prepared)), own(std::move(own)) {}

  std::optional<DataFault> run(uint64_t begin, uint64_t end, Scratch &scratch) const override {
    if (begin != 0 || end != rows())
      return own->run(begin, end, scratch);
    const size_t partSums = rows() * prepared.outputs;
    int32_t *sums = scratch.of<int32_t>(productSums, prepared.image.parts * partSums);
    if (!takeSums(sums, partSums, scratch))
      return own->run(begin, end, scratch);
    const size_t accStride = roundUp(prepared.outputs, panelOutputs), most = positionsPerBlock(accStride);
    const Accumulators<int32_t> acc{scratch.of<int32_t>(accumulators, most * accStride), accStride};
    std::array<uint32_t, mostPositions> positions;
    for (uint64_t first = 0; first < end; first += most) {
      const std::span block = std::span(positions).first(std::min(most, end - first));
      std::iota(block.begin(), block.end(), static_cast<uint32_t>(first));
      prepared.epilogue.start(block, acc);
      addParts({sums + first * prepared.outputs, partSums, prepared.image.parts,
                prepared.zeroPointShare.data(), block.size(), prepared.outputs, acc.data, acc.stride});
      prepared.epilogue.finish(block, acc, scratch);
    }
    return {};
  }

private:
  // Computes the sums of products of all positions with oneDNN, for one part of the channels after the other.
  // Returns false if oneDNN fails.
  bool takeSums(int32_t *sums, size_t partSums, Scratch &scratch) const {
    const uint8_t *image = prepared.shared ? sharedImage() : ownImage(scratch);
    std::byte *work = scratch.of<std::byte>(productScratch, prepared.product->scratchBytes());
    bool done = true;
    for (uint32_t part = 0; part < prepared.image.parts; ++part)
      done = done && prepared.product->run(image + part * prepared.image.partBytes(), *prepared.weights[part],
                                           sums + part * partSums, work);
    if (prepared.shared)
      prepared.shared->release();
    return done;
  }

  const uint8_t *ownImage(Scratch &scratch) const {
    auto *bytes = scratch.of<uint8_t>(activations, prepared.image.bytes());
    for (uint32_t row = 0; row < prepared.image.rows(); ++row)
      prepared.image.fillRow(bytes, row);
    return bytes;
  }
  const uint8_t *sharedImage() const {
    return reinterpret_cast<const uint8_t *>(
        prepared.shared->get(prepared.image.bytes(), prepared.image.rows(), [&](std::byte *to, uint32_t row) {
          prepared.image.fillRow(reinterpret_cast<uint8_t *>(to), row);
        }));
  }

  Prepared prepared;
  std::unique_ptr<PreparedOp> own;
};

// Operand addresses for the emulator's own kernel, which replaces oneDNN when only some rows of a product are
// wanted or oneDNN fails. The kernel does not use the cache of packed weights. It does not register as a
// reader of shared operands (SharedOperand.h) either, because in most runs it is not called.
class PlacesForParts final : public Places {
public:
  explicit PlacesForParts(const Places &places) : places(places) {}

  View view(std::string_view operand, const Stream &stream, unsigned tile) const override {
    return places.view(operand, stream, tile);
  }
  bool isConstant(std::string_view) const override { return false; }
  PackCache &packs() const override { return places.packs(); }
  const std::byte *vector(std::string_view operand, uint64_t base, uint64_t sizeBytes) const override {
    return places.vector(operand, base, sizeBytes);
  }

private:
  const Places &places;
};

// The operands of a convolution; a matrix product is treated as a convolution with a 1 × 1 window.
struct Problem {
  // The weights have the shape [1][outputs][kernel rows][kernel columns][channels].
  View input, weights, output;
  Window window;
};

EightBitImage imageOf(const Problem &problem, const ByteWeights &weights, int32_t zeroPoint) {
  const uint32_t outHeight = problem.output.size(2), outWidth = problem.output.size(3);
  EightBitImage image{.input = problem.input,
                      .height = outHeight,
                      .width = outWidth,
                      .top = problem.window.padTop,
                      .left = problem.window.padLeft,
                      .parts = weights.parts,
                      .partChannels = weights.partChannels,
                      .zeroPoint = static_cast<uint8_t>(zeroPoint)};
  // Along an axis where the convolution kernel has length 1, only the pixels that it reads are copied.
  if (problem.weights.size(2) == 1)
    image.stepH = problem.window.strideH;
  else
    image.height =
        reach(outHeight, problem.weights.size(2), problem.window.strideH, problem.window.dilationH);
  if (problem.weights.size(3) == 1)
    image.stepW = problem.window.strideW;
  else
    image.width = reach(outWidth, problem.weights.size(3), problem.window.strideW, problem.window.dilationW);
  return image;
}

ProductShape shapeOf(const Problem &problem, const EightBitImage &image) {
  const uint32_t kernelH = problem.weights.size(2), kernelW = problem.weights.size(3);
  ProductShape shape{.images = image.images(),
                     .height = image.height,
                     .width = image.width,
                     .channels = image.partChannels,
                     .outputs = problem.weights.size(1),
                     .kernelH = kernelH,
                     .kernelW = kernelW};
  // If the window is 1 × 1, all pixels are treated as one row. Then fewer shapes, and so fewer kernels, are
  // needed.
  if (kernelH == 1 && kernelW == 1) {
    shape.width *= shape.images * shape.height;
    shape.images = shape.height = 1;
  }
  if (kernelH > 1)
    shape.strideH = problem.window.strideH, shape.dilationH = problem.window.dilationH;
  if (kernelW > 1)
    shape.strideW = problem.window.strideW, shape.dilationW = problem.window.dilationW;
  return shape;
}

// Weights in the format that oneDNN needs, by part of the channels.
using WeightParts = std::vector<std::shared_ptr<const ReorderedWeights>>;
// Reorders each part of the weights for the product. If oneDNN fails for a part, the returned list has fewer
// elements than there are parts.
WeightParts reorderParts(const View &weights, int32_t zeroPoint, const ByteWeights &known,
                         const OneDnnProduct &product) {
  const std::vector<int8_t> values = partedWeights(weights, zeroPoint, known);
  const size_t size = values.size() / known.parts;
  WeightParts parts;
  for (uint32_t part = 0; part < known.parts; ++part)
    if (auto reordered = product.reorder(std::span(values).subspan(part * size, size)))
      parts.push_back(std::move(reordered));
  return parts;
}

// Ids of weight layouts in the cache of packed weights. The emulator's own kernels use the number of groups
// as the id. These ids are much larger, so the two cannot be confused.
constexpr uint32_t knownOfWeights = 1u << 30, reorderedWeights = 1u << 31;

std::optional<Prepared> prepareProduct(const Problem &problem, const Epilogue &epilogue,
                                       const Places &places) {
  const auto keyOf = [&](uint32_t layout) {
    return PackCache::keyOf(problem.weights, epilogue.weightZeroPoint, layout);
  };
  const auto known = places.packs().find(
      keyOf(knownOfWeights), [&] { return ByteWeights::of(problem.weights, epilogue.weightZeroPoint); });
  if (!known->usable)
    return {};
  Prepared prepared;
  const int32_t zeroPoint = epilogue.inputZeroPoint + (problem.input.type == ElementType::i8 ? 128 : 0);
  prepared.image = imageOf(problem, *known, zeroPoint);
  prepared.product = OneDnnProduct::of(shapeOf(problem, prepared.image));
  if (!prepared.product)
    return {};
  const auto weights = places.packs().find(keyOf(reorderedWeights | prepared.product->weightFormat()), [&] {
    return reorderParts(problem.weights, epilogue.weightZeroPoint, *known, *prepared.product);
  });
  if (weights->size() != known->parts)
    return {};
  prepared.weights = *weights;
  prepared.outputs = problem.weights.size(1);
  for (const int32_t sum : known->sums)
    prepared.zeroPointShare.push_back(-zeroPoint * sum);
  return prepared;
}

template <class T>
std::unique_ptr<PreparedOp> prepareWith(const Problem &problem, std::span<const Placed<T>> products) {
  const Places &places = *products[0].places;
  auto prepared = prepareProduct(problem, products[0].instruction->epilogue, places);
  if (!prepared)
    return nullptr;
  prepared->epilogue = epilogueOf(products);
  prepared->shared = places.shared(problem.input, prepared->image.layout());
  std::deque<PlacesForParts> placesForParts;
  std::vector<Placed<T>> own;
  for (const Placed<T> &each : products)
    own.push_back({each.instruction, each.tile, &placesForParts.emplace_back(*each.places)});
  return std::make_unique<PreparedOneDnn>(*std::move(prepared), prepareOwn(own));
}

} // namespace

std::unique_ptr<PreparedOp> prepareOneDnn(Matmuls matmuls) {
  const auto &[matmul, tile, places] = matmuls[0];
  if (isFloat(matmul->a.type) || !places->isConstant("b") || places->mayOverflow())
    return nullptr;
  View weights = weightsOf(matmuls);
  for (unsigned d = 0; d < 3; ++d)
    if (weights.size(d) > 1 && weights.stride(d) != 0)
      return nullptr; // oneDNN needs the same weights in all matrix products of an instruction
  weights.dims = {{{1, 0}, weights.dims[3], {1, 0}, {1, 0}, weights.dims[4]}};
  return prepareWith(
      {places->view("a", matmul->a, tile), weights, places->view("output", matmul->output, tile), {}},
      matmuls);
}

std::unique_ptr<PreparedOp> prepareOneDnn(Convs convs) {
  const auto &[conv, tile, places] = convs[0];
  if (isFloat(conv->input.type) || conv->groups != 1 || !places->isConstant("weights") ||
      places->mayOverflow())
    return nullptr;
  return prepareWith({places->view("input", conv->input, tile), weightsOf(convs),
                      places->view("output", conv->output, tile), conv->window},
                     convs);
}

} // namespace tilerig::emulator::pod
