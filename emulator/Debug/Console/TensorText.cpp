#include "emulator/Debug/Console/TensorText.h"

#include "isa/Numerics/Bf16.h"
#include "isa/Numerics/Fp16.h"

#include <algorithm>
#include <charconv>
#include <complex>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace tilerig::emulator {

namespace {

constexpr size_t mostElements = 1000;
constexpr size_t lineWidth = 100;
constexpr int64_t edge = 3; // elements that are shown at both ends of an axis of a large tensor

template <class T>
std::string textOf(T element) {
  if constexpr (std::is_same_v<T, bool>)
    return element ? "True" : "False";
  else if constexpr (std::is_integral_v<T>)
    return fmt::format("{}",
                       static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(element));
  else if constexpr (std::is_floating_point_v<T>)
    return fmt::format("{:.8g}", element);
  else if constexpr (std::is_same_v<T, Float16>)
    return fmt::format("{:.4g}", toFloat(Fp16{element.bits}));
  else if constexpr (std::is_same_v<T, BFloat16>)
    return fmt::format("{:.3g}", toFloat(Bf16{element.bits}));
  else
    return fmt::format("{:.8g}{:+.8g}j", element.real(), element.imag());
}

// Prints the elements of a tensor in nested brackets.
class Printer {
public:
  explicit Printer(const Tensor &tensor)
      : tensor(tensor), strides(tensor.strides()), isCut(tensor.elementCount() > mostElements) {}

  std::string text() {
    forEachElement(0, 0, [&](int64_t at) { width = std::max(width, elementText(tensor, at).size()); });
    print(0, 0);
    return std::move(out);
  }

private:
  bool isHidden(size_t axis, int64_t i) const {
    return isCut && tensor.shape()[axis] > 2 * edge && i >= edge && i < tensor.shape()[axis] - edge;
  }
  template <class Visit>
  void forEachElement(size_t axis, int64_t at, Visit visit) const {
    if (axis == tensor.rank())
      return visit(at);
    for (int64_t i = 0; i < tensor.shape()[axis]; ++i)
      if (!isHidden(axis, i))
        forEachElement(axis + 1, at + i * strides[axis], visit);
  }
  void print(size_t axis, int64_t at) {
    if (axis == tensor.rank()) {
      out += fmt::format("{:>{}}", elementText(tensor, at), axis == 0 ? 0 : width);
      return;
    }
    out += '[';
    bool wasHidden = false;
    const size_t breaks = tensor.rank() - 1 - axis; // empty lines between blocks, as numpy has them
    for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
      const bool hidden = isHidden(axis, i);
      const bool isFull = breaks == 0 && out.size() + 1 + width > lineBegin + lineWidth;
      if (i > 0 && !(hidden && wasHidden)) {
        out += breaks == 0 && !isFull
                   ? " "
                   : std::string(std::max<size_t>(breaks, 1), '\n') + std::string(axis + 1, ' ');
        if (breaks > 0 || isFull)
          lineBegin = out.rfind('\n') + 1;
      }
      if (!hidden)
        print(axis + 1, at + i * strides[axis]);
      else if (!wasHidden)
        out += "...";
      wasHidden = hidden;
    }
    out += ']';
  }

  const Tensor &tensor;
  const std::vector<int64_t> strides;
  const bool isCut;
  size_t width = 0;
  std::string out;
  size_t lineBegin = 0; // where the last line of `out` begins
};

// Selected indices of an axis; an axis of which a single index is selected is left out of the result.
struct AxisSlice {
  int64_t begin = 0, end = 0, step = 1;
  bool isIndex = false;

  int64_t count() const { return end <= begin ? 0 : (end - begin + step - 1) / step; }
};

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts(1);
  for (char letter : text)
    if (letter == separator)
      parts.emplace_back();
    else if (letter != ' ')
      parts.back() += letter;
  return parts;
}

Result<std::optional<int64_t>> numberIn(const std::string &text) {
  if (text.empty())
    return std::optional<int64_t>();
  int64_t number = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || at != text.data() + text.size())
    return usageError(text, "this is no index", "write a slice as in numpy, such as [0, 1:3, ::2]");
  return std::optional(number);
}

