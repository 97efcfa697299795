// How far rows may be off in the machine's arithmetic: softmax, its logarithm, and normalisations, of exact
// operands. The formulas are those of isa/Numerics/README.md; u is half a unit of the last place of 1 in
// fp32, n the length of a row.
//
//   softmax        an exponential is off by u of itself, so their sum by u, and by u where it is rounded; the
//                  addition of n of them in double by 2^-53 each; the division by u: 4 u + n 2^-53 of the
//                  result
//   log-softmax    the logarithm of that sum: 2 u + n 2^-53, and u of the result
//   normalisation  with a = mean |x|, d = x - mean, v = mean d^2, w = v + epsilon, and i = 1 / sqrt(w):
//                    the mean    n + 1 roundings of the sum and of the division: dm = (n + 1) u a
//                    d           e = dm + u (|d| + dm)
//                    v           the d are off by dm together, which moves their squares by dm^2 alone, since
//                                they add up to 0, and each by u |d|; then n + 2 roundings of sum and
//                                division: dv = (n + 4) u v + dm^2 + 2 u dm sqrt(v)
//                    i           r = (dv + u w) / w of its square, so 1 / sqrt(1 - r) - 1 + 2 u of itself
//                    the result  gain i (|d| (error of i + u) + e), and u of the result
//                  There is no bound where r reaches 1: the deviation is lost in the mean's rounding; nor
//                  where a sum may overflow.
//
// A result below the least normal float is off by the least float instead. What is second order is covered by
// a thousandth on top.
#pragma once

#include "verify/Check/FloatForms.h"

namespace tilerig::verify {

// The tensor that such a node gives on the way from those operands to a tensor; empty where there is none.
std::string rowsOn(const FloatForms &forms, const std::string &tensor, const Operands &given);

// By element of that tensor, which holds `rows` in fp64.
Result<Tensor> errorsOfRows(const FloatForms &forms, const std::string &tensor, const Tensor &rows,
                            const Operands &given);

} // namespace tilerig::verify
