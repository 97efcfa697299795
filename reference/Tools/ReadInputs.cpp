#include "isa/Base/Tensor/TensorFiles.h"
#include "isa/Base/Tensor/TensorProto.h"
#include "reference/Run/CheckInput.h"
#include "reference/Tools/Inputs.h"
#include "reference/Tools/Names.h"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace tilerig::reference {

namespace fs = std::filesystem;

namespace {

class Reader {
public:
  explicit Reader(const Model &model) : model(model), graph(model.graph) {}

  Status read(const std::string &path) {
    std::error_code error;
    if (fs::is_directory(path, error) && fs::exists(fs::path(path) / "input_0.pb", error))
      return readTestData(path);
    bool namesCount = fs::is_directory(path, error) || !(path.ends_with(".npy") || path.ends_with(".pb"));
    const auto filter = [&](const TensorHead &head) -> Result<bool> {
      if (namesCount)
        TILERIG_CHECK_OK(check(head, path));
      return true;
    };
    TILERIG_TRY(TensorMap tensors, readTensors(path, filter));
    for (const NamedTensor &entry : tensors)
      TILERIG_CHECK_OK(give(entry.name, entry.tensor, path, !namesCount));
    return success();
  }

  NamedTensors tensors;

private:
  Status readTestData(const std::string &folder) {
    for (int i = 0;; ++i) {
      fs::path file = fs::path(folder) / fmt::format("input_{}.pb", i);
      if (!fs::exists(file))
        return success();
      TILERIG_TRY(NamedTensor named, readTensorProto(file.string()));
      TILERIG_CHECK_OK(give(named.name, std::move(named.tensor), file.string(), true));
    }
  }

  // Checks name, type and shape of a tensor against the model's inputs, before its elements are read.
  Status check(const TensorHead &head, const std::string &path) const {
    const Value *value = find(head.name);
    if (!value)
      return noSuchInput(head.name, path);
    const Status status =
        checkInput(*value, holdsBits(*value, head.dtype) ? DType::bf16 : head.dtype, head.shape);
    return status ? status : Status(status.error().within(model.path));
  }
  // Whether the file's uint16 are bfloat16 bits: numpy files have no bfloat16, so the model's declaration
  // decides.
  static bool holdsBits(const Value &value, DType dtype) {
    return value.declared && value.declared->type == DType::bf16 && dtype == DType::u16;
  }
  Error noSuchInput(const std::string &name, const std::string &path) const {
    return invalidInput(path, fmt::format("the model has no input '{}'", name),
                        suggestName(name, namesOf(graph, graph.inputs)));
  }

  const Value &valueOf(ValueId id) const { return graph.values[static_cast<size_t>(id)]; }

  const Value *find(const std::string &name) const {
    for (const auto *ids : {&graph.inputs, &graph.overridable})
      for (ValueId id : *ids)
        if (valueOf(id).name == name)
          return &valueOf(id);
    return nullptr;
  }
  const Value *firstWithout() const {
    for (ValueId id : graph.inputs)
      if (!tensors.contains(valueOf(id).name))
        return &valueOf(id);
    return nullptr;
  }

  // Assigns a tensor to the input of its name or, if `takesAny`, to the first input without a value.
  Status give(const std::string &name, Tensor tensor, const std::string &path, bool takesAny) {
    const Value *value = find(name);
    if (!value && takesAny)
      value = firstWithout();
    if (!value)
      return noSuchInput(name, path);
    if (holdsBits(*value, tensor.dtype())) {
      TILERIG_TRY(tensor, tensor.reinterpreted(DType::bf16));
    }
    if (!tensors.emplace(value->name, std::move(tensor)).second)
      return invalidInput(path, fmt::format("input '{}' is given twice", value->name));
    return success();
  }

  const Model &model;
  const Graph &graph;
};

} // namespace

Result<NamedTensors> readInputs(const Model &model, const std::vector<std::string> &paths) {
  Reader reader(model);
  for (const std::string &path : paths)
    TILERIG_CHECK_OK(reader.read(path));
  return std::move(reader.tensors);
}

} // namespace tilerig::reference
