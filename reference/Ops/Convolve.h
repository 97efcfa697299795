// Convolution of dense arrays: the work of Conv and of its integer relatives, once shapes are checked.
#pragma once

#include "reference/Gemm/Gemm.h"
#include "reference/Ops/Window.h"

namespace tilerig::reference {

struct ConvolutionShape {
  int64_t images, groups;
  int64_t channelsIn, channelsOut; // of one group
  Window window;                   // at least one axis
};

// The shape of node `context` with an input of shape `x` (N, C, sizes) and weights of shape `w`;
// kernel_shape, group and the window's attributes are checked against them.
Result<ConvolutionShape> convolutionShape(const OpContext &context, const Shape &x, const Shape &w);

// The weights of each group, packed in the order in which sums run: over the taps in row-major order, and the
// channels within each. None where a convolution reads its weights as they are.
template <class T>
using PackedWeights = std::vector<RowPanels<T>>;
template <class T>
PackedWeights<T> packWeights(const ConvolutionShape &shape, const T *w, Threads &threads);

// y = convolution of x and w, plus bias (one for each output channel) unless it is null. Every output is one
// chain of multiply-adds from the bias on, in the order of PackedWeights. With Arithmetic::machine they are
// fused, and padding takes no step. `finish` gets every output once, its row being the output channel; not
// with Arithmetic::machine.
template <class T>
void convolve(const ConvolutionShape &shape, const T *x, const T *w, const PackedWeights<T> &packed,
              const T *bias, T *y, Arithmetic arithmetic, Threads &threads, const FinishRow<T> &finish = {});

} // namespace tilerig::reference
