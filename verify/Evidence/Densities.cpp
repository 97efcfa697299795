#include "verify/Evidence/Densities.h"

#include <bit>
#include <cmath>

namespace tilerig::verify {

// Computes log2 with the power series of artanh, which needs only additions, multiplications and divisions.
double log2Of(uint64_t number) {
  const int exponent = std::bit_width(number) - 1;
  const double fraction = std::ldexp(static_cast<double>(number), -exponent); // in [1, 2)
  const double s = (fraction - 1) / (fraction + 1), squared = s * s;
  double sum = 0;
  for (int k = 41; k > 0; k -= 2)
    sum = sum * squared + 1.0 / k;
  constexpr double inverseOfHalfLn2 = 2.8853900817779268;
  return exponent + inverseOfHalfLn2 * s * sum;
}

double densityOf(uint64_t count, uint64_t all) { return all ? log2Of(count + 1) / log2Of(all + 1) : 0; }

void Sheet::write(uint64_t all, std::span<float> out) const {
  const double scale = log2Of(all + 1);
  for (size_t i = 0; i < cells.size(); ++i)
    out[i] = cells[i] ? static_cast<float>(log2Of(cells[i] + 1) / scale) : 0;
}

} // namespace tilerig::verify
