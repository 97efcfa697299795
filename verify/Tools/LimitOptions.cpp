#include "verify/Tools/LimitOptions.h"

#include <fmt/core.h>

namespace tilerig::verify {

// Validator for a lower bound that also rejects NaN, which CLI11's own checks accept.
static CLI::Validator atLeast(double least) {
  auto check = [least](const std::string &text) {
    double number = 0;
    const bool fits = CLI::detail::lexical_cast(text, number) && number >= least;
    return fits ? std::string() : fmt::format("'{}' is not a number of at least {}", text, least);
  };
  return CLI::Validator(check, fmt::format("at least {}", least));
}

void LimitOptions::declare(CLI::App &app) {
  app.add_option("--oom-limit", oomLimit,
                 "discard elements more than this many times smaller than the "
                 "largest element of their tensor")
      ->check(atLeast(leastOomLimit))
      ->capture_default_str();
  app.add_option("--rel-err", relErr, "largest relative error, in percent, at which an element passes")
      ->check(atLeast(0))
      ->capture_default_str();
  app.add_option("--bit-off", bitOff,
                 "largest difference, in quantisation steps, at which an element of an "
                 "8-bit tensor passes")
      ->check(atLeast(0))
      ->capture_default_str();
  app.add_option("--anchor", anchor,
                 "magnitude that --oom-limit is relative to: the tensor's largest "
                 "element, its second largest, or its root mean square")
      ->check(CLI::IsMember({"max", "second", "rms"}))
      ->capture_default_str();
}

Limits LimitOptions::limits() const {
  Limits limits;
  limits.oom = oomLimit;
  limits.relativePercent = relErr;
  limits.bitOff = bitOff;
  limits.anchor = anchor == "rms"      ? Anchor::rms
                  : anchor == "second" ? Anchor::secondLargest
                                       : Anchor::largest;
  return limits;
}

} // namespace tilerig::verify
