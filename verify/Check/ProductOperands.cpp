#include "verify/Check/ProductOperands.h"

#include "verify/Check/Rounding.h"
#include "verify/Inputs/Transpose.h"

#include <algorithm>
#include <set>

namespace tilerig::verify {

namespace {

// Largest number of weights of a layer for which the constants stored next to the weights are collected as
// well.
constexpr size_t mostNeighbours = size_t{1} << 23;

const compiler::LayerTensor *inputOf(const compiler::DescribedLayer &layer, std::string_view role) {
  const auto input = std::ranges::find(layer.inputs, role, &compiler::LayerTensor::role);
  return input == layer.inputs.end() ? nullptr : &*input;
}

bool isProduct(const compiler::DescribedLayer &layer) {
  return !layer.onHost && (layer.kind == "Conv" || layer.kind == "MatMul");
}

// The layer that computes the tensor, if it sums products and its weights are constant; else null.
const compiler::DescribedLayer *productLayer(const Check &check, const std::string &tensor) {
  for (const compiler::DescribedLayer &layer : check.model().oracleLayers) {
    const bool makesIt = layer.outputs.size() == 1 && layer.outputs[0].name == tensor;
    if (!makesIt || !isProduct(layer))
      continue;
    const compiler::LayerTensor *weights = inputOf(layer, "Weight");
    return weights && weights->isConstant && inputOf(layer, "Input") ? &layer : nullptr;
  }
  return nullptr;
}

// The convolution node on the path from the layer's operands to its result; null if there is none.
const onnx::NodeProto *windowNode(const onnx::GraphProto &graph, const compiler::DescribedLayer &layer) {
  std::set<std::string> operands, wanted = {layer.outputs[0].name};
  for (const compiler::LayerTensor &input : layer.inputs)
    operands.insert(input.name);
  // Visits nodes from the last to the first, so that readers of a tensor come before its producer.
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = graph.node(i);
    const bool leadsThere = std::ranges::any_of(node.output(), [&](const std::string &output) {
      return wanted.contains(output) && !operands.contains(output);
    });
    if (!leadsThere)
      continue;
    if (node.op_type() == "Conv" || node.op_type() == "QLinearConv" || node.op_type() == "ConvInteger")
      return &node;
    wanted.insert(node.input().begin(), node.input().end());
  }
  return nullptr;
}

// The expected tensor (the oracle's), with its axes in the layer's order; empty if the layer has another
// number of axes.
std::optional<Tensor> asTheLayerHas(const Check &check, const compiler::LayerTensor &tensor) {
  const Tensor *value = check.expectation().oracle.find(tensor.name);
  if (!value || value->rank() != tensor.order.size())
    return {};
  auto turned = inLayerOrder(*value, tensor.order);
  return turned ? std::optional(*std::move(turned)) : std::nullopt;
}

template <class T>
std::vector<float> numbersOfBytes(const Tensor &stored, const compiler::LayerElement &element) {
  std::vector<float> numbers(stored.elementCount());
  const auto zero = static_cast<float>(element.zeroPoints[0]);
  const auto integers = stored.as<T>();
  forEachChannel(element, stored.shape(), [&](size_t begin, size_t end, size_t channel) {
    const auto scale = static_cast<float>(element.scales[element.scales.size() == 1 ? 0 : channel]);
    for (size_t i = begin; i < end; ++i)
      numbers[i] = (static_cast<float>(integers[i]) - zero) * scale;
  });
  return numbers;
}

// The real numbers that stored elements represent, in floats. Computed without intermediate doubles where
// possible, as there may be very many elements.
std::vector<float> numbersOf(const Tensor &stored, const compiler::LayerElement &element) {
  if (stored.dtype() == DType::f32)
    return {stored.as<float>().begin(), stored.as<float>().end()};
  if (stored.dtype() == DType::i8 && !element.scales.empty())
    return numbersOfBytes<int8_t>(stored, element);
  if (stored.dtype() == DType::u8 && !element.scales.empty())
    return numbersOfBytes<uint8_t>(stored, element);
  const Tensor reals = realsOf(stored, element);
  return {reals.as<double>().begin(), reals.as<double>().end()};
}

std::optional<StoredSteps> stepsOf(const compiler::LayerElement &element) {
  const bool isSigned = element.type == "int8";
  if (element.scales.empty() || (!isSigned && element.type != "uint8"))
    return {};
  return StoredSteps{
      {element.scales.begin(), element.scales.end()}, static_cast<float>(element.zeroPoints[0]), isSigned};
}

Product::Sizes sizesOf(const Shape &shape) {
  Product::Sizes sizes{};
  std::ranges::copy(shape, sizes.begin());
  return sizes;
}
// Sizes of a matrix seen as an image with one column: the rows of the matrix become rows of the image.
Product::Sizes matrixSizes(const Shape &shape) {
  size_t rows = 1;
  for (size_t axis = 0; axis + 1 < shape.size(); ++axis)
    rows *= static_cast<size_t>(shape[axis]);
  return {1, rows, 1, static_cast<size_t>(shape.back())};
}

size_t countOf(const Product::Sizes &sizes) { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }

void readWindow(const onnx::NodeProto &node, Product &product) {
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    const auto &numbers = attribute.ints();
    if (attribute.name() == "strides")
      product.rows.stride = numbers[0], product.columns.stride = numbers[1];
    else if (attribute.name() == "dilations")
      product.rows.dilation = numbers[0], product.columns.dilation = numbers[1];
    else if (attribute.name() == "pads")
      product.rows.padding = numbers[0], product.columns.padding = numbers[1];
    else if (attribute.name() == "group")
      product.groups = static_cast<size_t>(attribute.i());
  }
}

