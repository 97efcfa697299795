// Several shapes of the inputs in one command: --input-shape x=1x3x48x160|320|640.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>
#include <vector>

namespace tilerig::compiler {

// The values of --input-shape for each program to compile, for example {{"x=1x3x48x160"}, {"x=1x3x48x320"}}. All sizes
// with alternatives must have the same number of them: choice 1 takes the first of each, and so on. Without
// alternatives, the only choice is `inputShapes`.
Result<std::vector<std::vector<std::string>>> shapeChoices(const std::vector<std::string> &inputShapes);

} // namespace tilerig::compiler
