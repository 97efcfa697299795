#include "verify/Check/NotFinite.h"

#include "isa/Base/Support/Printable.h"
#include "isa/Numerics/Convert.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tilerig::verify {

namespace {

struct Counts {
  size_t nans = 0, infinities = 0;
};

template <class T>
double realOf(T element) {
  if constexpr (std::is_same_v<T, Float16>)
    return toFloat(Fp16{element.bits});
  else if constexpr (std::is_same_v<T, BFloat16>)
    return toFloat(Bf16{element.bits});
  else
    return static_cast<double>(element);
}

Counts countNotFinite(const Tensor &tensor) {
  Counts counts;
  dispatch(tensor.dtype(), [&]<class T>() {
    if constexpr (std::is_floating_point_v<T> || std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
      for (const T element : tensor.as<T>()) {
        const double real = realOf(element);
        counts.nans += std::isnan(real);
        counts.infinities += std::isinf(real);
      }
  });
  return counts;
}

} // namespace

std::string describeNotFinite(const TensorMap &inputs) {
  std::vector<std::string> lines;
  for (const NamedTensor &input : inputs) {
    const Counts counts = countNotFinite(input.tensor);
    if (!counts.nans && !counts.infinities)
      continue;
    std::string words = counts.nans ? fmt::format("{} NaN", counts.nans) : "";
    if (counts.infinities)
      words += fmt::format("{}{} infinite", words.empty() ? "" : " and ", counts.infinities);
    lines.push_back(fmt::format("input '{}' has {} {}", printable(input.name), words,
                                counts.nans + counts.infinities == 1 ? "element" : "elements"));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

} // namespace tilerig::verify
