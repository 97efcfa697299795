// Networks of the zoo and the network for handwritten digits, prepared for tests of the class Check.
#pragma once

#include "models/Zoo.h"
#include "reference/Tools/Inputs.h"
#include "verify/Check/Check.h"

#include <gtest/gtest.h>

namespace tilerig::verify::test {

inline reference::Threads &testThreads() {
  static reference::Threads threads(2);
  return threads;
}

inline onnx::ModelProto zooNetwork(std::string_view name, int64_t imageSize, bool foldNorms) {
  models::ZooOptions options;
  options.variant.imageSize = imageSize;
  options.foldNorms = foldNorms;
  auto model = models::makeNetwork(*models::findNetwork(name), options, testThreads());
  if (!model)
    throw std::runtime_error(model.error().message());
  return *std::move(model);
}

template <class T>
T valueOf(Result<T> result) {
  if (!result)
    throw std::runtime_error(result.error().message());
  return *std::move(result);
}

inline SourceModel sourceOf(const std::string &name, const onnx::ModelProto &model) {
  return SourceModel::of(name, model.SerializeAsString());
}

inline TensorMap inputsOf(const SourceModel &source, uint64_t seed = 1) {
  TensorMap inputs;
  for (const auto &[name, tensor] : valueOf(reference::makeInputs(valueOf(source.forReference()), {}, seed)))
    EXPECT_TRUE(inputs.add(name, tensor));
  return inputs;
}

// `without` has the names of passes of the compiler that are left out.
inline Check checkOf(const SourceModel &source, const std::string &precision, unsigned tiles,
                     std::vector<std::string> without = {}) {
  CompileOptions options;
  options.passes.without = std::move(without);
  options.precision = precision;
  options.machine = valueOf(loadMachine("tr64"));
  options.program.tiles = tiles;
  return valueOf(Check::create(source, inputsOf(source), options, testThreads()));
}

// Runs the program and returns the result of the check for every tensor. `byBeats` is the expected reason why
// the emulator runs the program beat by beat (row by row of each instruction, in order of time). It is empty
// if the fast emulator must run the program.
inline std::map<std::string, CheckedTensor> judged(const Check &check, Program program,
                                                   const std::string &byBeats = "") {
  std::map<std::string, CheckedTensor> tensors;
  const CheckRun run = valueOf(check.run(std::move(program), {.threads = 2, .jitter = {}}));
  EXPECT_EQ(run.accumulated.byBeats, byBeats);
  EXPECT_EQ(run.notIsolated, "");
  EXPECT_TRUE(check.judge(run, {}, [&](const CheckedTensor &tensor) {
    tensors.emplace(tensor.match.name, tensor);
    return success();
  }));
  return tensors;
}

} // namespace tilerig::verify::test
