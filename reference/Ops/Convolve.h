// Convolution of dense arrays: the computation of Conv and its integer variants, after shapes have been
// checked.
#pragma once

#include "reference/Gemm/Gemm.h"
#include "reference/Ops/Window.h"

namespace tilerig::reference {

struct ConvolutionShape {
  int64_t images, groups;
  int64_t channelsIn, channelsOut; // number of channels in each group
  Window window;                   // window of the kernel, with at least one axis
};

// The shape of a convolution node with an input of shape `x` (N, C, sizes) and weights of shape `w`. Checks
// that the attributes kernel_shape and group, and the attributes of the window, agree with these shapes.
Result<ConvolutionShape> convolutionShape(const OpContext &context, const Shape &x, const Shape &w);

// The weights of each group, packed in the order of summation: over the taps in row-major order, and over the
// channels within each tap. Empty for a convolution that reads its weights unpacked.
template <class T>
using PackedWeights = std::vector<RowPanels<T>>;
template <class T>
PackedWeights<T> packWeights(const ConvolutionShape &shape, const T *w, Threads &threads);

// y = convolution of x and w, plus bias (one for each output channel) unless it is null. Every output is a
// chain of multiply-adds that starts from the bias, in the order of PackedWeights. With Arithmetic::machine
// the multiply-adds are fused, and padding is skipped. Every output is passed to `finish` once, with the
// output channel as row; this is not supported with Arithmetic::machine.
template <class T>
void convolve(const ConvolutionShape &shape, const T *x, const T *w, const PackedWeights<T> &packed,
              const T *bias, T *y, Arithmetic arithmetic, Threads &threads, const FinishRow<T> &finish = {});

} // namespace tilerig::reference
