#include "tests/conformance/Compare.h"

#include <cmath>
#include <complex>
#include <fmt/core.h>

namespace tilerig::conformance {

namespace {

constexpr double relative = 1e-3, absolute = 1e-7;

bool close(double got, double wanted) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got);
  if (std::isinf(wanted))
    return got == wanted;
  return std::abs(got - wanted) <= absolute + relative * std::abs(wanted);
}
template <class T>
bool close(std::complex<T> got, std::complex<T> wanted) {
  return close(got.real(), wanted.real()) && close(got.imag(), wanted.imag());
}

// Whether two 16-bit floats differ by at most one unit in the last place: the implementation that made the
// expected values may have rounded twice.
template <class Half>
bool closeHalves(Half got, Half wanted) {
  bool sameSign = !((got.bits ^ wanted.bits) & 0x8000) || !(wanted.bits & 0x7FFF);
  return sameSign && std::abs(int(got.bits & 0x7FFF) - int(wanted.bits & 0x7FFF)) <= 1;
}

template <class T>
bool sameElement(const T &got, const T &wanted) {
  if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
    return closeHalves(got, wanted);
  else if constexpr (std::is_integral_v<T>)
    return got == wanted;
  else
    return close(got, wanted);
}

// Index of the first element that differs, or the number of elements if none does.
size_t firstDifference(const Tensor &got, const Tensor &wanted) {
  return dispatch(wanted.dtype(), [&]<class T>() {
    auto left = got.as<T>(), right = wanted.as<T>();
    size_t i = 0;
    while (i < right.size() && sameElement<T>(left[i], right[i]))
      ++i;
    return i;
  });
}

} // namespace

Tensor asMeant(const Tensor &stored, DType meant) {
  if (stored.dtype() == DType::u16 && meant == DType::bf16)
    return *stored.reinterpreted(DType::bf16);
  return stored;
}

Status compare(const std::string &name, const Tensor &got, const Tensor &stored) {
  Tensor wanted = asMeant(stored, got.dtype());
  auto place = fmt::format("output '{}'", name);
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape())
    return invalidInput(place,
                        fmt::format("is {} {}, expected {} {}", nameOf(got.dtype()), showShape(got.shape()),
                                    nameOf(wanted.dtype()), showShape(wanted.shape())));
  if (size_t at = firstDifference(got, wanted); at < wanted.elementCount())
    return invalidInput(place, fmt::format("differs; the first wrong element is element {}", at));
  return success();
}

} // namespace tilerig::conformance
