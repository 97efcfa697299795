// Benchmark of the cost of capturing every tensor of ResNet-50 on 64 tiles. Two sessions run the same program
// alternately, one of which captures; printed are the medians and their ratio. The cost is measured once with
// tensors in the memory order of the program (channels last), and once with channels first, as ONNX has them.
//
// usage: tilerig-capture-benchmark THREADS [RUNS]
#include "emulator/Session.h"
#include "isa/Analyser/Analyser.h"
#include "tests/benchmarks/SplitNetwork.h"

#include <algorithm>
#include <chrono>
#include <fmt/core.h>

using namespace tilerig;
using namespace tilerig::emulator;

namespace {

template <class Field>
void rotate(Field &field) {
  std::rotate(field.begin(), field.end() - 1, field.end());
}

// Reorders the axes of the program's tensors, and of their pieces (boxes that lie in one place in memory),
// from channels last to channels first.
void putChannelsFirst(Program &program) {
  for (proto::Tensor &tensor : *program.metadata.mutable_tensors()) {
    rotate(*tensor.mutable_shape());
    for (proto::Piece &piece : *tensor.mutable_pieces()) {
      rotate(*piece.mutable_begin());
      rotate(*piece.mutable_extent());
      rotate(*piece.mutable_stride());
    }
  }
}

double median(std::vector<double> times) {
  std::ranges::sort(times);
  return times[times.size() / 2];
}

Status measure(ElementType type, bool channelsFirst, unsigned threads, unsigned runs) {
  TILERIG_TRY(const Machine machine, loadMachine("tr64"));
  TILERIG_TRY(Program program, test::splitProgram(test::resNet50(64), machine, 64, type));
  if (channelsFirst)
    putChannelsFirst(program);
  TILERIG_CHECK_OK(prove(program));
  TensorMap inputs;
  for (const proto::Tensor &tensor : program.metadata.tensors())
    if (tensor.role() == proto::INPUT)
      TILERIG_CHECK_OK(
          inputs.add(tensor.name(), Tensor(*dtypeNamed(tensor.dtype()),
                                           Shape(tensor.shape().begin(), tensor.shape().end()))));
  TILERIG_TRY(auto plain, Session::load(program, {.threads = threads}));
  const auto begin = std::chrono::steady_clock::now();
  TILERIG_TRY(auto observed,
              Session::load(program, {.threads = threads, .observation = {.captureAll = true}}));
  const double load =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::array<std::vector<double>, 2> times;
  for (unsigned i = 0; i < runs + 2; ++i)
    for (int side = 0; side < 2; ++side) {
      const auto start = std::chrono::steady_clock::now();
      TILERIG_TRY([[maybe_unused]] const TensorMap outputs, (side ? observed : plain)->run(inputs));
      if (i >= 2)
        times[side].push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
  uint64_t bytes = 0;
  for (const NamedTensor &namedTensor : observed->captured())
    bytes += namedTensor.tensor.sizeBytes();
  fmt::print(
      "{:4} {}  run {:6.1f} ms, with capture {:6.1f} ms: {:.3f}  ({} tensors, {:.1f} MB; load {:.0f} ms)\n",
      EnumNames<ElementType>::values[size_t(type)], channelsFirst ? "CHW" : "HWC", median(times[0]),
      median(times[1]), median(times[1]) / median(times[0]), observed->captured().size(),
      static_cast<double>(bytes) * 1e-6, load);
  return success();
}

} // namespace

int main(int argc, char **argv) {
  const unsigned threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2;
  const unsigned runs = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 9;
  for (ElementType type : {ElementType::i8, ElementType::fp16})
    for (bool channelsFirst : {false, true})
      if (Status status = measure(type, channelsFirst, threads, runs); !status) {
        fmt::print(stderr, "{}\n", status.error().message());
        return static_cast<int>(exitCodeOf(status.error().kind));
      }
  return 0;
}
