// Runs programs given as assembly text on the emulator, beat by beat (the rows of instructions in order of
// time).
#pragma once

#include "emulator/Beats/BeatsSession.h"
#include "isa/Assembly/Parser.h"

#include <gtest/gtest.h>

namespace tilerig::test {
using namespace emulator;

inline Assembly assembled(const std::string &text) {
  auto assembly = parseAssembly(text, "test");
  if (!assembly)
    throw std::runtime_error(assembly.error().message());
  return *std::move(assembly);
}

inline BeatsRun runText(const std::string &text, const BeatsOptions &options = {}, Defects defects = {}) {
  const Assembly assembly = assembled(text);
  auto session = BeatsSession::load(assembly.program, std::move(defects));
  if (!session)
    throw std::runtime_error(session.error().message());
  auto run = (*session)->run(assembly.test.inputs, options);
  if (!run)
    throw std::runtime_error(run.error().message());
  return *std::move(run);
}

// The elements of an output of the run as integers; empty if there is no such output.
inline std::vector<int64_t> integersOf(const TensorMap &outputs, const std::string &name) {
  std::vector<int64_t> integers;
  const Tensor *tensor = outputs.find(name);
  if (tensor)
    dispatch(tensor->dtype(), [&]<class T>() {
      if constexpr (std::is_arithmetic_v<T>)
        for (T x : tensor->as<T>())
          integers.push_back(static_cast<int64_t>(x));
    });
  return integers;
}

inline std::vector<int64_t> many(size_t count, int64_t value) { return std::vector<int64_t>(count, value); }

} // namespace tilerig::test
