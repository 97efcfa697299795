// The program tilerig-compare-dumps: compares two npz files of tensors value by value, in the tests a dump of
// ONNX Runtime with one of the reference.
//
//   tilerig-compare-dumps EXPECTED.npz ACTUAL.npz          equal in every bit, except that -0 equals +0
//   tilerig-compare-dumps EXPECTED.npz ACTUAL.npz 1e-4     floats differ by at most 1e-4 times the tensor's
//                                                          largest magnitude; other types are equal
// Every tensor of EXPECTED must be in ACTUAL, with the same type and shape. Prints a line for each tensor
// that differs, and the counts. Fails if a tensor differs or if there is nothing to compare.
#include "isa/Base/Tensor/Npz.h"

#include <cmath>
#include <cstdlib>
#include <fmt/core.h>

using namespace tilerig;

namespace {

// The largest difference between two tensors, relative to the largest magnitude of the expected one. Infinite
// if a pair of different floats contains a NaN or an infinity, or if elements of another type than float
// differ.
template <class T>
double distance(std::span<const T> expected, std::span<const T> actual) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  double largest = 0, worst = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      double wanted = expected[i], got = actual[i];
      if (wanted == got || (std::isnan(wanted) && std::isnan(got)))
        worst = std::max(worst, 0.0);
      else if (!std::isfinite(wanted) || !std::isfinite(got))
        return infinite;
      else
        worst = std::max(worst, std::abs(wanted - got));
      if (std::isfinite(wanted))
        largest = std::max(largest, std::abs(wanted));
    } else if (!(expected[i] == actual[i])) {
      return infinite;
    }
  }
  return worst == 0 ? 0 : worst / largest;
}

// Describes the difference between two tensors; empty if they agree within the tolerance.
std::string difference(const Tensor &expected, const Tensor &actual, double tolerance) {
  if (expected.dtype() != actual.dtype() || expected.shape() != actual.shape())
    return fmt::format("is {} {}, expected {} {}", nameOf(actual.dtype()), showShape(actual.shape()),
                       nameOf(expected.dtype()), showShape(expected.shape()));
  double share =
      dispatch(expected.dtype(), [&]<class T>() { return distance<T>(expected.as<T>(), actual.as<T>()); });
  return share <= tolerance ? "" : fmt::format("differs by {:.3g} of its largest magnitude", share);
}

Result<bool> compare(const std::string &expectedPath, const std::string &actualPath, double tolerance) {
  TILERIG_TRY(NpzReader expected, NpzReader::open(expectedPath));
  TILERIG_TRY(NpzReader actual, NpzReader::open(actualPath));
  size_t different = 0;
  for (const std::string &name : expected.names()) {
    TILERIG_TRY(Tensor wanted, expected.load(name));
    TILERIG_TRY(Tensor got, actual.load(name));
    std::string description = difference(wanted, got, tolerance);
    if (description.empty())
      continue;
    ++different;
    fmt::print("'{}' {}\n", name, description);
  }
  fmt::print("{}: {} tensors compared, {} different\n", actualPath, expected.names().size(), different);
  return different == 0 && !expected.names().empty();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fmt::print(stderr, "usage: {} EXPECTED.npz ACTUAL.npz [TOLERANCE]\n", argv[0]);
    return 2;
  }
  auto same = compare(argv[1], argv[2], argc == 4 ? std::atof(argv[3]) : 0);
  if (!same)
    fmt::print(stderr, "{}\n", same.error().message());
  return !same ? 3 : *same ? 0 : 1;
}
