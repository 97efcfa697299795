// Finds the test cases that ship with ONNX and reads their data.
//
// A case is a folder with model.onnx and folders test_data_set_*, which hold one file (a TensorProto) for
// each input and each output.
#pragma once

#include "isa/Base/Tensor/Tensor.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tilerig::conformance {

struct Case {
  std::string collection, name; // for example "node" and "test_abs"
  std::filesystem::path folder;
};

// The test case in `folder`. The name of the folder becomes the name of the case, and the name of its parent
// folder becomes the collection.
Case caseIn(const std::filesystem::path &folder);
// All test cases, which are the folders root/COLLECTION/CASE, sorted by path. An error if there are none.
Result<std::vector<Case>> casesBelow(const std::filesystem::path &root);

struct DataSet {
  std::vector<Tensor> inputs, outputs;
};

// The data sets of a case. An error if it has none, since nothing could be compared.
Result<std::vector<DataSet>> dataSetsOf(const Case &testCase);

} // namespace tilerig::conformance
