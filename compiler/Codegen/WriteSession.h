// A session with a compiled network as C++: a source for a user to start from, which builds against our
// libraries, compiles the network again, with the knobs of each layer in its hands, and runs it.
#pragma once

#include "compiler/Strategy/StrategyFile.h"
#include "isa/Program/Program.h"

namespace tilerig {

// `model` is the file that was compiled, `options` how, as words of the command line.
std::string sessionSource(const Program &program, const StrategyFile &strategy, const std::string &model,
                          const std::vector<std::string> &options);

} // namespace tilerig