Result<AxisSlice> axisSliceOf(const std::string &text, int64_t size, size_t axis) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() > 3)
    return usageError(text, "this slice has too many colons");
  std::vector<std::optional<int64_t>> numbers;
  for (const std::string &part : parts) {
    TILERIG_TRY(numbers.emplace_back(), numberIn(part));
  }
  const auto wrapped = [&](int64_t index) { return index < 0 ? index + size : index; };
  if (parts.size() == 1) {
    if (!numbers[0])
      return usageError("slice", fmt::format("there is no index for axis {}", axis));
    const int64_t index = wrapped(*numbers[0]);
    if (index < 0 || index >= size)
      return usageError("index " + text,
                        fmt::format("axis {} has {} {}", axis, size, size == 1 ? "element" : "elements"));
    return AxisSlice{index, index + 1, 1, true};
  }
  AxisSlice slice{.end = size};
  if (numbers[0])
    slice.begin = std::clamp<int64_t>(wrapped(*numbers[0]), 0, size);
  if (numbers[1])
    slice.end = std::clamp<int64_t>(wrapped(*numbers[1]), 0, size);
  if (parts.size() == 3 && numbers[2])
    slice.step = *numbers[2];
  if (slice.step < 1)
    return usageError(text, "the step of a slice must be positive");
  slice.step = std::min(slice.step, std::max<int64_t>(size, 1));
  return slice;
}

Result<std::vector<AxisSlice>> slicesOf(const std::string &text, const Shape &shape) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']')
    return usageError(text, "this is no slice", "write it in brackets, such as [0, 1:3]");
  const std::string inside = text.substr(1, text.size() - 2);
  std::vector<std::string> parts = split(inside, ',');
  if (parts.size() == 1 && parts[0].empty())
    parts.clear();
  const auto dots = std::ranges::count(parts, "...");
  const auto given = parts.size() - static_cast<size_t>(dots);
  if (dots > 1 || given > shape.size())
    return usageError(text, fmt::format("the tensor has only {} axes", shape.size()));
  const std::vector<std::string> rest(shape.size() - given, ":");
  const auto at = dots ? parts.erase(std::ranges::find(parts, "...")) : parts.end();
  parts.insert(at, rest.begin(), rest.end());
  std::vector<AxisSlice> slices;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    TILERIG_TRY(slices.emplace_back(), axisSliceOf(parts[axis], shape[axis], axis));
  }
  return slices;
}

} // namespace

std::string elementText(const Tensor &tensor, int64_t index) {
  std::string text;
  dispatch(tensor.dtype(), [&]<class T>() { text = textOf(tensor.as<T>()[static_cast<size_t>(index)]); });
  return text;
}

std::string tensorText(const Tensor &tensor) {
  return fmt::format("{} {}\n{}", nameOf(tensor.dtype()), showShape(tensor.shape()), Printer(tensor).text());
}

Result<Tensor> sliceOf(const Tensor &tensor, const std::string &text) {
  TILERIG_TRY(const std::vector<AxisSlice> slices, slicesOf(text, tensor.shape()));
  Shape shape;
  for (const AxisSlice &slice : slices)
    if (!slice.isIndex)
      shape.push_back(slice.count());
  TILERIG_TRY(Tensor result, Tensor::make(tensor.dtype(), shape));
  if (result.elementCount() == 0)
    return result;
  const size_t bytes = sizeBytes(tensor.dtype());
  const std::vector<int64_t> strides = tensor.strides();
  std::byte *to = result.mutableBytes().data();
  const auto copy = [&](const auto &self, size_t axis, int64_t at) -> void {
    if (axis == slices.size()) {
      std::memcpy(to, tensor.bytes().data() + static_cast<size_t>(at) * bytes, bytes);
      to += bytes;
      return;
    }
    const AxisSlice &slice = slices[axis];
    for (int64_t i = slice.begin; i < slice.end; i += slice.step)
      self(self, axis + 1, at + i * strides[axis]);
  };
  copy(copy, 0, 0);
  return result;
}

} // namespace tilerig::emulator
