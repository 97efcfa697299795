// Convolution of channels that do not mix, a few outputs for each: next to no depth for a product.
#pragma once

#include "reference/Ops/Convolve.h"

namespace tilerig::reference {

// Whether a convolution is of this kind, and its padding not so large that zeros would be most of the work.
bool isDepthwise(const ConvolutionShape &shape);

// As convolve() of such a shape, but padding is multiplied like elements that are zero.
template <class T>
void convolveDepthwise(const ConvolutionShape &shape, const T *x, const T *w, const T *bias, T *y,
                       Chain chain, Threads &threads, const FinishRow<T> &finish);

} // namespace tilerig::reference
