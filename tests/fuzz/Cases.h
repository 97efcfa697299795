// ONNX's own test cases as fuzzing seeds.
#pragma once

#include <string>
#include <vector>

namespace tilerig::fuzz {

// Each small test case of ONNX as a serialised model, with its first set of input data as initialisers, so
// that mutations reach the numbers that operators read. In every second case these initialisers are no longer
// declared as inputs, so that constant folding sees them. Empty if the cases are not installed.
std::vector<std::string> onnxCases();

} // namespace tilerig::fuzz
