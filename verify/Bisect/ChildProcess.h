// Runs a function in a child process, so that a crash or an endless loop ends only the child.
#pragma once

#include "isa/Base/Support/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace tilerig::verify {

// Sends a message, a text of any length without line breaks, from the child to the process that waits for it.
using SendLine = std::function<void(const std::string &line)>;

struct ChildEnd {
  enum class Kind { finished, crashed, timedOut };
  Kind kind = Kind::finished;
  std::string reason;             // "signal 11 (Segmentation fault)", "no result after 60 s"
  std::string errors;             // the end of what the child wrote to standard error
  std::vector<std::string> lines; // messages that the child sent, in order
};

// Runs `body` in a child process until it returns, crashes, or `seconds` have passed (0: no limit). What it prints is not
// shown. The calling process must have no other threads, since only the calling thread exists in the child.
Result<ChildEnd> runInChild(const std::function<void(const SendLine &send)> &body, double seconds);

} // namespace tilerig::verify
