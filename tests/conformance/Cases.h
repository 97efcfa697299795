// ONNX's own test cases: where they are and what lies in them.
//
// A case is a folder with model.onnx and, in test_data_set_*, a tensor in a file for each input and output.
#pragma once

#include "isa/Tensor/Tensor.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilerig::conformance {

struct Case {
  std::string collection, name; // "node", "test_abs"
  std::filesystem::path folder;
};

// The case in that folder.
Case caseIn(const std::filesystem::path &folder);
// The cases of every collection below the root, in order of their names. Refused where there is none.
Result<std::vector<Case>> casesBelow(const std::filesystem::path &root);

struct DataSet {
  std::vector<Tensor> inputs, outputs;
};

// Refused where there is none: a case without data shows nothing.
Result<std::vector<DataSet>> dataSetsOf(const Case &testCase);

} // namespace tilerig::conformance
