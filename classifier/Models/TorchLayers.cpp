#include "classifier/Models/TorchLayers.h"

#include <cmath>

namespace tilerig::classifier {

namespace {

Shape shapeOfRows(const torch::Tensor &tensor) {
  const auto sizes = tensor.sizes().slice(1);
  return Shape(sizes.begin(), sizes.end());
}

Status takeInto(std::map<std::string, torch::Tensor> &into, const TensorMap &tensors,
                const std::string &place) {
  torch::NoGradGuard noGradients;
  for (auto &[name, parameter] : into) {
    const Tensor *tensor = tensors.find(name);
    if (!tensor || tensor->dtype() != DType::f32 ||
        tensor->elementCount() != static_cast<size_t>(parameter.numel()))
      return invalidInput(place, "parameter '" + name + "' is missing or has another size than in this model",
                          "resume with the same kind of model and the same dataset");
    parameter.copy_(toTorch(*tensor).view(parameter.sizes()));
  }
  return success();
}

} // namespace

torch::Tensor toTorch(const Tensor &tensor) {
  torch::Tensor copy = torch::empty(tensor.shape(), torch::kFloat32);
  std::ranges::copy(tensor.as<float>(), copy.data_ptr<float>());
  return copy;
}

Tensor fromTorch(const torch::Tensor &tensor) {
  const torch::Tensor whole = tensor.detach().contiguous();
  Tensor copy(DType::f32, Shape(whole.sizes().begin(), whole.sizes().end()));
  std::copy_n(whole.data_ptr<float>(), whole.numel(), copy.mutableAs<float>().begin());
  return copy;
}

TensorMap Parameters::asTensors() const {
  TensorMap tensors;
  for (const auto *parameters : {&learned, &fixed})
    for (const auto &[name, parameter] : *parameters)
      (void)tensors.add(name, fromTorch(parameter)); // adding a parameter cannot fail, since names are unique
  return tensors;
}

Status Parameters::take(const TensorMap &tensors, const std::string &place) {
  TILERIG_CHECK_OK(takeInto(learned, tensors, place));
  return takeInto(fixed, tensors, place);
}

// --- Parameters ---

torch::Tensor &TorchLayers::drawn(const std::string &name, const Shape &shape, double bound) {
  auto [place, added] = parameters.learned.try_emplace(name);
  if (added)
    place->second = torch::empty(shape).uniform_(-bound, bound).requires_grad_(true);
  return place->second;
}

torch::Tensor &TorchLayers::constant(const std::string &name, const Shape &shape, double value) {
  auto [place, added] = parameters.learned.try_emplace(name);
  if (added)
    place->second = torch::full(shape, value, torch::kFloat32).requires_grad_(true);
  return place->second;
}

torch::Tensor &TorchLayers::fixed(const std::string &name, const Shape &shape, double value) {
  auto [place, added] = parameters.fixed.try_emplace(name);
  if (added)
    place->second = torch::full(shape, value, torch::kFloat32);
  return place->second;
}

Value TorchLayers::keep(torch::Tensor tensor) {
  values.push_back(std::move(tensor));
  return {values.size() - 1, shapeOfRows(values.back())};
}

Value TorchLayers::input(Input which) { return keep(batch[static_cast<size_t>(which)]); }

Value TorchLayers::learned(const std::string &name, Shape shape) {
  const torch::Tensor &plane = constant(name, shape, 0);
  shape.insert(shape.begin(), 1);
  return keep(plane.view(shape));
}

Value TorchLayers::standardise(const Value &x, const std::string &name) {
  return keep((values[x.index] - fixed(name + ".mean", x.shape, 0)) * fixed(name + ".factor", x.shape, 1));
}

torch::Tensor TorchLayers::normalised(const torch::Tensor &x, const std::string &name, int64_t outputs) {
  return torch::batch_norm(x, constant(name + ".gain", {outputs}, 1), constant(name + ".shift", {outputs}, 0),
                           fixed(name + ".mean", {outputs}, 0), fixed(name + ".variance", {outputs}, 1),
                           training,
                           /*momentum=*/0.05, /*eps=*/1e-5, /*cudnn_enabled=*/false);
}

Value TorchLayers::conv(const Value &x, const std::string &name, const Conv &conv) {
  const int64_t inputs = x.shape[0] / conv.groups;
  const double fanIn = static_cast<double>(inputs * conv.kernel * conv.kernel);
  const torch::Tensor &weight =
      drawn(name + ".weight", {conv.outputs, inputs, conv.kernel, conv.kernel}, std::sqrt(6 / fanIn));
  const auto bias = conv.normalised ? torch::Tensor() : constant(name + ".bias", {conv.outputs}, 0);
  const torch::Tensor sums =
      torch::conv2d(values[x.index], weight, bias, conv.stride, conv.pad(), /*dilation=*/1, conv.groups);
  return keep(conv.normalised ? normalised(sums, name, conv.outputs) : sums);
}

Value TorchLayers::linear(const Value &x, const std::string &name, int64_t outputs) {
  const int64_t inputs = x.shape.back();
  const torch::Tensor &weight =
      drawn(name + ".weight", {outputs, inputs}, std::sqrt(3 / static_cast<double>(inputs)));
  const torch::Tensor &bias = constant(name + ".bias", {outputs}, 0);
  // A fully connected layer, computed as a 1 × 1 convolution. This is seven times faster than a matrix
  // product, for which Debian's torch uses a slow reference BLAS.
  std::vector<int64_t> shape = values[x.index].sizes().vec();
  shape.back() = outputs;
  return keep(
      torch::conv2d(values[x.index].reshape({-1, inputs, 1, 1}), weight.view({outputs, inputs, 1, 1}), bias)
          .reshape(shape));
}

Value TorchLayers::layerNorm(const Value &x, const std::string &name) {
  const Shape last = {x.shape.back()};
  return keep(torch::layer_norm(values[x.index], last, constant(name + ".gain", last, 1),
                                constant(name + ".shift", last, 0), 1e-5));
}

// The gates of the LSTM are in torch's order: input, forget, cell, output.
Value TorchLayers::lstm(const Value &x, const std::string &name, int64_t hidden) {
  const int64_t inputs = x.shape.back(), rows = values[x.index].size(0);
  const double bound = 1 / std::sqrt(static_cast<double>(hidden));
  std::vector<torch::Tensor> weights;
  for (const char *way : {".forward", ".backward"}) {
    weights.push_back(drawn(name + way + ".input", {4 * hidden, inputs}, bound));
    weights.push_back(drawn(name + way + ".hidden", {4 * hidden, hidden}, bound));
    weights.push_back(drawn(name + way + ".bias", {4 * hidden}, bound));
    weights.push_back(torch::zeros({4 * hidden}));
  }
  const torch::Tensor start = torch::zeros({2, rows, hidden});
  return keep(std::get<0>(torch::lstm(values[x.index], {start, start}, weights, /*has_biases=*/true,
                                      /*num_layers=*/1, /*dropout=*/0, training, /*bidirectional=*/true,
                                      /*batch_first=*/true)));
}

Value TorchLayers::relu(const Value &x) { return keep(torch::relu(values[x.index])); }
Value TorchLayers::add(const Value &x, const Value &y) { return keep(values[x.index] + values[y.index]); }
Value TorchLayers::scale(const Value &x, float factor) { return keep(values[x.index] * factor); }
Value TorchLayers::softmax(const Value &x) { return keep(torch::softmax(values[x.index], -1)); }
Value TorchLayers::matmul(const Value &x, const Value &y) {
  return keep(torch::matmul(values[x.index], values[y.index]));
}

Value TorchLayers::averagePool(const Value &x, int64_t height, int64_t width) {
  return keep(torch::avg_pool2d(values[x.index], {height, width}));
}

Value TorchLayers::meanOfRows(const Value &x) { return keep(values[x.index].mean(1)); }

Value TorchLayers::reshape(const Value &x, Shape shape) {
  shape.insert(shape.begin(), values[x.index].size(0));
  return keep(values[x.index].reshape(shape));
}

Value TorchLayers::transpose(const Value &x, std::span<const int64_t> axes) {
  std::vector<int64_t> all = {0};
  for (int64_t axis : axes)
    all.push_back(axis + 1);
  return keep(values[x.index].permute(all));
}

Value TorchLayers::concat(std::span<const Value> parts) {
  std::vector<torch::Tensor> tensors;
  for (const Value &part : parts)
    tensors.push_back(values[part.index]);
  return keep(torch::cat(tensors, -1));
}

Value TorchLayers::dropout(const Value &x, double share) {
  return keep(torch::dropout(values[x.index], share, training));
}

} // namespace tilerig::classifier
