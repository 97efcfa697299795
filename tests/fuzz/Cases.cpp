#include "tests/fuzz/Cases.h"

#include "isa/Base/Support/File.h"

#include <algorithm>
#include <filesystem>
#include <onnx/onnx_pb.h>
#include <optional>

namespace tilerig::fuzz {

namespace fs = std::filesystem;

static std::optional<std::string> caseIn(const fs::path &folder, bool folds) {
  constexpr size_t largest = 1 << 14;
  auto bytes = readText((folder / "model.onnx").string());
  onnx::ModelProto model;
  if (!bytes || bytes->size() > largest || !model.ParseFromString(*bytes))
    return {};
  onnx::GraphProto &graph = *model.mutable_graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    fs::path file = folder / "test_data_set_0" / ("input_" + std::to_string(i) + ".pb");
    auto content = readText(file.string());
    onnx::TensorProto tensor;
    if (!content || content->size() > largest || !tensor.ParseFromString(*content))
      return {};
    tensor.set_name(graph.input(i).name());
    *graph.add_initializer() = tensor;
  }
  if (folds)
    graph.clear_input();
  return model.SerializeAsString();
}

std::vector<std::string> onnxCases() {
  std::vector<std::string> models;
  const fs::path cases = "/usr/share/libonnx-testdata/data/node";
  if (!fs::is_directory(cases))
    return models;
  std::vector<fs::path> folders{fs::directory_iterator(cases), fs::directory_iterator()};
  std::ranges::sort(folders);
  for (size_t i = 0; i < folders.size(); ++i)
    if (auto model = caseIn(folders[i], i % 2))
      models.push_back(*std::move(model));
  return models;
}

} // namespace tilerig::fuzz
