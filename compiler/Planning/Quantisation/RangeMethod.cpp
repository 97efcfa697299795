#include "compiler/Planning/Quantisation/RangeMethod.h"

#include "compiler/Planning/Quantisation/RangeSearch.h"
#include "isa/Base/Support/Nearest.h"

#include <array>
#include <charconv>
#include <fmt/core.h>
#include <limits>

namespace tilerig::compiler {

using Kind = RangeMethod::Kind;

// The names of the methods, in the order of the enumeration RangeMethod::Kind.
static constexpr std::array<std::string_view, 5> methodNames = {"min-max", "percentile", "entropy", "mse",
                                                                "average"};

// Parses a text as a number; NaN if the text, or a part of it, is not a number.
static double parseNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number
                                                                  : std::numeric_limits<double>::quiet_NaN();
}

static Result<double> parsePercentile(std::string_view text) {
  const double percentile = parseNumber(text);
  if (!(percentile > 0 && percentile <= 100))
    return invalidInput("", fmt::format("'{}' is not a percentile", text),
                        "write a number above 0 and up to 100, as in percentile:99.9");
  return percentile;
}

static Result<double> parseRamp(std::string_view text) {
  const double ramp = parseNumber(text);
  if (!(ramp >= 1 && ramp <= 16))
    return invalidInput("", fmt::format("'{}' is not a valid range factor for the last layer", text),
                        "write a number from 1 to 16, as in average:2");
  return ramp;
}

Result<RangeMethod> parseRangeMethod(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const auto row = std::ranges::find(methodNames, name);
  if (row == methodNames.end())
    return invalidInput("", fmt::format("there is no calibration method '{}'", name),
                        suggestion(name, methodNames));
  RangeMethod method;
  method.kind = static_cast<Kind>(row - methodNames.begin());
  if (colon == std::string_view::npos)
    return method;
  if (method.kind == Kind::average) {
    TILERIG_TRY(method.ramp, parseRamp(text.substr(colon + 1)));
    return method;
  }
  if (method.kind != Kind::percentile)
    return invalidInput("", fmt::format("the calibration method '{}' takes no number", name),
                        "leave out the colon and the text after it");
  TILERIG_TRY(method.percentile, parsePercentile(text.substr(colon + 1)));
  return method;
}

std::string nameOf(const RangeMethod &method) {
  const std::string_view name = methodNames[static_cast<size_t>(method.kind)];
  if (method.kind == Kind::percentile)
    return fmt::format("{}:{}", name, method.percentile);
  return method.kind == Kind::average && method.ramp != 1 ? fmt::format("{}:{}", name, method.ramp)
                                                          : std::string(name);
}

ValueRange minMaxRange(const TensorStatistics &statistics) {
  return ValueRange::containing(statistics.minimum(), statistics.maximum());
}

ValueRange averageRange(const TensorStatistics &statistics) {
  return ValueRange::containing(statistics.meanMinimum(), statistics.meanMaximum());
}

// Multiplies both ends of a range by `factor`; ends that would be infinite become the largest finite float.
static ValueRange scaled(const ValueRange &range, double factor) {
  constexpr double most = std::numeric_limits<float>::max();
  return {static_cast<float>(std::max(range.low * factor, -most)),
          static_cast<float>(std::min(range.high * factor, most))};
}

Result<ValueRange> chooseRange(const std::string &tensor, const TensorStatistics &statistics,
                               const RangeMethod &method, double depth) {
  if (statistics.nonFinite())
    return invalidInput(fmt::format("tensor '{}'", tensor),
                        fmt::format("{} of the tensor's {} values are NaN or infinite",
                                    statistics.nonFinite(), statistics.nonFinite() + statistics.count()),
                        "calibrate with inputs that are typical of this network");
  if (statistics.count() == 0)
    return ValueRange{0, 0}; // the tensor has no elements that would need a range
  switch (method.kind) {
  case Kind::minMax:
    return minMaxRange(statistics);
  case Kind::percentile:
    return percentileRange(statistics, method.percentile);
  case Kind::entropy:
    return entropyRange(statistics);
  case Kind::leastSquares:
    return leastSquaresRange(statistics);
  case Kind::average:
    return scaled(averageRange(statistics), 1 + (method.ramp - 1) * depth);
  }
  return internalError(tensor, "unknown calibration method");
}

} // namespace tilerig::compiler
