// Convolutions as matrix products (im2col): the PE (vector engine) copies the windows to the rows of a
// matrix, and the POD (matrix engine) multiplies it.
#include "compiler/Tile/Ops/Families.h"
#include "compiler/Tile/Ops/Walk.h"
#include "compiler/Tile/Ops/Windows.h"

namespace tilerig::compiler {

namespace {

// Divides each image of the result into `parts` bands of rows.
std::vector<Box> bandsOf(const Box &result, int64_t parts) {
  std::vector<Box> bands;
  for (int64_t image = result[batchAxis].begin; image < result[batchAxis].end; ++image)
    for (const Range &rows : cutRange(result[rowAxis], parts, 1)) {
      bands.push_back(result);
      bands.back()[batchAxis] = {image, image + 1};
      bands.back()[rowAxis] = rows;
    }
  return bands;
}

// The bands of the result in the order in which they are flattened and multiplied: several bands of rows per
// image if flattening overlaps with multiplication, else whole images. Overlapping falls back to whole images
// if the windows of some band hold only padding, because no instruction can flatten such a band.
std::vector<Box> bandsOf(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                         const EngineMapping &engineMapping, const Box &result) {
  constexpr int64_t numOverlapped = 4;
  if (engineMapping.flattening == Flattening::overlapped)
    if (std::vector<Box> bands = bandsOf(result, numOverlapped);
        std::ranges::all_of(bands, [&](const Box &band) { return isComputable(deviceOp, tensors, band); }))
      return bands;
  return bandsOf(result, 1);
}

uint64_t depthOfRow(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors) {
  const std::vector<int64_t> &weights = tensors[deviceOp.operands[1].tensor].shape;
  return static_cast<uint64_t>(weights[1] * weights[2] * weights[3]);
}
uint64_t positionsOf(const Box &band) {
  return static_cast<uint64_t>(band[rowAxis].size() * band[columnAxis].size());
}

// Whether each row of a band of the image directly follows the previous one in memory.
bool isOneRow(const View &view, const Box &band) {
  return band[rowAxis].size() == 1 || view.box[columnAxis].size() == band[columnAxis].size();
}
// Stream (address generator) over a matrix of pixels × output channels. With `asOne`, one dimension of the
// stream covers rows and columns of the image; otherwise each has a dimension of its own.
Stream positionsBy(const View &view, const Box &part, bool asOne) {
  Stream stream = streamOf(view, part);
  const uint64_t row = view.strideOf(rowAxis), column = view.strideOf(columnAxis);
  const Dimension outputs =
      dimension(static_cast<uint64_t>(part[channelAxis].size()), view.strideOf(channelAxis));
  const auto rows = static_cast<uint64_t>(part[rowAxis].size()),
             columns = static_cast<uint64_t>(part[columnAxis].size());
  stream.dims.fill({1, 0});
  stream.dims[2] = asOne ? Dimension{1, 0} : dimension(rows, row);
  stream.dims[3] = asOne ? dimension(rows * columns, column) : dimension(columns, column);
  stream.dims[4] = outputs;
  return stream;
}

class FlattenedWriter {
public:
  explicit FlattenedWriter(StepWriting &step)
      : step(step), conv(std::get<Conv>(step.deviceOp.action)), type(step.operandTensor(0).type),
        depth(depthOfRow(step.deviceOp, step.tensors)) {}

