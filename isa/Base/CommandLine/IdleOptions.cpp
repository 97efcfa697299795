#include "isa/Base/CommandLine/IdleOptions.h"

namespace tilerig {

Status refuseIdle(const CommandOptions &options, const std::vector<IdleOption> &rules) {
  for (const IdleOption &rule : rules)
    if (rule.isIdle && options.count(rule.option) > 0)
      return usageError(rule.option, rule.why, rule.remedy);
  return success();
}

} // namespace tilerig
