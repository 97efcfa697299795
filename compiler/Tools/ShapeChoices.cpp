#include "compiler/Tools/ShapeChoices.h"

#include <fmt/core.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

namespace tilerig::compiler {

namespace {

using Parts = llvm::SmallVector<llvm::StringRef>;

Parts partsAt(llvm::StringRef text, char at) {
  Parts parts;
  text.split(parts, at);
  return parts;
}

} // namespace

Result<std::vector<std::vector<std::string>>> shapeChoices(const std::vector<std::string> &inputShapes) {
  size_t count = 1;
  std::string first; // the text that has `count` alternatives
  for (const std::string &text : inputShapes)
    for (const llvm::StringRef size : partsAt(llvm::StringRef(text).rsplit('=').second, 'x')) {
      const size_t alternatives = size.count('|') + 1;
      if (alternatives == 1)
        continue;
      if (count != 1 && alternatives != count)
        return usageError("--input-shape",
                          fmt::format("a size in '{}' has {} alternatives, but one in '{}' has {}", text,
                                      alternatives, first, count),
                          "give the same number for each size: program 1 takes the first of each, and so on");
      count = alternatives;
      first = text;
    }
  std::vector<std::vector<std::string>> choices(count);
  for (size_t i = 0; i < count; ++i)
    for (const std::string &text : inputShapes) {
      const auto [name, shape] = llvm::StringRef(text).rsplit('=');
      std::string chosen;
      for (const llvm::StringRef size : partsAt(shape, 'x')) {
        const Parts alternatives = partsAt(size, '|');
        chosen += (chosen.empty() ? "" : "x") + alternatives[alternatives.size() == 1 ? 0 : i].str();
      }
      choices[i].push_back(llvm::StringRef(text).contains('|') ? name.str() + "=" + chosen : text);
    }
  return choices;
}

} // namespace tilerig::compiler
