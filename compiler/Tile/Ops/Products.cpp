// Instructions of direct convolutions and matrix products.
#include "compiler/Tile/Ops/Families.h"
#include "compiler/Tile/Ops/Walk.h"
#include "compiler/Tile/Ops/Windows.h"

namespace tilerig::compiler {

namespace {

Vector vectorAt(const OpVector &vector, uint64_t address) {
  if (!vector.present())
    return {};
  return {.present = true,
          .broadcast = !vector.perOutput && vector.bytes.size() == vector.elementBytes,
          .base = address};
}
Vector tableAt(const OpVector &table, uint64_t address) {
  return {.present = table.present(), .broadcast = false, .base = table.present() ? address : 0};
}

// The sums of a product may be split along their depth (K): every part but the last stores accumulators, and
// every part but the first continues from the accumulators of the previous part.
bool beginsSum(const StepPlaces &places) { return places.depth.begin == 0; }
bool endsSum(const StepWriting &step) {
  return step.places.depth.empty() || step.places.depth.end == depthOf(step.deviceOp, step.tensors);
}
Epilogue withoutEnd(const Epilogue &whole) {
  return {.inputZeroPoint = whole.inputZeroPoint, .weightZeroPoint = whole.weightZeroPoint};
}

} // namespace

void placeVectors(const StepWriting &step, Epilogue &epilogue) {
  epilogue.bias = vectorAt(step.deviceOp.bias, step.places.bias);
  epilogue.scale = vectorAt(step.deviceOp.scale, step.places.scale);
  epilogue.table = tableAt(step.deviceOp.table, step.places.table);
}

void writeConv(StepWriting &step) {
  if (step.places.engineMapping.flattening != Flattening::none)
    return writeFlattenedConv(step);
  Conv conv = std::get<Conv>(step.deviceOp.action);
  const Box &result = step.places.result, input = step.needed(0), weights = step.needed(1);
  conv.window = windowAt(conv.window, step.deviceOp.pads, result, input);
  conv.groups = static_cast<uint32_t>(input[3].size() / weights[3].size());
  conv.input = streamOf(step.places.from[0], input);
  conv.weights = streamOf(step.places.from[1], weights);
  conv.output = streamOf(step.places.to, result);
  if (step.deviceOp.addend)
    conv.epilogue.addend = streamOf(step.places.from[*step.deviceOp.addend], result);
  placeVectors(step, conv.epilogue);
  step.add(conv);
}

// The last two axes of the operands are the matrix axes; the axes in front of them broadcast.
void writeMatmul(StepWriting &step) {
  const Box &result = step.places.result;
  const size_t rank = result.rank();
  struct Matrix {
    View view;
    const Operand *operand;
    const DeviceTensor *tensor;
  };
  std::vector<Matrix> matrices;
  for (size_t i = 0; i < step.deviceOp.operands.size(); ++i) {
    matrices.push_back(
        {step.places.from[i].at(step.needed(i)), &step.deviceOp.operands[i], &step.operandTensor(i)});
  }
  const auto strideAlong = [](const Matrix &matrix, size_t axis) {
    uint64_t stride = 0;
    for (size_t i = 0; i < matrix.operand->axes.size(); ++i)
      if (matrix.operand->axes[i].from == static_cast<int>(axis) && matrix.tensor->shape[i] > 1)
        stride += matrix.view.strideOf(i);
    return stride;
  };
  const bool begins = beginsSum(step.places), ends = endsSum(step);
  const bool addsAddend = ends && step.deviceOp.addend;
  const View to = (ends ? step.places.to : step.places.sums).at(result);
  std::vector<View> views = {to};
  for (const Matrix &matrix : matrices)
    views.push_back(matrix.view);
  if (!begins)
    views.push_back(step.places.sumsBefore().at(result));
  Walk walk(std::move(views));
  for (size_t axis = 0; axis + 2 < rank; ++axis) {
    std::vector<uint64_t> strides = {to.strideOf(axis)};
    for (const Matrix &matrix : matrices)
      strides.push_back(strideAlong(matrix, axis));
    if (!begins)
      strides.push_back(step.places.sumsBefore().strideOf(axis));
    walk.addAxis(static_cast<uint64_t>(result[axis].size()), std::move(strides));
  }
  const auto summedAxis = [](const Matrix &matrix) {
    const auto axisMap = std::ranges::find_if(matrix.operand->axes, &AxisMap::isSummed);
    return static_cast<size_t>(axisMap - matrix.operand->axes.begin());
  };
  const auto rows = static_cast<uint64_t>(result[rank - 2].size()),
             columns = static_cast<uint64_t>(result[rank - 1].size());
  const size_t depthA = summedAxis(matrices[0]), depthB = summedAxis(matrices[1]);
  const auto depth = static_cast<uint64_t>(step.needed(0)[depthA].size());
  walk.forEach(
      [&](const std::vector<Stream> &streams) {
        // Streams (address generators) are built with the batch axes in their innermost dimensions. Moves
        // these to the three outermost dimensions, which leaves the two innermost ones to the matrix axes.
        const auto inside = [](Stream stream) {
          stream.dims = {stream.dims[2], stream.dims[3], stream.dims[4], {1, 0}, {1, 0}};
          return stream;
        };
        Matmul matmul = std::get<Matmul>(step.deviceOp.action);
        if (!ends)
          matmul.epilogue = withoutEnd(matmul.epilogue);
        matmul.mapping = step.places.engineMapping.mapping;
        matmul.output = inside(streams[0]);
        matmul.a = inside(streams[1]);
        matmul.b = inside(streams[2]);
        matmul.output.dims[3] = dimension(rows, to.strideOf(rank - 2));
        matmul.output.dims[4] = dimension(columns, to.strideOf(rank - 1));
        matmul.a.dims[3] = dimension(rows, strideAlong(matrices[0], rank - 2));
        matmul.a.dims[4] = dimension(depth, matrices[0].view.strideOf(depthA));
        matmul.b.dims[3] = dimension(columns, strideAlong(matrices[1], rank - 1));
        matmul.b.dims[4] = dimension(depth, matrices[1].view.strideOf(depthB));
        if (addsAddend) {
          const Matrix &addend = matrices[*step.deviceOp.addend];
          matmul.epilogue.addend = inside(streams[*step.deviceOp.addend + 1]);
          matmul.epilogue.addend.dims[3] = dimension(rows, strideAlong(addend, rank - 2));
          matmul.epilogue.addend.dims[4] = dimension(columns, strideAlong(addend, rank - 1));
        }
        placeVectors(step, matmul.epilogue);
        if (!begins) {
          matmul.epilogue.bias = {};
          matmul.epilogue.accumulateFrom = inside(streams.back());
          const View &before = step.places.sumsBefore();
          matmul.epilogue.accumulateFrom.dims[3] = dimension(rows, before.strideOf(rank - 2));
          matmul.epilogue.accumulateFrom.dims[4] = dimension(columns, before.strideOf(rank - 1));
        }
        if (!ends)
          matmul.epilogue.scale = matmul.epilogue.table = {};
        step.add(matmul);
      },
      3);
}

} // namespace tilerig::compiler