// Converts stored weights to floats: to the real numbers that they represent or, if they are quantised, to
// multiples of the quantisation step.
std::optional<std::vector<float>> asWeights(const Tensor &stored, const compiler::LayerElement &element) {
  if (stored.elementCount() > mostNeighbours)
    return {};
  compiler::LayerElement plain = element;
  if (!plain.scales.empty())
    plain.scales = {1}, plain.zeroPoints = {element.zeroPoints[0]}, plain.axis = -1;
  return numbersOf(stored, plain);
}

// Reads bytes of the program's constants. Bytes at addresses without a constant are zero.
std::vector<std::byte> bytesAt(const Program &program, int64_t address, size_t count) {
  std::vector<std::byte> bytes(count);
  for (const ConstantData &constant : program.constants) {
    const int64_t begin = std::max(address, static_cast<int64_t>(constant.address)),
                  end = std::min(address + static_cast<int64_t>(count),
                                 static_cast<int64_t>(constant.address + constant.bytes.size()));
    if (begin < end)
      std::copy_n(constant.bytes.begin() + (begin - static_cast<int64_t>(constant.address)), end - begin,
                  bytes.begin() + (begin - address));
  }
  return bytes;
}

std::optional<int64_t> addressOf(const Program &program, std::span<const std::byte> bytes) {
  for (const ConstantData &constant : program.constants)
    if (const auto match = std::ranges::search(constant.bytes, bytes); match.begin() != constant.bytes.end())
      return static_cast<int64_t>(constant.address) + (match.begin() - constant.bytes.begin());
  return {};
}

std::vector<float> aroundWeights(const Check &check, const Tensor &weights,
                                 const compiler::LayerElement &element) {
  if (3 * weights.elementCount() > mostNeighbours)
    return {};
  const auto own = addressOf(check.program(), weights.bytes());
  if (!own)
    return {};
  const std::vector<std::byte> bytes =
      bytesAt(check.program(), *own - static_cast<int64_t>(weights.sizeBytes()), 3 * weights.sizeBytes());
  Tensor all(weights.dtype(), {3 * static_cast<int64_t>(weights.elementCount())});
  std::ranges::copy(bytes, all.mutableBytes().begin());
  return asWeights(all, element).value_or(std::vector<float>());
}

