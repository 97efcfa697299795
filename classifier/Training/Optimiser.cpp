#include "classifier/Training/Optimiser.h"

#include <cmath>
#include <numbers>

namespace tilerig::classifier {

namespace {

constexpr double firstDecay = 0.9, secondDecay = 0.99, leastDeviation = 1e-8, weightDecay = 0.3;
constexpr double risingShare = 0.05;

} // namespace

Optimiser::Optimiser(Parameters &parameters, double highestRate, size_t steps)
    : parameters(parameters), highestRate(highestRate), steps(steps) {
  for (const auto &[name, parameter] : parameters.learned) {
    first.fixed["first/" + name] = torch::zeros(parameter.sizes());
    second.fixed["second/" + name] = torch::zeros(parameter.sizes());
  }
}

double Optimiser::rate() const {
  const double way = static_cast<double>(done) / static_cast<double>(steps);
  if (way < risingShare)
    return highestRate * (way + 1.0 / static_cast<double>(steps)) /
           (risingShare + 1.0 / static_cast<double>(steps));
  return highestRate * 0.5 * (1 + std::cos(std::numbers::pi * (way - risingShare) / (1 - risingShare)));
}

void Optimiser::step() {
  torch::NoGradGuard noGradients;
  const double now = rate();
  ++done;
  const double firstCorrection = 1 - std::pow(firstDecay, done),
               secondCorrection = 1 - std::pow(secondDecay, done);
  for (auto &[name, parameter] : parameters.learned) {
    torch::Tensor gradient = parameter.grad();
    if (!gradient.defined())
      continue;
    torch::Tensor &mean = first.fixed["first/" + name], &square = second.fixed["second/" + name];
    mean.mul_(firstDecay).add_(gradient, 1 - firstDecay);
    square.mul_(secondDecay).addcmul_(gradient, gradient, 1 - secondDecay);
    if (parameter.dim() > 1)
      parameter.mul_(1 - now * weightDecay);
    const torch::Tensor deviation = (square / secondCorrection).sqrt_().add_(leastDeviation);
    parameter.addcdiv_(mean, deviation, -now / firstCorrection);
    parameter.mutable_grad() = torch::Tensor();
  }
}

void Optimiser::addTo(TensorMap &tensors) const {
  for (const Parameters *moments : {&first, &second})
    for (const auto &[name, moment] : moments->fixed)
      (void)tensors.add(name, fromTorch(moment));
}

Status Optimiser::take(const TensorMap &tensors, size_t stepsDone, const std::string &place) {
  done = stepsDone;
  TILERIG_CHECK_OK(first.take(tensors, place));
  return second.take(tensors, place);
}

} // namespace tilerig::classifier
