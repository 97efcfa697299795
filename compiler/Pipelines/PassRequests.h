// What a user asks for about the passes of a compilation. This header does not include MLIR.
#pragma once

#include <string>
#include <vector>

namespace tilerig::compiler {

struct PassRequests {
  std::string pipeline;              // passes to run instead of those over level graph; empty: the usual ones
  std::vector<std::string> without;  // flags of passes to leave out
  std::vector<std::string> inserted; // as parseInsertedPass() takes them
  std::vector<std::string> plugins;  // files to load passes from
};

} // namespace tilerig::compiler
