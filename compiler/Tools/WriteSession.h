// Writes a session: a C++ program that compiles the network again and runs it, as a starting point for users.
// It builds against the installed libraries of tilerig and exposes the split parameters of each layer.
#pragma once

#include "compiler/Planning/Strategy/StrategyFile.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

// Returns the source of a session. `model` is the path of the compiled network, and `options` are the command
// line options of `tilerig compile` with which the session repeats the compilation.
std::string sessionSource(const Program &program, const StrategyFile &strategy, const std::string &model,
                          const std::vector<std::string> &options);

} // namespace tilerig::compiler
