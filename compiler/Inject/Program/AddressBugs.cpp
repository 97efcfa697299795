// Address bugs: inputs are read at wrong addresses or with a wrong pitch.
#include "compiler/Inject/Program/LayerTasks.h"

namespace tilerig::compiler {

namespace {

// For a stream (address generator) that reads an image or a matrix: the index of its dimension that steps
// through the rows.
constexpr unsigned imageRows = 2, matrixRows = 3;

// The tasks that read the layer's input. If the layer is computed by im2col, these are only the Flatten
// tasks, which copy the convolution's windows into the rows of a matrix.
std::vector<Task *> readersOf(const LayerTasks &layer) {
  const auto isFlatten = [](const Task &task) { return std::holds_alternative<Flatten>(task.instruction); };
  std::vector<Task *> flattening = layer.tasks(isFlatten);
  if (!flattening.empty())
    return flattening;
  return layer.tasks([](Task &task) { return computes(task) && firstInput(task.instruction); });
}

// Adds a number of bytes, which may be negative, to the base address of the stream. If the address would
// become negative, changes nothing and returns false.
bool moveBase(Stream &stream, int64_t bytes) {
  if (bytes < 0 && stream.base < static_cast<uint64_t>(-bytes))
    return false;
  stream.base += static_cast<uint64_t>(bytes);
  return true;
}

Status shiftBase(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(const int64_t elements, draw.nonZero("elements", -64, 64));
  return layer.change(
      readersOf(layer),
      [&](Instruction &instruction) {
        Stream &input = *firstInput(instruction);
        return moveBase(input, elements * sizeBytes(input.type));
      },
      "no input of the layer can be read at an address shifted by this much");
}

// In the stream (address generator) of an instruction's first input, the dimension that steps through rows:
// those of the matrix (Matmul) or of the image (Conv, Flatten, Pool); for all other instructions the
// dimension with the longest stride.
Dimension &rowsOf(Instruction &instruction) {
  Stream &input = *firstInput(instruction);
  if (std::holds_alternative<Matmul>(instruction))
    return input.dims[matrixRows];
  if (std::holds_alternative<Conv>(instruction) || std::holds_alternative<Flatten>(instruction) ||
      std::holds_alternative<Pool>(instruction))
    return input.dims[imageRows];
  return *std::ranges::max_element(input.dims, {}, &Dimension::stride);
}

Status changePitch(const LayerTasks &layer, BugDraw &draw) {
  TILERIG_TRY(const int64_t elements, draw.nonZero("elements", -64, 64));
  return layer.change(
      readersOf(layer),
      [&](Instruction &instruction) {
        Dimension &rows = rowsOf(instruction);
        const int64_t stride = rows.stride + elements * sizeBytes(firstInput(instruction)->type);
        if (rows.size < 2 || stride <= 0)
          return false;
        rows.stride = static_cast<uint32_t>(stride);
        return true;
      },
      "no input of the layer has rows whose stride can change by this much");
}

// Injects the bug last-part-shifted: of the tiles that compute a layer, the last one reads its input shifted
// by some rows of the image.
Status shiftLastPart(const LayerTasks &layer, BugDraw &draw) {
  std::vector<Task *> readers = readersOf(layer);
  unsigned last = 0, first = UINT32_MAX;
  for (const Task *task : readers) {
    last = std::max(last, task->tile);
    first = std::min(first, task->tile);
  }
  if (readers.empty() || first == last)
    return hasNot("only one tile computes the layer");
  std::erase_if(readers, [&](const Task *task) { return task->tile != last; });
  TILERIG_TRY(const int64_t rows, draw.nonZero("rows", -2, 2));
  return layer.change(
      readers,
      [&](Instruction &instruction) {
        Stream &input = *firstInput(instruction);
        return moveBase(input, rows * rowsOf(instruction).stride);
      },
      "no input of the layer can be read at an address shifted by this much");
}

constexpr TaskBug bugsOfAddresses[] = {
    {"base-shifted", shiftBase},
    {"pitch-wrong", changePitch},
    {"last-part-shifted", shiftLastPart},
};

} // namespace

std::span<const TaskBug> addressBugs() { return bugsOfAddresses; }

} // namespace tilerig::compiler
