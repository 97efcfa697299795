// Depthwise convolution: each output channel depends on a single input channel. A matrix product would be
// slow here, because its sums would be only as long as the kernel has taps.
#pragma once

#include "reference/Ops/Convolve.h"

namespace tilerig::reference {

// Whether a convolution is depthwise, with so little padding that multiplying zeros does not dominate the
// work.
bool isDepthwise(const ConvolutionShape &shape);

// Like convolve() for a depthwise shape, except that padding is multiplied as elements of value zero.
template <class T>
void convolveDepthwise(const ConvolutionShape &shape, const T *x, const T *w, const T *bias, T *y,
                       Chain chain, Threads &threads, const FinishRow<T> &finish);

} // namespace tilerig::reference
