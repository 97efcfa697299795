// Window bugs: wrong padding, strides or dilations of windows.
#include "compiler/Inject/Program/LayerTasks.h"

namespace tilerig::compiler {

namespace {

// Indices of the dimensions of a stream (address generator) that run over the rows and columns of an image.
constexpr unsigned rowsDim = 2, columnsDim = 3;

// The kernel size, stride, dilation and padding of a windowed instruction, along rows or along columns.
struct WindowPart {
  Stream *input = nullptr;
  unsigned dim = rowsDim;
  uint16_t *pad = nullptr, *stride = nullptr, *dilation = nullptr;
  uint32_t outputs = 0, taps = 0;

  explicit operator bool() const { return input != nullptr; }
  Dimension &image() const { return input->dims[dim]; }
  // Number of rows or columns by which the last window reaches beyond the end of the image.
  int64_t padBehind() const {
    return int64_t{outputs - 1} * *stride - *pad + int64_t{taps - 1} * *dilation + 1 - image().size;
  }
};

template <class T>
WindowPart partOf(T &instruction, bool isRows, uint32_t outputs, uint32_t taps) {
  Window &window = instruction.window;
  WindowPart part{.input = &instruction.input, .dim = isRows ? rowsDim : columnsDim};
  part.pad = isRows ? &window.padTop : &window.padLeft;
  part.stride = isRows ? &window.strideH : &window.strideW;
  part.dilation = isRows ? &window.dilationH : &window.dilationW;
  part.outputs = outputs;
  part.taps = taps;
  return part;
}

WindowPart partOf(Instruction &instruction, bool isRows) {
  const unsigned dim = isRows ? rowsDim : columnsDim;
  if (auto *conv = std::get_if<Conv>(&instruction))
    return partOf(*conv, isRows, conv->output.dims[dim].size, conv->weights.dims[dim].size);
  if (auto *pool = std::get_if<Pool>(&instruction))
    return partOf(*pool, isRows, pool->output.dims[dim].size, isRows ? pool->kernelH : pool->kernelW);
  // The output of the instruction Flatten, which copies convolution windows to the rows of a matrix, has five
  // dimensions: rows and columns of windows, rows and columns within a window, channels.
  if (auto *flatten = std::get_if<Flatten>(&instruction))
    return partOf(*flatten, isRows, flatten->output.dims[dim - rowsDim].size, flatten->output.dims[dim].size);
  return {};
}

bool takeForPadding(Instruction &instruction, std::string_view side, int64_t amount) {
  const WindowPart part = partOf(instruction, side == "top" || side == "bottom");
  if (!part || part.image().size <= amount)
    return false;
  const bool isInFront = side == "top" || side == "left";
  if (isInFront ? *part.pad == 0 : part.padBehind() <= 0)
    return false;
  if (isInFront) {
    part.input->base += static_cast<uint64_t>(amount) * part.image().stride;
    *part.pad = static_cast<uint16_t>(*part.pad + amount);
  }
  resizeDimension(part.image(), part.image().size - static_cast<uint32_t>(amount));
  return true;
}

Status padTooMuch(const LayerTasks &layer, BugDraw &draw) {
  const auto taking = [](std::string_view side, int64_t amount) {
    return [side, amount](Instruction &instruction) { return takeForPadding(instruction, side, amount); };
  };
  TILERIG_TRY(const std::string_view side, draw.word("side", [&](std::string_view candidate) {
    return layer.canChange(taking(candidate, 1));
  }));
  TILERIG_TRY(const int64_t amount, draw.number("amount", 1, layer.canChange(taking(side, 2)) ? 2 : 1));
  return layer.changeAll(taking(side, amount), "the layer has no padding");
}

bool changeStride(Instruction &instruction, bool isRows, int64_t by) {
  const WindowPart part = partOf(instruction, isRows);
  if (!part || part.outputs < 2 || *part.stride + by < 1)
    return false;
  *part.stride = static_cast<uint16_t>(*part.stride + by);
  return true;
}
bool changeDilation(Instruction &instruction, bool isRows, int64_t by) {
  const WindowPart part = partOf(instruction, isRows);
  if (!part || part.taps < 2 || *part.dilation + by < 1)
    return false;
  *part.dilation = static_cast<uint16_t>(*part.dilation + by);
  return true;
}

template <class ChangeWindow>
Status changeWindows(const LayerTasks &layer, BugDraw &draw, ChangeWindow changeWindow,
                     const char *otherwise) {
  const auto changing = [&](std::string_view axis, int64_t by) {
    return [changeWindow, isRows = axis == "rows", by](Instruction &instruction) {
      return changeWindow(instruction, isRows, by);
    };
  };
  TILERIG_TRY(const std::string_view axis, draw.word("axis", [&](std::string_view candidate) {
    return layer.canChange(changing(candidate, 1)) || layer.canChange(changing(candidate, -1));
  }));
  const bool canGrow = layer.canChange(changing(axis, 1));
  const int64_t low = layer.canChange(changing(axis, -2))   ? -2
                      : layer.canChange(changing(axis, -1)) ? -1
                                                            : 1,
                high = layer.canChange(changing(axis, 2)) ? 2
                       : canGrow                          ? 1
                                                          : -1;
  TILERIG_TRY(const int64_t by, draw.nonZero("by", low, high));
  return layer.changeAll(changing(axis, by), otherwise);
}

Status stepWrongly(const LayerTasks &layer, BugDraw &draw) {
  return changeWindows(layer, draw, changeStride, "the layer has no windows");
}
Status dilateWrongly(const LayerTasks &layer, BugDraw &draw) {
  return changeWindows(layer, draw, changeDilation, "the layer has no kernel larger than one element");
}

constexpr TaskBug bugsOfWindows[] = {
    {"pad-amount", padTooMuch},
    {"stride-wrong", stepWrongly},
    {"dilation-wrong", dilateWrongly},
};

} // namespace

std::span<const TaskBug> windowBugs() { return bugsOfWindows; }

} // namespace tilerig::compiler
