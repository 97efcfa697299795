// Layers as they are trained: each is computed when it is asked for, of a batch of rows.
//
// The only headers of ours that show libtorch are this one and those of Training that include it.
#pragma once

#include "classifier/Models/Layers.h"
#include "isa/Tensor/TensorMap.h"

#include <array>
#include <map>
#include <torch/torch.h>
#include <vector>

namespace tilerig::classifier {

// What is learnt, and what training finds out otherwise: means and deviations. By name, in one order
// everywhere.
struct Parameters {
  std::map<std::string, torch::Tensor> learned, fixed;

  TensorMap asTensors() const;
  // Refused where names or shapes are not those that there are.
  Status take(const TensorMap &tensors, const std::string &place);
};

torch::Tensor toTorch(const Tensor &tensor); // float32, copied
Tensor fromTorch(const torch::Tensor &tensor);

using Batch = std::array<torch::Tensor, numInputs>; // float32 [rows, ...], by Input

class TorchLayers : public Layers {
public:
  // Parameters that are not there yet are made, drawn from the generator of torch.
  TorchLayers(Parameters &parameters, Batch batch, bool training)
      : parameters(parameters), batch(std::move(batch)), training(training) {}

  const torch::Tensor &operator[](const Value &value) const { return values[value.index]; }

  Value input(Input which) override;
  Value learned(const std::string &name, Shape shape) override;
  Value standardise(const Value &x, const std::string &name) override;
  Value conv(const Value &x, const std::string &name, const Conv &conv) override;
  Value linear(const Value &x, const std::string &name, int64_t outputs) override;
  Value layerNorm(const Value &x, const std::string &name) override;
  Value lstm(const Value &x, const std::string &name, int64_t hidden) override;
  Value relu(const Value &x) override;
  Value add(const Value &x, const Value &y) override;
  Value scale(const Value &x, float factor) override;
  Value softmax(const Value &x) override;
  Value matmul(const Value &x, const Value &y) override;
  Value averagePool(const Value &x, int64_t height, int64_t width) override;
  Value meanOfRows(const Value &x) override;
  Value reshape(const Value &x, Shape shape) override;
  Value transpose(const Value &x, std::span<const int64_t> axes) override;
  Value concat(std::span<const Value> parts) override;
  Value dropout(const Value &x, double share) override;

private:
  Value keep(torch::Tensor tensor);
  // Evenly from -bound to bound.
  torch::Tensor &drawn(const std::string &name, const Shape &shape, double bound);
  torch::Tensor &constant(const std::string &name, const Shape &shape, double value);
  torch::Tensor &fixed(const std::string &name, const Shape &shape, double value);
  torch::Tensor normalised(const torch::Tensor &x, const std::string &name, int64_t outputs);

  Parameters &parameters;
  Batch batch;
  bool training;
  std::vector<torch::Tensor> values;
};

} // namespace tilerig::classifier
