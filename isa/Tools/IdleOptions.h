// Options that would change nothing.
//
// What stands on a command line is wanted. An option that has no effect beside the others is refused, as its
// user would believe that it had one. The body of a command states for each such option when that is so:
//
//   CHECK_OK(refuseIdle(line.options(), {{.option = "--jitter",
//                                         .isIdle = mode == Mode::fast,
//                                         .why = "is about time, which fast mode knows nothing of",
//                                         .remedy = "add --mode timed"}}));
//
// Limits (--threads) and permissions (--allow-unproved) are kept whether or not anything comes near them, so
// they are never idle. tests/conformance/options goes through every option of every command.
#pragma once

#include "isa/Support/Error.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tilerig {

struct IdleOption {
  std::string option; // by one of its names
  bool isIdle = false;
  std::string why, remedy;
};

// Refuses the first of these options that is on the command line and idle there.
Status refuseIdle(const CLI::App &options, const std::vector<IdleOption> &rules);

} // namespace tilerig
