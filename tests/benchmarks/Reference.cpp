// The process of `scripts/bench reference` that runs the reference interpreter: loads a model, then runs it
// once for every line read from standard input and answers each line with the wall time and the processor
// time in milliseconds. With --profile it runs five times without reading input and prints the time of each
// operator.
//
// usage: tilerig-reference-benchmark MODEL.onnx INPUTS.npz THREADS fast|machine [--profile]
//        tilerig-reference-benchmark MODEL.onnx --write-inputs INPUTS.npz
#include "isa/Base/Tensor/TensorFiles.h"
#include "reference/Model/Load.h"
#include "reference/Run/Interpreter.h"
#include "tests/support/Random.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fmt/core.h>
#include <iostream>

using namespace tilerig;
using namespace tilerig::reference;
using Clock = std::chrono::steady_clock;

namespace {

double milliseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

// Total time in milliseconds of the nodes of one operator, and their number.
struct Share {
  double time = 0;
  size_t nodes = 0;
};

class Profile {
public:
  void begin() { last = Clock::now(); }
  void nodeDone(const Node &node) {
    auto now = Clock::now();
    Share &share = shares[node.op];
    share.time += milliseconds(now - last);
    ++share.nodes;
    last = now;
  }
  void print(int runs) const {
    std::vector<std::pair<std::string, Share>> sorted(shares.begin(), shares.end());
    std::sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) { return a.second.time > b.second.time; });
    for (const auto &[op, share] : sorted)
      fmt::print("{:24} {:5} nodes {:9.3f} ms\n", op, share.nodes / static_cast<size_t>(runs),
                 share.time / runs);
  }

private:
  Clock::time_point last;
  std::map<std::string, Share> shares;
};

// Writes random inputs for the model, the same in every run: floats of about the standard normal
// distribution, and small integers.
Status writeInputs(const std::string &path, const std::string &file) {
  TILERIG_TRY(Model model, loadModel(path));
  test::Random random(1);
  TensorMap inputs;
  for (ValueId id : model.graph.inputs) {
    const Value &value = model.graph.values[static_cast<size_t>(id)];
    if (!value.declared || !value.declared->shape)
      return unsupported(value.name, "an input of unknown shape");
    Shape shape;
    for (const auto &size : *value.declared->shape) {
      if (!size)
        return unsupported(value.name, "an input of unknown shape");
      shape.push_back(*size);
    }
    TILERIG_TRY(Tensor tensor, Tensor::make(value.declared->type, shape));
    if (tensor.dtype() == DType::f32)
      for (float &x : tensor.mutableAs<float>()) {
        int64_t sum = 0;
        for (int i = 0; i < 4; ++i)
          sum += random.between(-1'000'000, 1'000'000);
        x = static_cast<float>(sum) / 1'154'701.0f;
      }
    else if (tensor.dtype() == DType::i64)
      for (int64_t &x : tensor.mutableAs<int64_t>())
        x = random.between(0, 99);
    else
      return unsupported(value.name, "an input that is neither float32 nor int64");
    TILERIG_CHECK_OK(inputs.add(value.name, std::move(tensor)));
  }
  return writeTensors(file, inputs);
}

Status measure(const std::vector<std::string> &words) {
  Threads threads(static_cast<unsigned>(std::atoi(words[2].c_str())));
  TILERIG_TRY(Model model, loadModel(words[0]));
  TILERIG_TRY(TensorMap inputs, readTensors(words[1]));
  bool profiling = words.size() > 4;
  Profile profile;
  RunOptions options;
  options.arithmetic = words[3] == "machine" ? Arithmetic::machine : Arithmetic::fast;
  const Graph *graph = nullptr;
  if (profiling)
    options.progress = [&](size_t done, size_t) { profile.nodeDone(graph->nodes[done - 1]); };
  TILERIG_TRY(Interpreter interpreter, Interpreter::create(std::move(model), std::move(options), threads));
  graph = &interpreter.model().graph;
  NamedTensors named;
  for (const auto &[name, tensor] : inputs)
    named.emplace(name, tensor);
  TILERIG_TRY([[maybe_unused]] NamedTensors warm, interpreter.run(named));
  if (profiling) {
    constexpr int runs = 5;
    profile = {};
    for (int i = 0; i < runs; ++i) {
      profile.begin();
      TILERIG_TRY([[maybe_unused]] NamedTensors outputs, interpreter.run(named));
    }
    profile.print(runs);
    return success();
  }
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    auto begin = Clock::now();
    std::clock_t processor = std::clock();
    TILERIG_TRY([[maybe_unused]] NamedTensors outputs, interpreter.run(named));
    std::cout << milliseconds(Clock::now() - begin) << ' '
              << 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC << std::endl;
  }
  return success();
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  bool writes = words.size() == 3 && words[1] == "--write-inputs";
  if (words.size() < 4 && !writes) {
    fmt::print(stderr, "usage: {} MODEL.onnx INPUTS.npz THREADS fast|machine [--profile]\n", argv[0]);
    return 2;
  }
  if (Status status = writes ? writeInputs(words[0], words[2]) : measure(words); !status) {
    fmt::print(stderr, "{}\n", status.error().message());
    return static_cast<int>(exitCodeOf(status.error().kind));
  }
  return 0;
}