// The bias of a layer in the unit of its results. An integer bias is stored in units of input step × weight
// step.
std::vector<float> biasOf(const Tensor &stored, const Product &product) {
  if (stored.dtype() == DType::f32)
    return {stored.as<float>().begin(), stored.as<float>().end()};
  if (stored.dtype() != DType::i32 || !product.inputSteps || !product.weightSteps)
    return {};
  std::vector<float> bias;
  for (const int32_t number : stored.as<int32_t>())
    bias.push_back(static_cast<float>(number) * product.inputSteps->of(0) *
                   product.weightSteps->of(bias.size() % product.outputs()));
  return bias;
}

// Reads weights and bias of the last layer before `own` (the layer of the tensor) whose weights have the same
// type. If a bug prevents weights from being loaded, the memory may still hold those of the earlier layer.
void readBefore(const Check &check, const compiler::DescribedLayer &own, const Tensor &weights,
                Product &product) {
  const compiler::LayerElement &element = inputOf(own, "Weight")->element;
  for (const compiler::DescribedLayer &layer : check.model().oracleLayers) {
    if (&layer == &own)
      return;
    const compiler::LayerTensor *other = isProduct(layer) ? inputOf(layer, "Weight") : nullptr;
    const auto stored = other && other->isConstant ? asTheLayerHas(check, *other) : std::nullopt;
    if (!stored || stored->dtype() != weights.dtype())
      continue;
    product.weightsBefore = asWeights(*stored, element).value_or(std::vector<float>());
    const compiler::LayerTensor *bias = inputOf(layer, "Bias");
    const Tensor *itsBias = bias ? check.expectation().oracle.find(bias->name) : nullptr;
    if (itsBias)
      product.biasBefore = biasOf(*itsBias, product);
  }
}

} // namespace

std::shared_ptr<const Product> productOf(const Check &check, const std::string &tensor) {
  const compiler::DescribedLayer *layer = productLayer(check, tensor);
  if (!layer)
    return nullptr;
  const compiler::LayerTensor &x = *inputOf(*layer, "Input"), &w = *inputOf(*layer, "Weight"),
                              &y = layer->outputs[0];
  const auto input = asTheLayerHas(check, x), weights = asTheLayerHas(check, w),
             result = asTheLayerHas(check, y);
  if (!input || !weights || !result || input->elementCount() == 0)
    return nullptr;
  auto product = std::make_shared<Product>();
  if (layer->kind == "Conv") {
    const onnx::NodeProto *node = windowNode(check.model().oracle.graph(), *layer);
    if (!node || input->rank() != 4 || weights->rank() != 4 || result->rank() != 4)
      return nullptr;
    product->inputSizes = sizesOf(input->shape());
    product->weightSizes = sizesOf(weights->shape());
    product->resultSizes = sizesOf(result->shape());
    readWindow(*node, *product);
  } else {
    const bool isMatrix = weights->rank() == 2 && input->rank() >= 2 && result->rank() == input->rank() &&
                          weights->shape()[0] == result->shape().back() &&
                          weights->shape()[1] == input->shape().back();
    if (!isMatrix)
      return nullptr;
    product->inputSizes = matrixSizes(input->shape());
    product->weightSizes = {static_cast<size_t>(weights->shape()[0]), 1, 1,
                            static_cast<size_t>(weights->shape()[1])};
    product->resultSizes = matrixSizes(result->shape());
  }
  product->order = y.order;
  product->inputSteps = stepsOf(x.element);
  product->weightSteps = stepsOf(w.element);
  product->input = numbersOf(*input, x.element);
  product->weights = numbersOf(*weights, w.element);
  product->around = aroundWeights(check, *weights, w.element);
  readBefore(check, *layer, *weights, *product);
  if (const compiler::LayerTensor *bias = inputOf(*layer, "Bias"))
    if (const Tensor *stored = check.expectation().oracle.find(bias->name))
      product->bias = biasOf(*stored, *product);
  if (const compiler::LayerTensor *addend = inputOf(*layer, "Addend"))
    if (const auto stored = asTheLayerHas(check, *addend);
        stored && stored->elementCount() == countOf(product->resultSizes))
      product->addend = numbersOf(*stored, addend->element);
  return product;
}

} // namespace tilerig::verify
