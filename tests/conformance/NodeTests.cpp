// Runs the reference on ONNX's own test cases and tells what came out.
//
// A case is a folder with model.onnx and test_data_set_*/{input,output}_*.pb. Usage:
//   tilerig-node-tests [--list FILE] ROOT ...     every case below the roots
// It prints one line for each case that is not passed, and the counts; it fails where an answer is wrong, or
// where a case is refused for another reason than an operator or a type that the interpreter does not know.
#include "isa/Tensor/TensorProto.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fmt/core.h>

using namespace tilerig;
using namespace tilerig::reference;
namespace fs = std::filesystem;

namespace {

// The tolerance of ONNX's own runner.
constexpr double relative = 1e-3, absolute = 1e-7;

bool close(double got, double wanted) {
  if (std::isnan(wanted) || std::isnan(got))
    return std::isnan(wanted) && std::isnan(got);
  if (std::isinf(wanted))
    return got == wanted;
  return std::abs(got - wanted) <= absolute + relative * std::abs(wanted);
}

bool sameElements(const Tensor &got, const Tensor &wanted) {
  return dispatch(wanted.dtype(), [&]<class T>() {
    auto left = got.as<T>(), right = wanted.as<T>();
    for (size_t i = 0; i < right.size(); ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        if (!close(left[i], right[i]))
          return false;
      } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                           std::is_same_v<T, std::complex<double>>) {
        if (!close(left[i].real(), right[i].real()) || !close(left[i].imag(), right[i].imag()))
          return false;
      } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
        // One unit in the last place: the other implementation may round twice.
        if (std::abs(int(left[i].bits & 0x7FFF) - int(right[i].bits & 0x7FFF)) > 1 ||
            ((left[i].bits ^ right[i].bits) & 0x8000 && right[i].bits & 0x7FFF))
          return false;
      } else if (left[i] != right[i]) {
        return false;
      }
    }
    return true;
  });
}

// The cases keep bfloat16 as uint16; the model tells what the bits mean.
Tensor asBfloat16(const Tensor &stored, DType meant) {
  if (stored.dtype() == DType::u16 && meant == DType::bf16)
    return *stored.reinterpreted(DType::bf16);
  return stored;
}

Status compare(const std::string &name, const Tensor &got, const Tensor &stored) {
  Tensor wanted = asBfloat16(stored, got.dtype());
  if (got.dtype() != wanted.dtype() || got.shape() != wanted.shape())
    return invalidInput(name, fmt::format("is {} {}, and {} {} is wanted", nameOf(got.dtype()),
                                          showShape(got.shape()), nameOf(wanted.dtype()),
                                          showShape(wanted.shape())));
  if (!sameElements(got, wanted))
    return invalidInput(name, "has wrong elements");
  return success();
}

Result<std::vector<Tensor>> readSet(const fs::path &folder, const std::string &kind) {
  std::vector<Tensor> tensors;
  for (int i = 0;; ++i) {
    fs::path file = folder / fmt::format("{}_{}.pb", kind, i);
    if (!fs::exists(file))
      return tensors;
    TRY(NamedTensor named, readTensorProto(file.string()));
    tensors.push_back(std::move(named.tensor));
  }
}

Tensor inputOf(const Value &value, const Tensor &stored) {
  return value.declared ? asBfloat16(stored, value.declared->type) : stored;
}

enum class Outcome { passed, wrong, refused };
struct Verdict {
  Outcome outcome;
  std::string text;
};

// Cases whose data contradict their model: `like` is declared 3 x 4 and stored as a single element.
constexpr std::string_view contradictory[] = {
    "test_castlike_BFLOAT16_to_FLOAT", "test_castlike_BFLOAT16_to_FLOAT_expanded",
    "test_castlike_FLOAT_to_BFLOAT16", "test_castlike_FLOAT_to_BFLOAT16_expanded"};

bool isContradictory(const fs::path &folder) {
  return std::find(std::begin(contradictory), std::end(contradictory), folder.filename().string()) !=
         std::end(contradictory);
}

Verdict refusedBecause(const Error &error) { return {Outcome::refused, error.message()}; }

Verdict runCase(const fs::path &folder, Threads &threads) {
  auto model = loadModel((folder / "model.onnx").string());
  if (!model)
    return refusedBecause(model.error());
  auto interpreter = Interpreter::create(*std::move(model), {}, threads);
  if (!interpreter)
    return refusedBecause(interpreter.error());
  const Graph &graph = interpreter->model().graph;
  for (const auto &entry : fs::directory_iterator(folder)) {
    if (!entry.is_directory())
      continue;
    auto inputs = readSet(entry.path(), "input"), outputs = readSet(entry.path(), "output");
    if (!inputs)
      return refusedBecause(inputs.error());
    if (!outputs)
      return refusedBecause(outputs.error());
    NamedTensors named;
    for (size_t i = 0; i < std::min(inputs->size(), graph.inputs.size()); ++i)
      named[graph.values[graph.inputs[i]].name] = inputOf(graph.values[graph.inputs[i]], (*inputs)[i]);
    auto results = interpreter->run(named);
    if (!results)
      return {results.error().kind == ErrorKind::unsupported || isContradictory(folder) ? Outcome::refused
                                                                                        : Outcome::wrong,
              results.error().message()};
    for (size_t i = 0; i < outputs->size(); ++i) {
      const std::string &name = graph.values[graph.outputs[i]].name;
      if (Status status = compare(name, results->at(name), (*outputs)[i]); !status)
        return {Outcome::wrong, status.error().message()};
    }
  }
  return {Outcome::passed, ""};
}

} // namespace

int main(int argc, char **argv) {
  Threads threads(2);
  std::vector<fs::path> cases;
  for (int i = 1; i < argc; ++i)
    for (const auto &entry : fs::directory_iterator(argv[i]))
      if (fs::exists(entry.path() / "model.onnx"))
        cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  int counts[3] = {};
  for (const fs::path &folder : cases) {
    Verdict verdict = runCase(folder, threads);
    ++counts[static_cast<int>(verdict.outcome)];
    if (verdict.outcome != Outcome::passed)
      fmt::print("{} {}: {}\n", verdict.outcome == Outcome::wrong ? "WRONG" : "refused",
                 folder.filename().string(), verdict.text);
  }
  fmt::print("{} cases: {} passed, {} wrong, {} refused\n", cases.size(), counts[0], counts[1], counts[2]);
  return cases.empty() || counts[1] ? 1 : 0;
}
