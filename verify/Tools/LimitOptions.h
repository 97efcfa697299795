// Command line options that set the limits of a comparison.
#pragma once

#include "isa/Base/CommandLine/CommandLine.h"
#include "verify/Metrics/Limits.h"

namespace tilerig::verify {

struct LimitOptions {
  std::string anchor = "max";
  double oomLimit = Limits().oom, relErr = Limits().relativePercent, bitOff = Limits().bitOff;

  void declare(CommandOptions &line);
  Limits limits() const;
};

} // namespace tilerig::verify
