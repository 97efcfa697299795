#include "emulator/Tools/RunCaptures.h"

#include <fmt/core.h>

namespace tilerig {

void printCaptures(const std::string &captureTo, size_t captured, bool dequantised,
                   const std::vector<std::string> &missing) {
  if (!captureTo.empty())
    fmt::print("{} tensors captured, {}\n", captured,
               dequantised ? "in the types of the model" : "as they are stored");
  if (!missing.empty())
    fmt::print("not captured, because the program does not keep them whole: {}\n", showNames(missing));
}

} // namespace tilerig
