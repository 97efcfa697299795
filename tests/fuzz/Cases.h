// ONNX's own test cases as seeds.
#pragma once

#include <string>
#include <vector>

namespace tilerig::fuzz {

// Each small case as a model, with the inputs of its first set of data as initialisers: damage to them
// reaches what operators take as numbers. In every other case they are inputs no more, so that folding sees
// them. None where the cases are not installed.
std::vector<std::string> onnxCases();

} // namespace tilerig::fuzz
