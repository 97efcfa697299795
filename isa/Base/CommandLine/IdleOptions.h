// Refuses command-line options that would have no effect.
//
// A user who gives an option expects it to act. An option that has no effect together with the other options
// is therefore refused. The body of a command states for each such option when it is idle:
//
//   TILERIG_CHECK_OK(refuseIdle(line.options(), {{.option = "--jitter",
//                                         .isIdle = mode == Mode::fast,
//                                         .why = "is about time, which fast mode knows nothing of",
//                                         .remedy = "add --mode timed"}}));
//
// Options that set a limit (--threads) or give a permission (--allow-unproved) are never idle: they apply
// even if the limit is not reached or the permission is not needed. tests/conformance/options tries every
// option of every command.
#pragma once

#include "isa/Base/CommandLine/CommandOptions.h"
#include "isa/Base/Support/Error.h"

#include <string>
#include <vector>

namespace tilerig {

struct IdleOption {
  std::string option; // one of the names of the option, such as "--jitter"
  bool isIdle = false;
  std::string why, remedy;
};

// Refuses the command line if the user gave an option that would have no effect; `rules` states when each
// option has none. The error names the first such option.
Status refuseIdle(const CommandOptions &options, const std::vector<IdleOption> &rules);

} // namespace tilerig
