#include "tests/conformance/Cases.h"

#include "isa/Base/Tensor/TensorProto.h"

#include <algorithm>
#include <fmt/core.h>
#include <tuple>

namespace tilerig::conformance {

namespace fs = std::filesystem;

namespace {

// The folders in a folder, sorted by path. Empty if the folder cannot be read.
std::vector<fs::path> foldersIn(const fs::path &folder) {
  std::vector<fs::path> folders;
  std::error_code failed;
  for (const auto &entry : fs::directory_iterator(folder, failed))
    if (entry.is_directory(failed))
      folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  return folders;
}

Result<std::vector<Tensor>> tensorsOf(const fs::path &folder, std::string_view kind) {
  std::vector<Tensor> tensors;
  for (int i = 0;; ++i) {
    fs::path file = folder / fmt::format("{}_{}.pb", kind, i);
    std::error_code failed;
    if (!fs::exists(file, failed))
      return tensors;
    TILERIG_TRY(NamedTensor named, readTensorProto(file.string()));
    tensors.push_back(std::move(named.tensor));
  }
}

} // namespace

Case caseIn(const fs::path &folder) {
  return {folder.parent_path().filename().string(), folder.filename().string(), folder};
}

Result<std::vector<Case>> casesBelow(const fs::path &root) {
  std::vector<Case> cases;
  for (const fs::path &collection : foldersIn(root))
    for (const fs::path &folder : foldersIn(collection))
      if (std::error_code failed; fs::exists(folder / "model.onnx", failed))
        cases.push_back(caseIn(folder));
  if (cases.empty())
    return invalidInput(root.string(), "holds no test cases",
                        "give the folder `data` of ONNX's backend tests");
  return cases;
}

Result<std::vector<DataSet>> dataSetsOf(const Case &testCase) {
  std::vector<DataSet> sets;
  for (const fs::path &folder : foldersIn(testCase.folder)) {
    DataSet set;
    TILERIG_TRY(set.inputs, tensorsOf(folder, "input"));
    TILERIG_TRY(set.outputs, tensorsOf(folder, "output"));
    sets.push_back(std::move(set));
  }
  if (sets.empty())
    return invalidInput(testCase.folder.string(), "holds no test data");
  return sets;
}

} // namespace tilerig::conformance
