#include "emulator/Tools/RunCaptures.h"

#include "isa/Base/Support/Printable.h"

#include <fmt/core.h>
#include <iostream>

namespace tilerig::emulator {

void printCaptures(const std::string &captureTo, size_t captured, InModelTypes types,
                   const std::vector<std::string> &missing) {
  if (!captureTo.empty())
    std::cout << fmt::format(
        "{} {}\n", captured,
        types == InModelTypes::all
            ? "tensors captured and written in the types of the model"
            : "tensors captured and written: outputs in the types of the model, others in their stored types");
  if (!missing.empty())
    std::cout << fmt::format("not captured, because the program does not store all of their elements: {}\n",
                             printable(showNames(missing)));
}

} // namespace tilerig::emulator
