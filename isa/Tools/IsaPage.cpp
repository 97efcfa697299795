// tilerig-isa-page prints the instruction reference page; with --tablegen it prints the operation definitions
// for MLIR. scripts/regenerate stores the output in the repository.

#include "isa/Tools/IsaPage/Page.h"

#include <cstdio>
#include <string_view>

int main(int argc, char **argv) {
  const std::string_view option = argc > 1 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && option != "--tablegen")) {
    std::fputs("usage: tilerig-isa-page [--tablegen]\n", stderr);
    return 2;
  }
  const std::string text = option.empty() ? tilerig::isaPage() : tilerig::isaTablegen();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0 ? 0 : 4;
}