  void write(const Box &band, uint64_t rows) {
    flatten(band, rows);
    multiply(band, rows);
  }

private:
  void flatten(const Box &band, uint64_t rows) {
    const Box input = neededBox(step.deviceOp.operands[0], step.operandTensor(0), band);
    const Box weights = step.needed(1);
    Flatten flatten{.window = windowAt(conv.window, step.deviceOp.pads, band, input),
                    .input = streamOf(step.places.from[0], input)};
    if (!isFloat(type))
      flatten.padValue = static_cast<uint8_t>(conv.epilogue.inputZeroPoint);
    const uint64_t element = sizeBytes(type), row = depth * element;
    const auto channels = static_cast<uint64_t>(weights[channelAxis].size()),
               kernelColumns = static_cast<uint64_t>(weights[columnAxis].size()),
               kernelRows = static_cast<uint64_t>(weights[rowAxis].size());
    const auto columns = static_cast<uint64_t>(band[columnAxis].size());
    flatten.output = {.space = Space::ocm, .type = type, .base = rows};
    flatten.output.dims = {dimension(static_cast<uint64_t>(band[rowAxis].size()), columns * row),
                           dimension(columns, row), dimension(kernelRows, kernelColumns * channels * element),
                           dimension(kernelColumns, channels * element), dimension(channels, element)};
    step.add(flatten);
  }

  void multiply(const Box &band, uint64_t rows) {
    const View &to = step.places.to, &weights = step.places.from[1];
    const View *addend = step.deviceOp.addend ? &step.places.from[*step.deviceOp.addend] : nullptr;
    const bool asOne = isOneRow(to, band) && (!addend || isOneRow(*addend, band));
    const uint64_t row = depth * sizeBytes(type);
    const auto numRows = asOne ? 1 : static_cast<uint64_t>(band[rowAxis].size());
    const uint64_t positions = positionsOf(band) / numRows;
    Matmul matmul{.mapping = step.places.engineMapping.mapping, .epilogue = conv.epilogue};
    matmul.a = {.space = Space::ocm, .type = type, .base = rows};
    matmul.a.dims = {Dimension{1, 0}, Dimension{1, 0}, dimension(numRows, positions * row),
                     dimension(positions, row), dimension(depth, sizeBytes(type))};
    matmul.b = streamOf(weights, step.needed(1));
    matmul.b.dims = {Dimension{1, 0}, Dimension{1, 0}, dimension(numRows, 0),
                     dimension(static_cast<uint64_t>(step.needed(1)[0].size()), weights.strideOf(0)),
                     dimension(depth, sizeBytes(weights.type))};
    matmul.output = positionsBy(to, band, asOne);
    if (addend)
      matmul.epilogue.addend = positionsBy(*addend, band, asOne);
    placeVectors(step, matmul.epilogue);
    step.add(matmul);
  }

  StepWriting &step;
  const Conv conv;
  const ElementType type;
  const uint64_t depth;
};

// Scratch bytes for the flattened windows of the largest band, aligned. If flattening overlaps with
// multiplication, there are two such buffers, which are used in turn (double buffering).
uint64_t bytesOfLargestBand(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                            const std::vector<Box> &bands) {
  constexpr uint64_t alignment = 64;
  uint64_t most = 0;
  for (const Box &band : bands)
    most = std::max(most, positionsOf(band));
  const uint64_t bytes =
      most * depthOfRow(deviceOp, tensors) * sizeBytes(tensors[deviceOp.operands[0].tensor].type);
  return (bytes + alignment - 1) / alignment * alignment;
}

} // namespace

uint64_t flattenedBytes(const DeviceOp &deviceOp, const std::vector<DeviceTensor> &tensors,
                        const EngineMapping &engineMapping, const Box &result) {
  const uint64_t band =
      bytesOfLargestBand(deviceOp, tensors, bandsOf(deviceOp, tensors, engineMapping, result));
  return engineMapping.flattening == Flattening::overlapped ? 2 * band : band;
}

void writeFlattenedConv(StepWriting &step) {
  const std::vector<Box> bands =
      bandsOf(step.deviceOp, step.tensors, step.places.engineMapping, step.places.result);
  const uint64_t bandBytes = bytesOfLargestBand(step.deviceOp, step.tensors, bands);
  const bool overlaps = step.places.engineMapping.flattening == Flattening::overlapped;
  FlattenedWriter writer(step);
  for (size_t i = 0; i < bands.size(); ++i)
    writer.write(bands[i], step.places.scratch + (overlaps && i % 2 == 1 ? bandBytes : 0));
}

} // namespace tilerig::compiler
