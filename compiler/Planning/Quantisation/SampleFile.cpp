#include "compiler/Planning/Quantisation/SampleFile.h"

#include "isa/Base/Support/Nearest.h"

#include <algorithm>
#include <fmt/core.h>
#include <optional>

namespace tilerig::compiler {

namespace {

struct Stack {
  uint64_t samples = 0;
  Shape sampleShape;
};

bool fits(std::span<const int64_t> shape, std::span<const int64_t> declared) {
  return std::ranges::equal(shape, declared,
                            [](int64_t size, int64_t wanted) { return wanted < 0 || size == wanted; });
}

// The number of samples in an array of this shape, and the shape of one sample. Samples.h lists three forms
// of arrays, and the first one that fits is taken; nullopt if none does.
std::optional<Stack> stackOf(const Shape &shape, const Shape &declared) {
  if (fits(shape, declared))
    return Stack{1, shape};
  if (shape.empty() || shape[0] < 1)
    return std::nullopt;
  const std::span inner = std::span(shape).subspan(1);
  if (fits(inner, declared))
    return Stack{static_cast<uint64_t>(shape[0]), Shape(inner.begin(), inner.end())};
  if (declared.empty() || !fits(inner, std::span(declared).subspan(1)) || declared[0] < 1 ||
      shape[0] % declared[0])
    return std::nullopt;
  Shape sampleShape = shape;
  sampleShape[0] = declared[0];
  return Stack{static_cast<uint64_t>(shape[0] / declared[0]), std::move(sampleShape)};
}

std::string showDeclared(const Shape &shape) {
  std::string text;
  for (const int64_t size : shape)
    text += (text.empty() ? "" : ", ") + (size < 0 ? "?" : std::to_string(size));
  return "[" + text + "]";
}

std::string shapeRemedy(const ModelInput &input) {
  const std::string one = showDeclared(input.shape);
  return fmt::format("use shape {} for one sample, or add a first dimension for several samples", one);
}

// The type in which a Numpy file stores values of this type: it has no bfloat16 and stores uint16 instead.
DType storedType(DType type) { return type == DType::bf16 ? DType::u16 : type; }

Status checkNames(const NpzReader &reader, const std::string &path, const std::vector<ModelInput> &inputs) {
  std::vector<std::string> wanted;
  for (const ModelInput &input : inputs)
    wanted.push_back(input.name);
  for (const std::string &name : reader.names())
    if (!std::ranges::count(wanted, name)) {
      const std::vector<std::string_view> known(wanted.begin(), wanted.end());
      return invalidInput(path, fmt::format("the model has no input '{}'", name), suggestion(name, known));
    }
  for (const std::string &name : wanted)
    if (!std::ranges::count(reader.names(), name))
      return invalidInput(path, fmt::format("the array of input '{}' is missing", name),
                          "a sample needs arrays of " + showNames(wanted));
  return success();
}

// Calibration sample number `sample` of a stack of samples, as a view that shares the bytes of the stack and
// keeps them alive.
Result<Tensor> sampleOf(const Tensor &stack, const Shape &shape, uint64_t sample) {
  TILERIG_TRY(const size_t size, sizeBytesOf(stack.dtype(), shape));
  return Tensor::view(stack.dtype(), shape, stack.bytes().subspan(sample * size, size),
                      std::make_shared<Tensor>(stack));
}

} // namespace

Status SampleFile::add(const ModelInput &input, const NpyHeader &header) {
  const std::string place = fmt::format("{}: input '{}'", name, input.name);
  if (header.dtype != storedType(input.type))
    return invalidInput(place,
                        fmt::format("the array has element type {}, but the model takes {}",
                                    nameOf(header.dtype), nameOf(input.type)),
                        fmt::format("save it as {}", nameOf(storedType(input.type))));
  std::optional<Stack> stack = stackOf(header.shape, input.shape);
  if (!stack)
    return invalidInput(place,
                        fmt::format("the array has shape {}, but the model takes {}", showShape(header.shape),
                                    showDeclared(input.shape)),
                        shapeRemedy(input));
  if (!arrays.empty() && stack->samples != samples)
    return invalidInput(place,
                        fmt::format("the number of samples is {}, but that of input '{}' is {}",
                                    stack->samples, arrays[0].name, samples),
                        "give the same number of samples for every input");
  samples = stack->samples;
  arrays.push_back({input.name, std::move(stack->sampleShape)});
  return success();
}

Result<SampleFile> SampleFile::open(const std::string &path, const std::vector<ModelInput> &inputs) {
  TILERIG_TRY(const NpzReader reader, NpzReader::open(path));
  TILERIG_CHECK_OK(checkNames(reader, path, inputs));
  SampleFile file;
  file.name = path;
  for (const ModelInput &input : inputs) {
    TILERIG_TRY(const NpyHeader header, reader.header(input.name));
    TILERIG_CHECK_OK(file.add(input, header));
  }
  return file;
}

Result<std::vector<Tensor>> SampleFile::load() const {
  TILERIG_TRY(const NpzReader reader, NpzReader::open(name));
  std::vector<Tensor> loaded;
  for (const Array &array : arrays) {
    TILERIG_TRY(Tensor tensor, reader.load(array.name));
    loaded.push_back(std::move(tensor));
  }
  return loaded;
}

Result<TensorMap> SampleFile::sample(const std::vector<Tensor> &loaded, uint64_t sample) const {
  TensorMap tensors;
  for (size_t i = 0; i < arrays.size(); ++i) {
    TILERIG_TRY(Tensor one, sampleOf(loaded[i], arrays[i].sampleShape, sample));
    TILERIG_CHECK_OK(tensors.add(arrays[i].name, std::move(one)));
  }
  return tensors;
}

Status SampleFile::writeSample(const std::vector<Tensor> &loaded, uint64_t sample,
                               const std::string &to) const {
  TILERIG_TRY(const TensorMap tensors, this->sample(loaded, sample));
  return writeNpz(to, tensors);
}

} // namespace tilerig::compiler
