// Writes a C++ program that compiles the network again and runs it: a starting point for users. The program
// builds against the installed libraries of tilerig and exposes the split parameters of each layer.
#pragma once

#include "compiler/Planning/Strategy/StrategyFile.h"
#include "isa/Program/Program.h"

namespace tilerig::compiler {

// `model`: path of the network that was compiled; `options`: words of the command line of `tilerig compile`.
std::string sessionSource(const Program &program, const StrategyFile &strategy, const std::string &model,
                          const std::vector<std::string> &options);

} // namespace tilerig::compiler
