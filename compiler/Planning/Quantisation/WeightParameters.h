// Quantises the weights and the bias of a layer to the integers that the machine uses.
//
// Weights become int8 with zero point 0, from -127 to 127, so that each weight has a negative of the same
// magnitude. Here w is a weight, q its integer, fl rounds to fp32, and rne to the nearest integer:
//
//   scale = fl(largest |w| / 127), at least 2^-126     q = rne(fl(w / scale)), within -127 ... 127
//
// There is one scale for each output channel, or one for all weights. A channel whose weights are all zero
// takes the largest scale of the other channels, so that the scale of its bias is not much smaller than
// theirs. If all weights are zero, the largest |w| is taken to be 1.
//
// The bias becomes int32, with the scale that the products of inputs and weights have:
//
//   unit = fl(inputScale * scale)                      q = rne(bias / unit), the quotient in double
//
// The scale of a channel is widened, and this is reported, if |q| would exceed 2^30 or if unit would fall
// below 2^-126. The weights are then so small compared with the bias that the bits they lose have no visible
// effect. The other half of the int32 range is left to the sum of products, enough for 33,155 of them.
#pragma once

#include "isa/Base/Support/Error.h"
#include "isa/Base/Tensor/Tensor.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilerig::compiler {

struct LayerWeights {
  std::string name; // name of the layer, for error messages
  Tensor weights;   // weights of the layer, of any float type
  // The axis of the output channels if each gets its own scale; empty if all weights share one scale.
  std::optional<size_t> channelAxis;
  std::optional<Tensor> bias; // the bias: of any float type, one value for each channel
  float inputScale = 1;
};

struct WidenedScale {
  size_t channel = 0; // index of the channel whose scale was widened; 0 if all channels share one scale
  float from = 0, to = 0;
};

struct QuantisedWeights {
  Tensor weights;            // int8 weights, with the shape of LayerWeights::weights
  std::vector<float> scales; // scale of each channel's weights, or one for all weights
  std::vector<int32_t> bias; // int32 bias of each channel; empty if there is no bias
  std::vector<WidenedScale> widened;
};

// Quantises the weights and the bias of a layer. Refuses NaN and infinite values, and a bias that is too
// large for any scale.
Result<QuantisedWeights> quantiseWeights(const LayerWeights &layer);

} // namespace tilerig::compiler
