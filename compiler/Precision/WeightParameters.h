// Weights and bias of a layer as the integers that the machine multiplies and adds.
//
// Weights are symmetric, int8, from -127 to 127: with the zero point 0 a product needs no correction, and
// without -128 a weight and its negative are exact mirror images, of one size, whose products with any uint8
// fit where hardware adds them in pairs.
//
//   scale = fl(largest |w| / 127), at least 2^-126     q = rne(fl(w / scale)), within -127 ... 127
//
// for each output channel, or for all weights. A channel without a weight but zero takes the largest scale of
// the others, so that its bias has as fine a grid as theirs has; weights that are all zero count as if their
// largest was 1.
//
// The bias is int32 on the scale of the products:
//
//   unit = fl(inputScale * scale)                      q = rne(bias / unit), the quotient in double
//
// Where |q| would pass 2^30, or unit fall below 2^-126, the scale of that channel is widened, and that is
// reported: its weights are then so small beside the bias that they lose bits which nobody can see. The other
// half of int32 is left to the sum of products, enough for 33,155 of them.
#pragma once

#include "isa/Support/Error.h"
#include "isa/Tensor/Tensor.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

struct LayerWeights {
  std::string name; // for messages
  Tensor weights;   // of a float type
  // The dimension of the output channels, each with a scale of its own; none for one scale in all.
  std::optional<size_t> channelAxis;
  std::optional<Tensor> bias; // of a float type: one for each channel
  float inputScale = 1;
};

struct WidenedScale {
  size_t channel = 0; // of the scales: 0 where there is one in all
  float from = 0, to = 0;
};

struct QuantisedWeights {
  Tensor weights;            // int8, of the shape of the weights
  std::vector<float> scales; // one for each channel, or one
  std::vector<int32_t> bias; // one for each channel, or none
  std::vector<WidenedScale> widened;
};

// Refuses NaN, infinite values, and a bias that no scale can hold.
Result<QuantisedWeights> quantiseWeights(const LayerWeights &layer);

} // namespace tilerig
