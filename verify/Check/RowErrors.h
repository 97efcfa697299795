// Bounds the rounding errors of softmax, log-softmax and normalisation over rows in the machine's arithmetic,
// for exact operands. The formulas are those of isa/Numerics/README.md; u is half a unit in the last place of
// 1 in fp32, n the length of a row.
//
//   softmax        each exponential has the relative error u, so their sum has u, and u more from rounding;
//                  adding n of them in double has 2^-53 each; the division u: in all 4 u + n 2^-53 of the
//                  result
//   log-softmax    the logarithm of that sum: 2 u + n 2^-53, and u of the result
//   normalisation  with a = mean |x|, d = x - mean, v = mean d^2, w = v + epsilon, and i = 1 / sqrt(w):
//                    the mean    n + 1 roundings of the sum and of the division: dm = (n + 1) u a
//                    d           e = dm + u (|d| + dm)
//                    v           all d share the error dm, which changes the mean square by dm^2 alone, since
//                                the d add up to 0; each d has u |d|; then n + 2 roundings of sum and
//                                division: dv = (n + 4) u v + dm^2 + 2 u dm sqrt(v)
//                    i           the relative error of w is r = (dv + u w) / w, so that of i is
//                                1 / sqrt(1 - r) - 1 + 2 u
//                    the result  gain i (|d| (error of i + u) + e), and u of the result
//                  There is no bound if r reaches 1, where the deviation is lost in the mean's rounding, nor
//                  if a sum may overflow.
//
// If the layer also computes the scores, they have errors, too: the last addition of a score s rounds by u |s|, in the
// model and in the layer. With m = max |s| of the row, this adds (exp(4 u m) - 1) |y| to the bound of a softmax result
// y, and 4 u m to that of a log-softmax. If a mask adds -10000 to a whole row, that is 0.24 %. A product that reads
// the softmax adds up these errors, each times the magnitude of the other operand.
//
// A result below the least normal float has an absolute error of the least float instead. A thousandth added
// to the bound covers second-order terms.
#pragma once

#include "verify/Check/FloatForms.h"

#include <optional>

namespace tilerig::verify {

// The tensor computed by a softmax, log-softmax or normalisation node on the path from the operands to
// `tensor`; empty if there is none.
std::string rowsOn(const FloatForms &forms, const std::string &tensor, const Operands &operands);

// Error bound of each element of `tensor` for the roundings in a softmax or normalisation over long rows on its path
// from the operands; empty if there is none.
Result<std::optional<Tensor>> rowErrors(const FloatForms &forms, const std::string &tensor,
                                        const Operands &operands);

// Error bound of each element of a softmax or normalisation over rows. `rows` holds the values of the tensor,
// found by rowsOn(), in fp64.
Result<Tensor> errorsOfRows(const FloatForms &forms, const std::string &tensor, const Tensor &rows,
                            const Operands &operands);

} // namespace tilerig::verify
