// Layers for training with libtorch. Each function both creates the parameters of its layer and computes the
// layer for a batch of rows.
//
// Only this header and the headers of Training that include it expose libtorch.
#pragma once

#include "classifier/Models/Layers.h"
#include "isa/Base/Tensor/TensorMap.h"

#include <array>
#include <map>
#include <torch/torch.h>
#include <vector>

namespace tilerig::classifier {

// Parameters of a model by name, in the same order everywhere: `learned` by gradients, and `fixed`, which are
// computed in another way, such as means and deviations.
struct Parameters {
  std::map<std::string, torch::Tensor> learned, fixed;

  TensorMap asTensors() const;
  // Replaces the values of the parameters by those of other tensors; an error if names or shapes differ.
  Status take(const TensorMap &tensors, const std::string &place);
};

torch::Tensor toTorch(const Tensor &tensor); // as float32, copied
Tensor fromTorch(const torch::Tensor &tensor);

// one float32 tensor [rows, ...] for each input of the network
using Batch = std::array<torch::Tensor, numInputs>;

class TorchLayers : public Layers {
public:
  // If parameters of a layer are missing, the layer creates them, initialised by torch's random generator.
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
  // Returns a learned parameter by name. If it is missing, creates it with random numbers between -bound and
  // bound.
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
